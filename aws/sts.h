/* SPDX-License-Identifier: MIT */
#ifndef AWS_STS_H
#define AWS_STS_H

#include "aws/creds_source.h"

/**
 * The two calls of AWS Security Token Service that give credentials for a role (API version 2011-06-15), at the Region's
 * own endpoint. Repeating one does no harm, so they are retried as any question is.
 */
struct sts_role {
	const char *arn;
	const char *session;	 /**< NULL: "ebscope-" and the time */
	const char *external_id; /**< NULL: none */
	unsigned    duration_s;  /**< 0: what STS gives, an hour */
};

/** Signed with @p by. @return 0 with key, secret, token and expiry in @p out; the source is left alone */
int sts_assume_role(const struct cred_ask *a, const struct creds *by, const struct sts_role *role, struct creds *out,
		    struct err *err);
/** With the token of an identity provider instead of a signature; no external id. */
int sts_assume_role_web(const struct cred_ask *a, const char *token, const struct sts_role *role, struct creds *out,
			struct err *err);

/** The credentials in an answer to @p action. */
int sts_parse(const char *text, size_t len, const char *action, struct creds *out, struct err *err);

#endif
