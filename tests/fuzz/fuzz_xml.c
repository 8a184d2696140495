/* SPDX-License-Identifier: MIT */
/* Answers of EC2 and STS in XML, of CloudWatch in JSON, and the journal of volumes. */
#include "aws/cloudwatch.h"
#include "aws/ec2.h"
#include "aws/journal.h"
#include "aws/sts.h"
#include "aws/xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cw_series series[3];
	static struct ec2_instance instance;
	struct ec2_volumes vs = { 0 };
	struct ec2_modifications ms = { 0 };
	struct ec2_instance_type type;
	struct journal_list journal;
	struct creds creds;
	struct xml doc;
	struct err err;
	char next[64];
	const char *text = (const char *)data;

	ec2_parse_volumes(text, size, &vs, next, sizeof(next), &err);
	ec2_volumes_release(&vs);
	ec2_parse_modifications(text, size, &ms, next, sizeof(next), &err);
	ec2_modifications_release(&ms);
	ec2_parse_instance(text, size, &instance, &err);
	ec2_parse_instance_type(text, size, &type, &err);
	sts_parse(text, size, "AssumeRole", &creds, &err);
	if (!xml_parse(text, size, &doc, &err)) {
		xml_text(doc.root, "Errors/Error/Code");
		xml_release(&doc);
	}
	cw_parse(text, size, series, 3, &err);
	if (!journal_parse(text, size, &journal, &err))
		journal_release(&journal);
	return 0;
}
