/* SPDX-License-Identifier: MIT */
#ifndef AWS_CREDS_ROLE_H
#define AWS_CREDS_ROLE_H

#include "aws/creds_source.h"

/**
 * Credentials that STS gives for others, and which profile's they are. Below creds.h.
 *
 * A profile with role_arn takes those of its source_profile (which may be such a profile again; a circle is refused) or
 * of its credential_source (Environment, Ec2InstanceMetadata or EcsContainer), and calls AssumeRole with external_id,
 * role_session_name and duration_seconds. One with mfa_serial would have to ask for a code: it is named, with what to do.
 */
enum found creds_from_role(const struct cred_ask *a, struct creds *out, struct err *err);

/**
 * What a profile has without assuming a role from other credentials: web identity (a token file and a role, of the
 * profile or of AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME; the file is read each time, for it is
 * renewed), then keys or a command. One that signs in by a browser is named, with what to do.
 */
enum found creds_from_profile(const struct cred_ask *a, struct creds *out, struct err *err);

#endif
