/* SPDX-License-Identifier: MIT */
#ifndef AWS_EC2_CALL_H
#define AWS_EC2_CALL_H

#include "aws/ec2.h"
#include "aws/query.h"

/**
 * Below ec2.h: one call of EC2's, with the credentials of the chain. Used by ec2.c alone.
 */

/** With Action and EC2's Version. */
struct query ec2_query_new(const char *action);

/**
 * One call. Takes the query. @param repeatable doing it twice is no harm
 * @return 0 with the answer to be released, 1 when a dry run says that it would have been done, or -1
 */
int ec2_call(struct ec2 *ec2, const char *action, struct query q, bool repeatable, struct http_response *resp,
	     struct err *err);
/** As above, of a change: with a dry run AWS is only asked whether it would do it. */
int ec2_change(struct ec2 *ec2, const char *action, struct query q, bool repeatable, struct http_response *resp,
	       struct err *err);
/** The answer could not be read, though it may have been done. */
void ec2_set_maybe_done(struct ec2 *ec2);

#endif
