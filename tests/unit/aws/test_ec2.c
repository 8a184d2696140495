/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "aws/cloud.h"
#include "aws/cloudwatch.h"
#include "aws/ec2.h"
#include "aws/xml.h"
#include "tests/unit/aws/loopback.h"

#define VOLUME                                                                                                       \
	"<item><volumeId>vol-0123456789abcdef0</volumeId><size>100</size><snapshotId/>"                                \
	"<availabilityZone>eu-west-1a</availabilityZone><status>in-use</status>"                                      \
	"<createTime>2026-05-20T12:00:00.000Z</createTime><attachmentSet><item><volumeId>vol-0123456789abcdef0"       \
	"</volumeId><instanceId>i-0fedcba9876543210</instanceId><device>/dev/sdf</device><status>attached</status>"    \
	"<deleteOnTermination>true</deleteOnTermination></item></attachmentSet><tagSet><item><key>Name</key>"         \
	"<value>a &lt;b&gt; \xc3\xbc</value></item><item><key>empty</key><value/></item></tagSet>"                     \
	"<volumeType>gp3</volumeType><iops>6000</iops><encrypted>true</encrypted><multiAttachEnabled>false"           \
	"</multiAttachEnabled><throughput>250</throughput></item>"
#define NS "xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\""

static void every_field_of_a_volume_is_read(void **state)
{
	static const char text[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<DescribeVolumesResponse " NS ">"
				   "<requestId>r</requestId><volumeSet>" VOLUME "</volumeSet><nextToken>a+/=</nextToken>"
				   "</DescribeVolumesResponse>";
	struct ec2_volumes vs = { 0 };
	struct err err;
	char next[32];

	(void)state;
	assert_int_equal(ec2_parse_volumes(text, sizeof(text) - 1, &vs, next, sizeof(next), &err), 0);
	assert_string_equal(next, "a+/=");
	assert_int_equal(vs.n, 1);
	const struct ec2_volume *v = ec2_volumes_find(&vs, "vol-0123456789abcdef0");
	assert_non_null(v);
	assert_string_equal(v->type, "gp3");
	assert_int_equal(v->size_gib, 100);
	assert_int_equal(v->iops, 6000);
	assert_int_equal(v->mibps, 250);
	assert_string_equal(v->state, "in-use");
	assert_string_equal(v->az, "eu-west-1a");
	assert_true(v->encrypted);
	assert_int_equal(v->n_attachments, 1);
	assert_string_equal(v->attachment[0].instance_id, "i-0fedcba9876543210");
	assert_string_equal(v->attachment[0].device, "/dev/sdf");
	assert_string_equal(v->attachment[0].state, "attached");
	assert_true(v->attachment[0].delete_on_termination);
	assert_string_equal(ec2_tag(v, "Name"), "a <b> \xc3\xbc");
	assert_string_equal(ec2_tag(v, "empty"), "");
	assert_null(ec2_tag(v, "none"));
	ec2_volumes_release(&vs);
}

static void figures_that_aws_does_not_give_do_not_exist(void **state)
{
	static const char text[] = "<DescribeVolumesResponse><volumeSet><item><volumeId>vol-01234567</volumeId>"
				   "<volumeType>st1</volumeType><size>x</size></item></volumeSet></DescribeVolumesResponse>";
	struct ec2_volumes vs = { 0 };
	struct err err;
	char next[32];

	(void)state;
	assert_int_equal(ec2_parse_volumes(text, sizeof(text) - 1, &vs, next, sizeof(next), &err), 0);
	assert_true(vs.v[0].iops == EC2_NONE && vs.v[0].mibps == EC2_NONE && vs.v[0].size_gib == EC2_NONE);
	assert_int_equal(vs.v[0].n_attachments, 0);
	ec2_volumes_release(&vs);
}

static void control_characters_do_not_reach_a_terminal(void **state)
{
	static const char text[] = "<DescribeVolumesResponse><volumeSet><item><volumeId>vol-01234567</volumeId>"
				   "<status>a&#10;b</status><tagSet><item><key>k</key><value>x&#9;y\x7f</value></item></tagSet>"
				   "</item></volumeSet></DescribeVolumesResponse>";
	struct ec2_volumes vs = { 0 };
	struct err err;
	char next[32];

	(void)state;
	assert_int_equal(ec2_parse_volumes(text, sizeof(text) - 1, &vs, next, sizeof(next), &err), 0);
	assert_string_equal(vs.v[0].state, "a?b");
	assert_string_equal(ec2_tag(&vs.v[0], "k"), "x?y?");
	ec2_volumes_release(&vs);
}

static void xml_that_is_no_answer_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "<", "<a><b></a>", "<DescribeVolumesResponse>", "<html/>",
		"<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><DescribeVolumesResponse>&e;</DescribeVolumesResponse>",
		("<DescribeVolumesResponse><volumeSet><item><volumeId>vol-1/../x</volumeId></item></volumeSet>"
		 "</DescribeVolumesResponse>"),
		"\xff\xfe<", "{\"json\":1}",
	};
	struct err err;
	char next[32], deep[4096] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ec2_volumes vs = { 0 };
		assert_int_equal(ec2_parse_volumes(bad[i], strlen(bad[i]), &vs, next, sizeof(next), &err), -1);
		assert_int_equal(vs.n, 0);
		ec2_volumes_release(&vs);
	}
	for (size_t i = 0; i < sizeof(deep) - 4; i += 3)
		memcpy(deep + i, "<a>", 4);
	struct xml doc;
	assert_int_equal(xml_parse(deep, strlen(deep), &doc, &err), -1);
	assert_non_null(strstr(err.msg, "too deep"));
}

static void a_path_in_xml_is_followed(void **state)
{
	static const char text[] = "<r><a><b>1</b><c/><x:d xmlns:x=\"u\"> t </x:d></a></r>";
	struct xml doc;
	struct err err;

	(void)state;
	assert_int_equal(xml_parse(text, sizeof(text) - 1, &doc, &err), 0);
	assert_string_equal(xml_text(doc.root, "a/b"), "1");
	assert_string_equal(xml_text(doc.root, "a/d"), " t ");
	assert_null(xml_text(doc.root, "a/c"));
	assert_null(xml_text(doc.root, "a/b/z"));
	assert_null(xml_text(doc.root, "q"));
	xml_release(&doc);
}

static void a_modification_is_read_with_both_ends(void **state)
{
	static const char text[] =
		"<DescribeVolumesModificationsResponse><volumeModificationSet><item><volumeId>vol-01234567</volumeId>"
		"<modificationState>optimizing</modificationState><targetSize>200</targetSize><targetIops>6000</targetIops>"
		"<targetVolumeType>gp3</targetVolumeType><targetThroughput>250</targetThroughput>"
		"<originalSize>100</originalSize><originalIops>300</originalIops><originalVolumeType>gp2</originalVolumeType>"
		"<progress>37</progress></item></volumeModificationSet></DescribeVolumesModificationsResponse>";
	struct ec2_modifications ms = { 0 };
	struct err err;
	char next[16];

	(void)state;
	assert_int_equal(ec2_parse_modifications(text, sizeof(text) - 1, &ms, next, sizeof(next), &err), 0);
	assert_string_equal(next, "");
	const struct ec2_modification *m = ec2_modifications_find(&ms, "vol-01234567");
	assert_non_null(m);
	assert_string_equal(m->state, "optimizing");
	assert_int_equal(m->progress, 37);
	assert_string_equal(m->from.type, "gp2");
	assert_int_equal(m->from.iops, 300);
	assert_true(m->from.mibps == EC2_NONE);
	assert_string_equal(m->to.type, "gp3");
	assert_int_equal(m->to.size_gib, 200);
	assert_int_equal(m->to.mibps, 250);
	ec2_modifications_release(&ms);
}

static void an_instance_and_its_type_are_read(void **state)
{
	static const char inst[] =
		"<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>i-0fedcba9876543210"
		"</instanceId><instanceType>m5.large</instanceType><instanceState><code>16</code><name>running</name>"
		"</instanceState><placement><availabilityZone>eu-west-1a</availabilityZone></placement><rootDeviceName>/dev/xvda"
		"</rootDeviceName><blockDeviceMapping><item><deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-01234567"
		"</volumeId></ebs></item></blockDeviceMapping></item></instancesSet></item></reservationSet>"
		"</DescribeInstancesResponse>";
	static const char type[] =
		"<DescribeInstanceTypesResponse><instanceTypeSet><item><instanceType>m5.large</instanceType><hypervisor>nitro"
		"</hypervisor><vCpuInfo><defaultVCpus>2</defaultVCpus></vCpuInfo><ebsInfo><maximumEbsAttachments>27"
		"</maximumEbsAttachments><ebsOptimizedInfo><baselineBandwidthInMbps>650</baselineBandwidthInMbps>"
		"<baselineIops>3600</baselineIops><maximumIops>18750"
		"</maximumIops></ebsOptimizedInfo></ebsInfo><networkInfo><networkCards><item><baselineBandwidthInGbps>0.75"
		"</baselineBandwidthInGbps></item></networkCards></networkInfo></item></instanceTypeSet>"
		"</DescribeInstanceTypesResponse>";
	struct ec2_instance i;
	struct ec2_instance_type t;
	struct err err;

	(void)state;
	assert_int_equal(ec2_parse_instance(inst, sizeof(inst) - 1, &i, &err), 0);
	assert_string_equal(i.state, "running");
	assert_string_equal(i.root_device, "/dev/xvda");
	assert_int_equal(i.n_devices, 1);
	assert_string_equal(i.device[0].volume_id, "vol-01234567");
	assert_int_equal(ec2_parse_instance_type(type, sizeof(type) - 1, &t, &err), 0);
	assert_true(t.ebs_base_mbps == 650 && t.ebs_max_iops == 18750 && t.ebs_base_iops == 3600);
	assert_true(isnan(t.ebs_max_mbps));
}

/* What a server answers: in order, the last one again and again. */
struct script {
	int	    status;
	const char *body;
};

static bool play(struct loopback *lb, const char *request, char *reply, size_t size)
{
	const struct script *s = lb->arg;

	(void)request;
	for (int i = 1; i < lb->n && s[1].status; i++)
		s++;
	if (s->status < 0)
		return false;
	loopback_reply(reply, size, s->status, s->body);
	return true;
}

/* A client whose endpoint plays a script. */
static void open_client(struct cloud *c, struct loopback *lb, const struct script *script)
{
	struct err err;
	char url[64];

	loopback_start(lb, play);
	lb->arg = (void *)(uintptr_t)script;
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", lb->port);
	setenv("AWS_ENDPOINT_URL", url, 1);
	setenv("AWS_REGION", "eu-west-1", 1);
	setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "s3cr3t", 1);
	setenv("AWS_CONFIG_FILE", "/nonexistent", 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1);
	unsetenv("AWS_PROFILE");
	unsetenv("AWS_DEFAULT_PROFILE");
	assert_int_equal(cloud_open(c, NULL, NULL, NULL, &err), 0);
}

static void close_client(struct cloud *c, struct loopback *lb)
{
	cloud_close(c);
	loopback_stop(lb);
}

#define FAILURE(code, message)                                                                        \
	"<Response><Errors><Error><Code>" code "</Code><Message>" message "</Message></Error></Errors>" \
	"<RequestID>r</RequestID></Response>"
#define PAGE(token) "<DescribeVolumesResponse><volumeSet>" VOLUME "</volumeSet>" token "</DescribeVolumesResponse>"

static void all_pages_are_followed(void **state)
{
	static const struct script script[] = { { 200, PAGE("<nextToken>a b+</nextToken>") },
						{ 200, PAGE("<nextToken>2</nextToken>") }, { 200, PAGE("<nextToken/>") }, { 0 } };
	struct ec2_filter all = { 0 };
	struct ec2_volumes vs;
	struct loopback lb;
	struct cloud c;
	struct err err;

	(void)state;
	open_client(&c, &lb, script);
	assert_int_equal(ec2_describe_volumes(c.ec2, &all, &vs, &err), 0);
	assert_int_equal(vs.n, 3);
	ec2_volumes_release(&vs);
	close_client(&c, &lb);
	assert_non_null(strstr(lb.request[0], "\r\n\r\nAction=DescribeVolumes&Version=2016-11-15&MaxResults=500"));
	assert_non_null(strstr(lb.request[1], "&NextToken=a%20b%2B"));
	loopback_free(&lb);
}

#define CHANGES(item, token)                                                                               \
	"<DescribeVolumesModificationsResponse><volumeModificationSet>" item "</volumeModificationSet>" token \
	"</DescribeVolumesModificationsResponse>"

static void a_page_without_a_modification_is_not_the_last(void **state)
{
	static const struct script script[] = {
		{ 200, CHANGES("", "<nextToken>2</nextToken>") },
		{ 200, CHANGES("<item><volumeId>vol-01234567</volumeId></item>", "<nextToken>3</nextToken>") },
		{ 200, CHANGES("<item><volumeId>vol-89abcdef</volumeId></item>", "") }, { 0 },
	};
	struct ec2_modifications ms;
	struct loopback lb;
	struct cloud c;
	struct err err;

	(void)state;
	open_client(&c, &lb, script);
	assert_int_equal(ec2_describe_modifications(c.ec2, NULL, &ms, &err), 0);
	assert_int_equal(ms.n, 2);
	assert_non_null(ec2_modifications_find(&ms, "vol-01234567"));
	assert_non_null(ec2_modifications_find(&ms, "vol-89abcdef"));
	ec2_modifications_release(&ms);
	close_client(&c, &lb);
	assert_int_equal(lb.n, 3);
	assert_non_null(strstr(lb.request[2], "&MaxResults=500&NextToken=3"));
	loopback_free(&lb);
}

static void pages_that_never_end_are_an_error(void **state)
{
	static const struct script script[] = { { 200, PAGE("<nextToken>x</nextToken>") }, { 0 } };
	struct ec2_filter all = { 0 };
	struct ec2_volumes vs;
	struct loopback lb;
	struct cloud c;
	struct err err;

	(void)state;
	open_client(&c, &lb, script);
	assert_int_equal(ec2_describe_volumes(c.ec2, &all, &vs, &err), -1);
	assert_int_equal(vs.n, 0);
	close_client(&c, &lb);
	assert_int_equal(lb.n, 2);
	loopback_free(&lb);
}

static void a_failure_is_one_line_that_helps(void **state)
{
	static const struct {
		struct script script[2];
		int	      code;
		const char   *says;
	} bad[] = {
		{ { { 403, FAILURE("UnauthorizedOperation", "You are not authorized. Encoded authorization failure message: x") } },
		  EACCES, "the policy lacks ec2:DescribeVolumes" },
		{ { { 401, FAILURE("AuthFailure", "not able to validate") } }, EACCES, "clock is" },
		{ { { 400, FAILURE("InvalidVolume.NotFound", "no &#10;such") } }, ENOENT, "InvalidVolume.NotFound: no  such" },
		{ { { 400, FAILURE("InvalidVolume.NotFound", "x") } }, ENOENT, "that Region is from AWS_REGION" },
		{ { { 400, FAILURE("InvalidParameterValue", "odd") } }, ERR_USAGE, "odd" },
		{ { { 400, FAILURE("OptInRequired", "x") } }, EACCES, "clock is" },
		{ { { 400, FAILURE("ExpiredToken", "x") } }, EKEYEXPIRED, "clock is" },
		{ { { 400, FAILURE("VolumeLimitExceeded", "x") } }, EDQUOT, "x: delete what is not needed, or ask for more" },
		{ { { 400, FAILURE("AttachmentLimitExceeded", "x") } }, EDQUOT, "detach another volume" },
		{ { { 400, FAILURE("InvalidVolume.ZoneMismatch", "x") } }, EINVAL, "--az" },
		{ { { 400, FAILURE("VolumeInUse", "x") } }, EINVAL, "detach it first" },
		{ { { 400, FAILURE("InsufficientVolumeCapacity", "x") } }, EAGAIN, "another zone" },
		{ { { 400, "<html><body>proxy</body></html>" } }, EBADMSG, "proxy" },
		{ { { 200, "  <!DOCTYPE html><html>" } }, EBADMSG, "proxy" },
		{ { { 200, "<DescribeVolumesResponse><volumeSet>" } }, EBADMSG, "malformed XML" },
		{ { { 400, "what?" } }, EIO, "status 400" },
	};
	struct ec2_volumes vs;
	struct loopback lb;
	struct cloud c;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		open_client(&c, &lb, bad[i].script);
		assert_int_equal(ec2_describe_volume(c.ec2, "vol-01234567", &vs, &err), -1);
		assert_int_equal(err.code, bad[i].code);
		assert_non_null(strstr(err.msg, bad[i].says));
		assert_null(strchr(err.msg, '\n'));
		assert_null(strstr(err.msg, "s3cr3t"));
		close_client(&c, &lb);
		assert_int_equal(lb.n, 1);
		loopback_free(&lb);
	}
}

static void a_change_is_not_sent_again_once_it_may_have_been_done(void **state)
{
	static const struct script error[] = { { 500, FAILURE("InternalError", "x") }, { 0 } };
	static const struct script lost[] = { { -1, NULL }, { 0 } };
	static const struct script *const scripts[] = { error, lost };
	struct loopback lb;
	struct cloud c;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		open_client(&c, &lb, scripts[i]);
		assert_int_equal(ec2_delete_volume(c.ec2, "vol-01234567", &err), -1);
		assert_true(ec2_maybe_done(c.ec2));
		close_client(&c, &lb);
		assert_int_equal(lb.n, 1);
		loopback_free(&lb);
	}
}

static void a_change_whose_answer_cannot_be_read_may_have_been_done(void **state)
{
	static const struct script empty[] = { { 200, "" }, { 0 } }, page[] = { { 200, "<html>" }, { 0 } };
	static const struct script odd[] = { { 200, "<ModifyVolumeResponse><volumeModification>" }, { 0 } };
	static const struct script *const scripts[] = { empty, page, odd };
	struct ec2_modification m;
	struct loopback lb;
	struct cloud c;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		open_client(&c, &lb, scripts[i]);
		assert_int_equal(ec2_modify_volume(c.ec2, "vol-01234567", NULL, 200, 0, 0, &m, &err), -1);
		assert_int_equal(err.code, EBADMSG);
		assert_true(ec2_maybe_done(c.ec2));
		close_client(&c, &lb);
		assert_int_equal(lb.n, 1);
		loopback_free(&lb);
	}
}

static void a_dry_run_asks_and_changes_nothing(void **state)
{
	static const struct script script[] = { { 412, FAILURE("DryRunOperation", "would have succeeded") }, { 0 } };
	const struct ec2_create create = { .az = "eu-west-1a", .type = "gp3", .token = "t", .size_gib = 10 };
	struct ec2_volumes vs;
	struct loopback lb;
	struct cloud c;
	struct err err;

	(void)state;
	open_client(&c, &lb, script);
	ec2_dry_run(c.ec2, true);
	assert_int_equal(ec2_create_volume(c.ec2, &create, &vs, &err), 0);
	assert_int_equal(vs.n, 0);
	close_client(&c, &lb);
	assert_non_null(strstr(lb.request[0], "&DryRun=true"));
	assert_non_null(strstr(lb.request[0], "&ClientToken=t"));
	loopback_free(&lb);
}

static void an_absent_metric_is_no_zero(void **state)
{
	static const char text[] =
		"{\"MetricDataResults\":[{\"Id\":\"m1\",\"Timestamps\":[1785542400.0,1785542460,1785542400,1785542520],"
		"\"Values\":[99.5,50,1,101]},{\"Id\":\"m0\",\"Timestamps\":[],\"Values\":[]},{\"Id\":\"m9\"},{\"Id\":\"x\"},7]}";
	static struct cw_series s[2];
	struct err err;

	(void)state;
	s[0].n = s[1].n = 7;
	assert_int_equal(cw_parse(text, sizeof(text) - 1, s, 2, &err), 0);
	assert_int_equal(s[0].n, 0);
	assert_int_equal(s[1].n, 2);
	assert_int_equal(s[1].point[0].t, 1785542400);
	assert_true(s[1].point[1].percent == 50);
	assert_int_equal(cw_parse("{}", 2, s, 2, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_a_volume_is_read),
		cmocka_unit_test(figures_that_aws_does_not_give_do_not_exist),
		cmocka_unit_test(control_characters_do_not_reach_a_terminal),
		cmocka_unit_test(xml_that_is_no_answer_is_refused),
		cmocka_unit_test(a_path_in_xml_is_followed),
		cmocka_unit_test(a_modification_is_read_with_both_ends),
		cmocka_unit_test(an_instance_and_its_type_are_read),
		cmocka_unit_test(all_pages_are_followed),
		cmocka_unit_test(a_page_without_a_modification_is_not_the_last),
		cmocka_unit_test(pages_that_never_end_are_an_error),
		cmocka_unit_test(a_failure_is_one_line_that_helps),
		cmocka_unit_test(a_change_is_not_sent_again_once_it_may_have_been_done),
		cmocka_unit_test(a_change_whose_answer_cannot_be_read_may_have_been_done),
		cmocka_unit_test(a_dry_run_asks_and_changes_nothing),
		cmocka_unit_test(an_absent_metric_is_no_zero),
	};

	return cmocka_run_group_tests_name("ec2", tests, NULL, NULL);
}
