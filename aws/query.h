/* SPDX-License-Identifier: MIT */
#ifndef AWS_QUERY_H
#define AWS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/config.h"
#include "aws/http.h"

/**
 * The Query protocol, which EC2 and STS speak: a form-encoded body by POST, an answer in XML. A request as it is built,
 * and one call with its retries and the meaning of its failure. Below ec2_call.h and sts.h.
 */

/** A body in the making; freed by the call, and wiped, for a token may be in it. */
struct query {
	char  *buf;
	size_t len, cap;
	bool   failed;
};

/** With Action and Version. */
struct query query_new(const char *action, const char *version);
/** &KEY=value; key is a format. A value that is NULL is left out. */
void query_add(struct query *q, const char *value, const char *key, ...) __attribute__((format(printf, 3, 4)));
/** 0 is left out. */
void query_number(struct query *q, const char *key, uint64_t v);

/** Who asks whom; all borrowed. */
struct query_call {
	const struct aws_config *cfg;
	struct http		*http;
	const atomic_bool	*cancel;
	const struct http_auth	*auth; /**< NULL: not signed */
	enum aws_service	 service;
	bool			 repeatable; /**< doing it twice is no harm */
	char			 code[64];   /**< after a failure AWS's name of it; "" where it gave none */
	bool			 maybe_done; /**< after a failure: it may have been done */
};

/**
 * One call. Takes the query. @return 0 with an answer to be released; -1 with err: EACCES, EKEYEXPIRED, ENOENT,
 * ERR_USAGE by AWS's code, EBUSY throttled, EBADMSG no answer of AWS's, EREMOTEIO trouble
 * of its own (status 5xx), EIO or what the network says
 */
int query_send(struct query_call *c, const char *action, struct query *q, struct http_response *resp, struct err *err);

#endif
