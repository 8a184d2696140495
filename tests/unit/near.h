/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_NEAR_H
#define TESTS_UNIT_NEAR_H

#include <math.h>

/** @p got is within @p eps of @p want (doubles; cmocka's own comparison is of floats). Needs cmocka.h. */
#define assert_near(got, want, eps)                                                                                    \
	do {                                                                                                           \
		double got_ = (got), want_ = (want), eps_ = (eps);                                                     \
		if (!(fabs(got_ - want_) <= eps_))                                                                     \
			fail_msg("%s = %.10g, not %.10g within %.3g", #got, got_, want_, eps_);                        \
	} while (0)

#endif
