/* SPDX-License-Identifier: MIT */
#ifndef AWS_CREDS_H
#define AWS_CREDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/config.h"
#include "aws/http.h"
#include "aws/imds.h"
#include "engine/err.h"

/**
 * Who we are to AWS: the chain of botocore 1.43.11 (20 May 2026) without what needs a browser or a code that is typed. In
 * order: environment, a role that the profile assumes, web identity (EKS), credentials file, credential_process, config
 * file, container, instance role. The first source that has something decides; if what it has is broken, that is the
 * error, and the next is not tried. A profile with SSO or MFA is named, with what to do.
 *
 * Secrets stay in here and in libcurl while a request is signed. No message, log, argument list or child's environment
 * carries one; what held one is wiped. While any is held RLIMIT_CORE is 0 and the kernel is told to leave memory out of
 * a dump for a core handler, so that a crash writes no secret to a disk.
 */

enum cred_source {
	CRED_NONE, CRED_ENV, CRED_ROLE, CRED_WEB, CRED_FILE, CRED_PROCESS, CRED_CONFIG, CRED_CONTAINER, CRED_IMDS,
	CRED_SOURCE_NR
};
/** For people: "environment", "assumed role", "web identity", "credentials file", "instance role" … */
const char *cred_source_name(enum cred_source s);

struct creds {
	char		 key_id[132];
	char		 secret[260];
	char		 token[8192]; /**< session token; "" none */
	int64_t		 expires;     /**< s since 1970; 0 never */
	enum cred_source source;
};

/** Holds what was found and renews it. One thread at a time. */
struct cred_chain;

/**
 * @param cfg, http, im  borrowed until the chain is freed; im NULL: no instance role
 * @return NULL without memory
 */
struct cred_chain *cred_chain_new(const struct aws_config *cfg, struct http *http, struct imds *im,
				  const atomic_bool *cancel);
/** Wipe everything; with the last chain of the process the core limit becomes what it was. */
void cred_chain_free(struct cred_chain *chain);

/**
 * Credentials that are good now. Those with an end are renewed 15 minutes before it; if that fails they are used until
 * one minute before. May ask the network or run credential_process (30 s at most): not on a thread that draws.
 * @return borrowed until the next call; NULL with err: ENOKEY there are none anywhere, EKEYEXPIRED, or what was wrong
 */
const struct creds *cred_chain_get(struct cred_chain *chain, struct err *err);

/** From now on this process leaves no core. For main, when the environment holds a secret from the start. */
void creds_no_core(void);
/** Whether the environment holds a secret of AWS's. */
bool creds_in_env(void);

#endif
