/* SPDX-License-Identifier: MIT */
#include "aws/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "aws/closest.h"
#include "engine/units.h"

/* The catalogue, one row a type; see the first line for the columns. */
extern const char aws_instances_csv[], aws_instances_csv_end[];

#define SOURCE_API  "EC2 API DescribeInstanceTypes, all Regions, 2026-08-02"
#define SOURCE_DOCS "EC2 User Guide, Amazon EBS-optimized instances, 2023-05 (no longer returned by the API)"

enum column {
	COL_TYPE, COL_VCPU, COL_MEM, COL_HYPER, COL_CURRENT, COL_BURST_CPU, COL_EBS_OPT, COL_EBS_NVME, COL_EBS_CARDS,
	COL_BASE_MBPS, COL_MAX_MBPS, COL_BASE_MBYTES, COL_MAX_MBYTES, COL_BASE_IOPS, COL_MAX_IOPS, COL_ATTACH_MAX,
	COL_ATTACH_KIND, COL_NET_CARDS, COL_NET_BASE, COL_NET_PEAK, COL_NET_LABEL, COL_WEIGHTING, COL_ENA, COL_EXPRESS,
	COL_STORE_GB, COL_STORE_NVME, COL_SRC, COL_NR
};

const char *instance_next(const char *row)
{
	const char *p = row ? row : aws_instances_csv; /* without a row: behind the line of column names */

	p = memchr(p, '\n', (size_t)(aws_instances_csv_end - p));
	return p && p + 1 < aws_instances_csv_end ? p + 1 : NULL;
}

/* Where the columns of a row begin; begin[COL_NR] is behind its end. A short row's missing columns are empty. */
static void split(const char *row, const char *begin[COL_NR + 1])
{
	const char *end = memchr(row, '\n', (size_t)(aws_instances_csv_end - row));
	const char *p = row;

	if (!end)
		end = aws_instances_csv_end;
	for (int i = 0; i < COL_NR; i++) {
		const char *comma = memchr(p, ',', (size_t)(end - p));

		begin[i] = p;
		p = comma ? comma + 1 : end + (i + 1 < COL_NR ? 0 : 1);
	}
	begin[COL_NR] = end + 1;
}

static size_t column_text(const char *const begin[], enum column c, char *out, size_t size)
{
	size_t n = begin[c + 1] > begin[c] ? (size_t)(begin[c + 1] - begin[c] - 1) : 0;

	if (n >= size)
		n = size - 1;
	memcpy(out, begin[c], n);
	out[n] = 0;
	return n;
}

/* The catalogue has plain decimal numbers with a point; an empty column is a figure that nobody gives. */
static double column_num(const char *const begin[], enum column c)
{
	char text[24], *dot;

	if (!column_text(begin, c, text, sizeof(text)))
		return NAN;
	if (!(dot = strchr(text, '.')))
		return (double)strtoull(text, NULL, 10);
	double fraction = (double)strtoull(dot + 1, NULL, 10) / pow(10, (double)strlen(dot + 1));
	return (double)strtoull(text, NULL, 10) + fraction;
}

static bool column_is(const char *const begin[], enum column c, const char *what)
{
	char text[16];

	column_text(begin, c, text, sizeof(text));
	return strcmp(text, what) == 0;
}

void instance_row(const char *row, struct host *h)
{
	const char *b[COL_NR + 1];

	split(row, b);
	*h = (struct host){
		.kind = HOST_INSTANCE,
		.vcpu = column_num(b, COL_VCPU),
		.hyper = column_is(b, COL_HYPER, "xen")	    ? HYPER_XEN
			 : column_is(b, COL_HYPER, "metal") ? HYPER_METAL
							    : HYPER_NITRO,
		.current = column_is(b, COL_CURRENT, "1"),
		.burst_cpu = column_is(b, COL_BURST_CPU, "1"),
		.ebs_optional = column_is(b, COL_EBS_OPT, "supported"),
		.iops_base = column_num(b, COL_BASE_IOPS),
		.iops_max = column_num(b, COL_MAX_IOPS),
		.bw_base = column_num(b, COL_BASE_MBPS) * 1e6 / 8,
		.bw_max = column_num(b, COL_MAX_MBPS) * 1e6 / 8,
		.net_base = column_num(b, COL_NET_BASE) * 1e9,
		.net_peak = column_num(b, COL_NET_PEAK) * 1e9,
		.net_burst_s = NAN,
		.source = column_is(b, COL_SRC, "G") ? SOURCE_DOCS : SOURCE_API,
	};
	double mem = column_num(b, COL_MEM), cards = column_num(b, COL_EBS_CARDS);

	h->mem_mib = isnan(mem) ? 0 : (uint64_t)mem;
	h->ebs_cards = cards > 1 ? (unsigned)cards : 1;
	column_text(b, COL_TYPE, h->name, sizeof(h->name));
	column_text(b, COL_NET_LABEL, h->net_label, sizeof(h->net_label));
}

static void replace(struct host *h, const struct limits *l)
{
	const struct instance_override *o = limits_instance(l, h->name);

	if (!o)
		return;
	h->iops_base = isnan(o->base_iops) ? h->iops_base : o->base_iops;
	h->iops_max = isnan(o->max_iops) ? h->iops_max : o->max_iops;
	h->bw_base = isnan(o->base_mbps) ? h->bw_base : o->base_mbps * 1e6 / 8;
	h->bw_max = isnan(o->max_mbps) ? h->bw_max : o->max_mbps * 1e6 / 8;
	h->source = l->origin;
}

int host_instance(struct host *h, const struct limits *l, const char *name, struct err *err)
{
	struct closest c = { .want = name };
	char near[160], type[32];
	size_t n = strlen(name);

	for (const char *row = instance_next(NULL); row; row = instance_next(row)) {
		if (n && strncasecmp(row, name, n) == 0 && row[n] == ',') {
			instance_row(row, h);
			replace(h, l);
			return 0;
		}
	}
	for (const char *row = instance_next(NULL); row; row = instance_next(row)) {
		snprintf(type, sizeof(type), "%.*s", (int)strcspn(row, ","), row);
		closest_add(&c, type);
	}
	closest_text(&c, near, sizeof(near));
	return err_set(err, ERR_USAGE, "'%.40s' is not an instance type that is known here%s%s%s", name,
		       *near ? ": " : "", near, *near ? "" : " (like m5.large or t3.micro)");
}

/* Lambda gives no EBS; its network was measured alike at every size (see host_lambda). */
int host_lambda(struct host *h, const char *text, struct err *err)
{
	size_t digits = strspn(text, "0123456789");
	char number[24] = "";
	uint64_t mib;

	if (digits && digits < sizeof(number) &&
	    (!text[digits] || strcasecmp(text + digits, "MB") == 0 || strcasecmp(text + digits, "MiB") == 0))
		memcpy(number, text, digits);
	if (parse_count(number, &mib, err) < 0)
		return err_set(err, ERR_USAGE, "'%.40s' is not a Lambda memory size in MiB (128 to 10240)", text);
	if (mib < 128 || mib > 10240)
		return err_set(err, ERR_USAGE, "a Lambda function has 128 to 10,240 MiB; the nearest is %s",
			       mib < 128 ? "128" : "10,240");
	*h = (struct host){
		.kind = HOST_LAMBDA, .vcpu = (double)mib / 1769, .mem_mib = mib,
		.iops_base = NAN, .iops_max = NAN, .bw_base = NAN, .bw_max = NAN,
		/* The network benchmark, 2024-06-15: 0.57 to 0.62 Gbps after a burst of 2.0 to 2.75, at every size. */
		.net_base = 0.6e9, .net_peak = mib < 256 ? 2.1e9 : 2.7e9, .net_burst_s = NAN, .net_measured = true,
		.source = "sjakthol/aws-network-benchmark, 2024-06-15: measured, not documented",
	};
	snprintf(h->name, sizeof(h->name), "%llu MiB", (unsigned long long)mib);
	return 0;
}

char *host_typed(const struct host *h, char *buf, size_t size)
{
	*buf = '\0';
	if (h->kind == HOST_INSTANCE || h->kind == HOST_TASK)
		snprintf(buf, size, "%s", h->name);
	if (h->kind == HOST_LAMBDA)
		snprintf(buf, size, "lambda:%llu", (unsigned long long)h->mem_mib);
	return buf;
}

char *host_text(const struct host *h, char *buf, size_t size)
{
	char mem[FMT_LEN];

	switch (h ? h->kind : HOST_NONE) {
	case HOST_INSTANCE:
		snprintf(buf, size, "%s", h->name);
		break;
	case HOST_TASK:
		snprintf(buf, size, "task %g vCPU, %s", h->vcpu, fmt_size(mem, (double)h->mem_mib * (double)MIB));
		break;
	case HOST_LAMBDA:
		snprintf(buf, size, "Lambda %s", h->name);
		break;
	default:
		snprintf(buf, size, "none");
	}
	return buf;
}
