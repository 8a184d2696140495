/* SPDX-License-Identifier: MIT */
#ifndef AWS_EC2_CALL_H
#define AWS_EC2_CALL_H

#include "aws/ec2.h"

/**
 * Below ec2.h: a request of the Query protocol as it is built, and one call with signature, retries and the meaning of
 * its failure. Used by ec2.c alone.
 */

/** A form-encoded body in the making; freed by the call. */
struct ec2_query {
	char  *buf;
	size_t len, cap;
	bool   failed;
};

/** With Action and Version. */
struct ec2_query ec2_query_new(const char *action);
/** &KEY=value; key is a format. A value that is NULL is left out. */
void ec2_query_add(struct ec2_query *q, const char *value, const char *key, ...) __attribute__((format(printf, 3, 4)));
/** 0 is left out. */
void ec2_query_number(struct ec2_query *q, const char *key, uint64_t v);
/** PREFIXTag.1.Key and so on. */
void ec2_query_tags(struct ec2_query *q, const char *prefix, const struct ec2_tag *tag, size_t n);

/**
 * One call. Takes the query. @param repeatable doing it twice is no harm
 * @return 0 with the answer to be released, 1 when a dry run says that it would have been done, or -1
 */
int ec2_call(struct ec2 *ec2, const char *action, struct ec2_query q, bool repeatable, struct http_response *resp,
	     struct err *err);
/** As above, of a change: with a dry run AWS is only asked whether it would do it. */
int ec2_change(struct ec2 *ec2, const char *action, struct ec2_query q, bool repeatable, struct http_response *resp,
	       struct err *err);
/** The answer could not be read, though it may have been done. */
void ec2_set_maybe_done(struct ec2 *ec2);

#endif
