/* SPDX-License-Identifier: MIT */
#include "aws/cloud.h"

#include <errno.h>
#include <string.h>

#include "aws/ecs_metadata.h"

int cloud_open(struct cloud *c, const char *profile, const char *region, const atomic_bool *cancel, struct err *err)
{
	*c = (struct cloud){ .cancel = cancel };
	if (aws_config_load(&c->cfg, profile, err))
		return -1;
	if (region) {
		*c->cfg.region = 0;
		if (aws_config_set_region(&c->cfg, region, "--region", err))
			goto fail;
	}
	if (!(c->http = http_new()))
		goto memory;
	imds_init(&c->imds, c->http, cancel);
	if (!(c->chain = cred_chain_new(&c->cfg, c->http, &c->imds, cancel)) ||
	    !(c->ec2 = ec2_new(&c->cfg, c->chain, c->http, cancel)))
		goto memory;
	return 0;
memory:
	err_set(err, ENOMEM, "no memory");
fail:
	cloud_close(c);
	return -1;
}

void cloud_close(struct cloud *c)
{
	ec2_free(c->ec2);
	cred_chain_free(c->chain);
	imds_release(&c->imds);
	http_free(c->http);
	aws_config_release(&c->cfg);
	*c = (struct cloud){ 0 };
}

int cloud_self(struct cloud *c, struct err *err)
{
	if (c->self_known)
		return 0;
	if (imds_identity(&c->imds, &c->self, err))
		return -1;
	c->self_known = true;
	return 0;
}

int cloud_need_region(struct cloud *c, struct err *err)
{
	struct err why = { .msg = "the metadata names none" };
	struct ecs_task task;

	if (*c->cfg.region)
		return 0;
	if (ecs_is_task() && !ecs_task_get(c->http, c->cancel, &task, &why) && *task.region)
		return aws_config_set_region(&c->cfg, task.region, "task metadata", err);
	if (!cloud_self(c, &why) && *c->self.region)
		return aws_config_set_region(&c->cfg, c->self.region, "instance metadata", err);
	return err_set(err, ERR_USAGE, "no Region: set AWS_REGION, or region in ~/.aws/config (%s)", why.msg);
}
