/* SPDX-License-Identifier: MIT */
#ifndef AWS_CREDS_SOURCE_H
#define AWS_CREDS_SOURCE_H

#include "aws/creds.h"

/**
 * The sources that hold credentials themselves, one function each. Below creds.h; those that ask STS for others are in
 * creds_role.h.
 */

/** What a source answers: it has nothing; @p out is filled; or what it has is no use, and err says why. */
enum found { NOT_HERE, FOUND, BROKEN };

/** On whose behalf a source is asked; all borrowed. */
struct cred_ask {
	const struct aws_config *cfg;
	struct http		*http;
	struct imds		*im; /**< NULL: no instance role */
	const atomic_bool	*cancel;
	const char		*profile;
	bool			 env; /**< variables of the environment count too */
};

/** AWS_ACCESS_KEY_ID and its fellows. */
enum found creds_from_env(const struct cred_ask *a, struct creds *out, struct err *err);
/** The profile's keys in the credentials file, its credential_process, its keys in the config file. */
enum found creds_from_file(const struct cred_ask *a, struct creds *out, struct err *err);
enum found creds_from_process(const struct cred_ask *a, struct creds *out, struct err *err);
enum found creds_from_config(const struct cred_ask *a, struct creds *out, struct err *err);
/** AWS_CONTAINER_CREDENTIALS_…_URI: ECS and EKS Pod Identity. */
enum found creds_from_container(const struct cred_ask *a, struct creds *out, struct err *err);
/** The instance's role, by its metadata. */
enum found creds_from_imds(const struct cred_ask *a, struct creds *out, struct err *err);

/** Check and copy; token may be NULL. @p what begins the message, which quotes none of them. */
int creds_fill(struct creds *out, const char *id, const char *secret, const char *token, const char *what,
	       struct err *err);

/** The token that a file holds, blanks at its end cut. A file that is empty, or fills @p size, is an error that names it. */
int creds_read_token(const char *what, const char *path, char *out, size_t size, struct err *err);

/** As AWS writes it: "2026-05-20T12:34:56Z", with fraction or offset. @return s since 1970, -1 if it is no time */
int64_t creds_parse_time(const char *text);

/**
 * A JSON answer of a source into @p out. Keys as the source has them: @p token_key "SessionToken" (credential_process,
 * with Version 1) or "Token". @p what begins the message. The text is never quoted in it.
 */
int creds_parse_json(const char *text, size_t len, const char *token_key, const char *what, struct creds *out,
		     struct err *err);

#endif
