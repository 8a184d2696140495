/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aws/nvme.h"
#include "engine/units.h"

/*
 * OpenMetrics text. What the EBS volume itself counts has the names and labels that the AWS EBS CSI driver gives it
 * (pkg/metrics/nvme.go, 2026-08), so that a dashboard made for those shows a run too; the counters begin with the run. A
 * counter that the run could not read is left out. Figures of the tests are ebscope_…
 */

static void escaped(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", f);
		else {
			if (*s == '"' || *s == '\\')
				fputc('\\', f);
			fputc(*s, f);
		}
	}
}

static void label(FILE *f, bool *any, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(f, "%s%s=\"", *any ? "," : "{", name);
	escaped(f, value);
	fputc('"', f);
	*any = true;
}

static void value(FILE *f, bool labels, double v)
{
	fprintf(f, "%s %.15g\n", labels ? "}" : "", v);
}

static void family(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

/* --- what the device counts --- */

struct device {
	const struct runlog_snap *run;
	const char *volume_id, *instance_id;
	uint64_t ios[DDIR_NR], bytes[DDIR_NR];
	bool known; /* of ios and bytes */
};

static void device_labels(FILE *f, const struct device *d, bool *any)
{
	label(f, any, "instance_id", d->instance_id);
	label(f, any, "volume_id", d->volume_id);
}

static void device_sample(FILE *f, const struct device *d, const char *name, double v)
{
	bool any = false;

	fputs(name, f);
	device_labels(f, d, &any);
	value(f, any, v);
}

static void count_device(struct device *d)
{
	for (size_t i = 0; i < d->run->span.n; i++) {
		const struct sample *s = &d->run->span.row[i];
		for (int k = 0; k < DDIR_NR; k++) {
			if (s->dev[k].ios == DEV_NONE || s->dev[k].bytes == DEV_NONE)
				continue;
			d->known = true;
			d->ios[k] += s->dev[k].ios;
			d->bytes[k] += s->dev[k].bytes;
		}
	}
}

/* Seconds at a limit, all tests together; NAN where no test has them. */
static double at_limit(const struct runlog_snap *run, const char *name)
{
	double sum = NAN;

	for (size_t i = 0; i < run->nr_results; i++) {
		const json_t *limits = json_object_get(json_object_get(run->results[i]->more, "device"), "limits");
		double s = json_get_num(json_object_get(limits, name), "seconds", NAN);
		if (!isnan(s))
			sum = isnan(sum) ? s : sum + s;
	}
	return sum;
}

#define BINS_MAX 64
/* Rows of [lower, upper, reads, writes] of all tests, by their upper bound. */
static size_t latency_bins(const struct runlog_snap *run, double *upper, double (*count)[DDIR_NR])
{
	size_t n = 0, k;
	json_t *row;

	for (size_t i = 0; i < run->nr_results; i++) {
		const json_t *lat = json_object_get(json_object_get(run->results[i]->more, "device"), "lat_us");
		json_array_foreach(lat, k, row) {
			double top = json_number_value(json_array_get(row, 1)) / 1e6;
			size_t at = 0;
			while (at < n && upper[at] < top)
				at++;
			if (at == n || upper[at] > top) {
				if (n == BINS_MAX)
					continue;
				memmove(&upper[at + 1], &upper[at], (n - at) * sizeof(*upper));
				memmove(&count[at + 1], &count[at], (n - at) * sizeof(*count));
				upper[at] = top;
				count[at][0] = count[at][1] = 0;
				n++;
			}
			for (int d = 0; d < DDIR_NR; d++)
				count[at][d] += json_number_value(json_array_get(row, 2 + (size_t)d));
		}
	}
	return n;
}

static void latency_histogram(FILE *f, const struct device *d, enum ddir dir, const char *name, const char *help)
{
	double upper[BINS_MAX], count[BINS_MAX][DDIR_NR], sum = 0;
	size_t n = latency_bins(d->run, upper, count);

	if (!n)
		return;
	family(f, name, "histogram", help);
	for (size_t i = 0; i <= n; i++) {
		char le[32] = "+Inf";
		bool any = false;

		sum += i < n ? count[i][dir] : 0;
		if (i < n)
			snprintf(le, sizeof(le), "%.15g", upper[i]);
		fprintf(f, "%s_bucket", name);
		device_labels(f, d, &any);
		label(f, &any, "le", le);
		value(f, any, sum);
	}
	char total[96];
	snprintf(total, sizeof(total), "%s_count", name);
	device_sample(f, d, total, sum);
}

static void device_metrics(FILE *f, const struct runlog_snap *run)
{
	const json_t *target = json_array_get(json_object_get(run->header->doc, "targets"), 0);
	struct device d = { .run = run, .volume_id = json_get_text(target, "volume_id", ""),
			    .instance_id = json_get_text(json_object_get(run->header->doc, "host"), "instance_id", "") };
	char name[96];

	count_device(&d);
	const struct {
		const char *name, *help;
		double v;
	} counters[] = {
		{ "read_ops", "The number of completed read operations.", d.known ? (double)d.ios[DDIR_READ] : NAN },
		{ "write_ops", "The number of completed write operations.", d.known ? (double)d.ios[DDIR_WRITE] : NAN },
		{ "read_bytes", "The number of read bytes transferred.", d.known ? (double)d.bytes[DDIR_READ] : NAN },
		{ "write_bytes", "The number of write bytes transferred.", d.known ? (double)d.bytes[DDIR_WRITE] : NAN },
		{ "exceeded_iops_seconds", "Time that demand was over the volume's IOPS.", at_limit(run, "volume iops") },
		{ "exceeded_tp_seconds", "Time that demand was over the volume's throughput.", at_limit(run, "volume throughput") },
		{ "ec2_exceeded_iops_seconds", "Time that the volume was over the instance's IOPS.", at_limit(run, "host iops") },
		{ "ec2_exceeded_tp_seconds", "Time that the volume was over the instance's throughput.", at_limit(run, "host throughput") },
	};
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		if (isnan(counters[i].v))
			continue;
		snprintf(name, sizeof(name), "aws_ebs_csi_%s", counters[i].name);
		family(f, name, "counter", counters[i].help);
		strcat(name, "_total");
		device_sample(f, &d, name, counters[i].v);
	}
	latency_histogram(f, &d, DDIR_READ, "aws_ebs_csi_read_io_latency_seconds", "Read operations completed within each latency bin.");
	latency_histogram(f, &d, DDIR_WRITE, "aws_ebs_csi_write_io_latency_seconds", "Write operations completed within each latency bin.");
}

/* --- what is bought --- */

static void provisioned(FILE *f, const struct runlog_snap *run, const char *name, const char *help, const char *key, double scale)
{
	const json_t *list = json_object_get(run->header->doc, "volumes");
	const json_t *target = json_array_get(json_object_get(run->header->doc, "targets"), 0);
	size_t n = json_array_size(list);
	bool begun = false;

	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_array_get(list, i);
		double figure = json_get_num(v, key, NAN);
		char index[24];
		bool any = false;

		if (isnan(figure))
			continue;
		if (!begun)
			family(f, name, "gauge", help);
		begun = true;
		snprintf(index, sizeof(index), "%zu", i);
		fputs(name, f);
		label(f, &any, "volume_id", n == 1 ? json_get_text(target, "volume_id", "") : "");
		label(f, &any, "type", json_get_text(v, "type", ""));
		label(f, &any, "volume", n > 1 ? index : "");
		value(f, any, figure * scale);
	}
}

/* --- the tests --- */

enum pick { PICK_IOPS, PICK_BW, PICK_READ_IOPS, PICK_READ_BW, PICK_WRITE_IOPS, PICK_WRITE_BW, PICK_EXPECTED, PICK_CACHED, PICK_ERRORS };

static double pick(const struct result *r, enum pick p)
{
	switch (p) {
	case PICK_IOPS:
		return r->all.iops;
	case PICK_BW:
		return r->all.bw_bytes;
	case PICK_READ_IOPS:
		return r->dir[DDIR_READ].ios ? r->dir[DDIR_READ].iops : NAN;
	case PICK_READ_BW:
		return r->dir[DDIR_READ].ios ? r->dir[DDIR_READ].bw_bytes : NAN;
	case PICK_WRITE_IOPS:
		return r->dir[DDIR_WRITE].ios ? r->dir[DDIR_WRITE].iops : NAN;
	case PICK_WRITE_BW:
		return r->dir[DDIR_WRITE].ios ? r->dir[DDIR_WRITE].bw_bytes : NAN;
	case PICK_EXPECTED:
		return json_get_num(json_object_get(r->more, "expected"), "iops_max", NAN);
	case PICK_CACHED:
		return r->cached == TRI_NULL ? NAN : r->cached == TRI_TRUE;
	default:
		return (double)r->errors;
	}
}

static void test_gauges(FILE *f, const struct runlog_snap *run)
{
	static const struct {
		const char *name, *help;
		enum pick pick;
	} rows[] = {
		{ "ebscope_iops", "I/Os per second of the workers, both directions.", PICK_IOPS },
		{ "ebscope_bytes_per_second", "Bytes per second of the workers, both directions.", PICK_BW },
		{ "ebscope_read_iops", "Reads per second.", PICK_READ_IOPS },
		{ "ebscope_read_bytes_per_second", "Bytes read per second.", PICK_READ_BW },
		{ "ebscope_write_iops", "Writes per second.", PICK_WRITE_IOPS },
		{ "ebscope_write_bytes_per_second", "Bytes written per second.", PICK_WRITE_BW },
		{ "ebscope_expected_iops", "I/Os per second that the documents allow.", PICK_EXPECTED },
		{ "ebscope_cached", "1: memory, not storage, was measured.", PICK_CACHED },
		{ "ebscope_errors", "I/Os that failed.", PICK_ERRORS },
	};

	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		bool begun = false;
		for (size_t i = 0; i < run->nr_results; i++) {
			double v = pick(run->results[i], rows[k].pick);
			bool any = false;

			if (!isfinite(v))
				continue;
			if (!begun)
				family(f, rows[k].name, "gauge", rows[k].help);
			begun = true;
			fputs(rows[k].name, f);
			label(f, &any, "test", run->results[i]->name);
			value(f, any, v);
		}
	}
}

static void latencies(FILE *f, const struct runlog_snap *run)
{
	static const char name[] = "ebscope_latency_seconds";
	char quantile[16];

	family(f, name, "summary", "Latency of the workers' I/Os.");
	for (size_t i = 0; i < run->nr_results; i++) {
		const struct result *r = run->results[i];
		bool any;

		for (int k = 0; k <= LAT_PCT_NR && r->lat.n; k++) {
			double v = k < LAT_PCT_NR ? r->lat.pct[k] : r->lat.max;
			if (!isfinite(v))
				continue;
			snprintf(quantile, sizeof(quantile), "%g", k < LAT_PCT_NR ? lat_pct[k] / 100 : 1);
			any = false;
			fputs(name, f);
			label(f, &any, "test", r->name);
			label(f, &any, "quantile", quantile);
			value(f, any, v / 1e9);
		}
		any = false;
		fprintf(f, "%s_count", name);
		label(f, &any, "test", r->name);
		fprintf(f, "} %" PRIu64 "\n", r->lat.n);
	}
}

static void verdicts(FILE *f, const struct runlog_snap *run)
{
	family(f, "ebscope_verdict", "gauge", "1 beside the verdict that a test has.");
	for (size_t i = 0; i < run->nr_results; i++) {
		bool any = false;

		if (run->results[i]->verdict == VERDICT_NONE)
			continue;
		fputs("ebscope_verdict", f);
		label(f, &any, "test", run->results[i]->name);
		label(f, &any, "verdict", verdict_name(run->results[i]->verdict));
		value(f, any, 1);
	}
}

char *report_openmetrics(const struct runlog_snap *run, struct err *err)
{
	const struct run_header *h = run->header;
	const json_t *host = json_object_get(h->doc, "host");
	char *out = NULL;
	size_t len = 0;
	bool any = false;

	FILE *f = open_memstream(&out, &len);
	if (!f)
		return err_sys(err, "no memory"), NULL;
	family(f, "ebscope_run", "info", "What was run.");
	fputs("ebscope_run_info", f);
	label(f, &any, "version", h->version);
	label(f, &any, "title", h->title);
	label(f, &any, "target", h->target);
	label(f, &any, "started", h->started);
	label(f, &any, "hostname", json_get_text(host, "hostname", ""));
	label(f, &any, "instance_type", json_get_text(host, "instance_type", ""));
	label(f, &any, "task", json_get_text(host, "task", ""));
	label(f, &any, "shaped", h->shaped ? "true" : "false");
	label(f, &any, "simulated", h->simulated ? "true" : "false");
	label(f, &any, "end", run_end_name(run->end));
	value(f, any, 1);
	device_metrics(f, run);
	provisioned(f, run, "ebscope_provisioned_iops", "IOPS that the volume has by its size or as bought.", "iops", 1);
	provisioned(f, run, "ebscope_provisioned_bytes_per_second", "Throughput that the volume has.", "throughput_mibps", (double)MIB);
	test_gauges(f, run);
	latencies(f, run);
	verdicts(f, run);
	fputs("# EOF\n", f);
	fclose(f);
	return out;
}
