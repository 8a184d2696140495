/* SPDX-License-Identifier: MIT */
/* JSON from metadata services: identity document, task metadata, credentials. */
#include "aws/creds_source.h"
#include "aws/ecs_metadata.h"
#include "aws/imds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct creds creds;
	struct imds_identity id;
	struct ecs_task task;
	struct err err;
	const char *text = (const char *)data;

	imds_identity_parse(text, size, &id, &err);
	ecs_task_parse(text, size, "me", &task, &err);
	ecs_task_parse(text, size, "", &task, &err);
	creds_parse_json(text, size, "Token", "container", &creds, &err);
	creds_parse_json(text, size, "SessionToken", "credential_process", &creds, &err);
	return 0;
}
