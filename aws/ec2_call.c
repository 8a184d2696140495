/* SPDX-License-Identifier: MIT */
#include "aws/ec2_call.h"

#include <stdlib.h>
#include <string.h>

#define VERSION "2016-11-15"

struct ec2 {
	const struct aws_config *cfg;
	struct cred_chain *chain;
	struct query_call call; /* the last one */
	bool dry_run;
};

struct ec2 *ec2_new(const struct aws_config *cfg, struct cred_chain *chain, struct http *http,
		    const atomic_bool *cancel)
{
	struct ec2 *ec2 = calloc(1, sizeof(*ec2));

	if (ec2)
		*ec2 = (struct ec2){
			.cfg = cfg,
			.chain = chain,
			.call = { .cfg = cfg, .http = http, .cancel = cancel, .service = AWS_EC2 },
		};
	return ec2;
}

void ec2_free(struct ec2 *ec2)
{
	free(ec2);
}

void ec2_dry_run(struct ec2 *ec2, bool on)
{
	ec2->dry_run = on;
}

const char *ec2_code(const struct ec2 *ec2)
{
	return ec2->call.code;
}

bool ec2_maybe_done(const struct ec2 *ec2)
{
	return ec2->call.maybe_done;
}

void ec2_set_maybe_done(struct ec2 *ec2)
{
	ec2->call.maybe_done = true;
}

const char *ec2_region(const struct ec2 *ec2)
{
	return ec2->cfg->region;
}

struct query ec2_query_new(const char *action)
{
	return query_new(action, VERSION);
}

int ec2_call(struct ec2 *ec2, const char *action, struct query q, bool repeatable, struct http_response *resp,
	     struct err *err)
{
	*resp = (struct http_response){ 0 };
	*ec2->call.code = 0;
	ec2->call.maybe_done = false;
	const struct creds *creds = cred_chain_get(ec2->chain, err);
	if (!creds) {
		free(q.buf);
		return err_wrap(err, "%s", action);
	}
	struct http_auth auth = { aws_service_signing(AWS_EC2), ec2->cfg->region, creds->key_id, creds->secret,
				  creds->token };
	ec2->call.auth = &auth;
	ec2->call.repeatable = repeatable;
	int rc = query_send(&ec2->call, action, &q, resp, err);
	ec2->call.auth = NULL;
	return rc && ec2->dry_run && !strcmp(ec2->call.code, "DryRunOperation") ? 1 : rc;
}

int ec2_change(struct ec2 *ec2, const char *action, struct query q, bool repeatable,
	       struct http_response *resp, struct err *err)
{
	query_add(&q, ec2->dry_run ? "true" : NULL, "DryRun");
	return ec2_call(ec2, action, q, repeatable, resp, err);
}
