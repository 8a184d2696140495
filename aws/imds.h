/* SPDX-License-Identifier: MIT */
#ifndef AWS_IMDS_H
#define AWS_IMDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "aws/http.h"
#include "engine/err.h"

/**
 * The instance metadata service, version 2 only: a token first (PUT), kept until it expires, then GET with it. A
 * request has timeout_s; a service that did not answer is not asked again by the same struct imds, so that a machine
 * that is no EC2 instance pays once. AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT and …_MODE are
 * honoured. Blocks: never on a thread that draws. EC2 User Guide "instancedata-data-retrieval" (May 2023).
 */
struct imds {
	struct http *http; /**< borrowed */
	char	     base[256];
	char	     token[256];
	uint64_t     token_until_ns; /**< CLOCK_MONOTONIC */
	long	     timeout_s;	     /**< imds_timeout_s() */
	bool	     disabled;	     /**< by the environment */
	bool	     silent;	     /**< did not answer */
	bool	     late;	     /**< not even with a refusal: so it is to a container that is one hop too far */
	const atomic_bool *cancel;
};

#define IMDS_TIMEOUT_S	   1
#define IMDS_TIMEOUT_MAX_S 300

/** Seconds for a request to a metadata service: AWS_METADATA_SERVICE_TIMEOUT, or IMDS_TIMEOUT_S where that is none. */
long imds_timeout_s(void);

/** Sends nothing. */
void imds_init(struct imds *im, struct http *http, const atomic_bool *cancel);
/** Forget the token. */
void imds_release(struct imds *im);

/**
 * GET base + @p path ("/latest/meta-data/…"), status 200 only. @p resp is to be released.
 * @return 0; or -1: ENOENT the item is absent, ENODEV disabled, off or not there, ETIMEDOUT with a hint at the hop limit, or
 *         what was wrong with an answer (EIO, EMSGSIZE)
 */
int imds_get(struct imds *im, const char *path, struct http_response *resp, struct err *err);

/** The instance identity document. Texts "" where absent. */
struct imds_identity {
	char instance_id[24], instance_type[40], region[40], az[40], account[16];
};

/** One request tells where we are. */
int imds_identity(struct imds *im, struct imds_identity *out, struct err *err);
/** From its text; every figure of the network is checked for form and length. */
int imds_identity_parse(const char *text, size_t len, struct imds_identity *out, struct err *err);

#endif
