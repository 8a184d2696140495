/* SPDX-License-Identifier: MIT */
#ifndef AWS_VOLUME_LIFE_PARTS_H
#define AWS_VOLUME_LIFE_PARTS_H

#include "aws/volume_life.h"

/** Between volume_life.c and volume_wait.c: looking at a volume until it is as it should be. */

/** Looks at one thing. @param seen  how it is, for people @return 1 it is so, 0 not yet, -1 failed */
typedef int (*life_look)(struct life *l, struct life_volume *v, char *seen, size_t size, struct err *err);
int life_look_available(struct life *l, struct life_volume *v, char *seen, size_t size, struct err *err);
/** Attached for AWS, and its device here where it should be. */
int life_look_attached(struct life *l, struct life_volume *v, char *seen, size_t size, struct err *err);

/**
 * Look again and again; each change is said. ENOENT is waited out for some seconds: AWS's servers agree late. Trouble of
 * AWS's or of the network, once AWS was heard of, is said and lived through until the wait's end.
 */
int life_wait_for(struct life *l, life_look ready, struct life_volume *v, const char *what, struct err *err);

void life_say(struct life *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
