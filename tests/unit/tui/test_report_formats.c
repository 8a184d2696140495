/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <expat.h>

#include "engine/import.h"
#include "engine/units.h"
#include "tui/canvas.h"
#include "tui/report.h"

/* A finished run, made by hand. */
struct made {
	struct run_header header;
	struct result *r[16];
	struct runlog_snap snap;
};

static struct result *add(struct made *m, const char *name, enum test_kind kind, enum rw rw, double iops, double bw)
{
	struct result *r = result_new();

	snprintf(r->name, sizeof(r->name), "%s", name);
	r->kind = kind;
	r->wl.rw = rw;
	r->wl.size = 256 * MIB;
	r->wl.bs = 8192;
	r->all.iops = iops;
	r->all.bw_bytes = bw;
	r->dir[DDIR_READ] = r->dir[DDIR_WRITE] = r->all;
	r->cpu_pct = 12.4;
	r->lat.n = 1;
	r->lat.pct[0] = 480e3;
	r->lat.max = 22.5e6;
	r->runtime_s = 2;
	m->r[m->snap.nr_results++] = r;
	return r;
}

static struct made *begin(const char *title)
{
	struct made *m = calloc(1, sizeof(*m));

	strcpy(m->header.version, "0.1.0");
	strcpy(m->header.title, title);
	strcpy(m->header.target, "/data");
	strcpy(m->header.started, "2026-12-01T05:00:00.000Z");
	m->header.time_scale = 1;
	m->header.doc = json_pack("{s:{s:s,s:i,s:I}}", "host", "hostname", "box", "cpus", 2, "memory_bytes", (json_int_t)(4 * GIB));
	m->snap.header = &m->header;
	m->snap.results = (const struct result *const *)m->r;
	m->snap.end = RUN_DONE;
	return m;
}

static void end(struct made *m)
{
	for (size_t i = 0; i < m->snap.nr_results; i++)
		result_free(m->r[i]);
	json_decref(m->header.doc);
	free(m);
}

static struct made *bonnie(const char *per_char)
{
	struct made *m = begin("bonnie");

	add(m, "write-char", TEST_CHAR, RW_WRITE, 1e6, 1000 * KIB)->more = json_pack("{s:s}", "per_char", per_char);
	add(m, "write-block", TEST_BLOCK, RW_WRITE, 1e4, 2000 * KIB);
	struct result *r = add(m, "rewrite", TEST_BLOCK, RW_RW, 1e4, 6000 * KIB);
	r->dir[DDIR_WRITE].bw_bytes = 3000 * KIB;
	add(m, "read-char", TEST_CHAR, RW_READ, 1e6, 4000 * KIB)->more = json_pack("{s:s}", "per_char", per_char);
	add(m, "read-block", TEST_BLOCK, RW_READ, 1e4, 5000 * KIB);
	add(m, "seeks", TEST_BLOCK, RW_RANDRW, 440, 1)->dir[DDIR_READ].iops = 399.5;
	add(m, "create-seq", TEST_FILE, RW_WRITE, 20000, 1)->more = json_pack("{s:{s:i,s:i,s:i,s:i}}", "files", "n", 16, "max", 0, "min", 0, "dirs", 0);
	add(m, "stat-seq", TEST_FILE, RW_READ, 1, 1)->too_short = true;
	return m;
}

static size_t fields(const char *line)
{
	size_t n = 1;

	for (; *line; line++)
		n += *line == ',';
	return n;
}

static void a_line_of_bonnie_has_the_fields_of_its_version(void **state)
{
	static const struct {
		char *(*make)(const struct runlog_snap *, struct err *);
		size_t fields;
		const char *start;
	} rows[] = {
		{ report_bonnie, 50, "1.98,2.00a,box,1,0,256M,,8192,5,1000,12,2000,12,3000,12,4000,12,5000,12,399.5,12,16,,,,,20000,12,+++++,+++,,," },
		{ report_bonnie_197, 48, "1.97,1.97,box,1,0,256M,,1000,12,2000,12,3000,12,4000,12,5000,12,399.5,12,16,,,,,20000,12,+++++,+++,,," },
		{ report_bonnie_103, 27, "box,256M,,,2000,12,3000,12,,,5000,12,399.5,12,16,20000,12,+++++,+++,,," },
	};
	struct made *m = bonnie("syscall");
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = rows[i].make(&m->snap, &err);
		assert_non_null(text);
		assert_int_equal(fields(text), rows[i].fields);
		assert_memory_equal(text, rows[i].start, strlen(rows[i].start));
		free(text);
	}
	end(m);
}

static void the_version_says_what_per_character_means(void **state)
{
	struct made *m = bonnie("stdio");
	struct err err;
	char *text = report_bonnie(&m->snap, &err);

	(void)state;
	assert_memory_equal(text, "1.98,1.03e,", 11);
	free(text);
	text = report_bonnie_103(&m->snap, &err);
	assert_memory_equal(text, "box,256M,1000,12,2000,12,3000,12,4000,12,", 41);
	free(text);
	end(m);
}

static void a_line_of_bonnie_reads_back_with_its_figures(void **state)
{
	static char *(*const make[])(const struct runlog_snap *, struct err *) = { report_bonnie, report_bonnie_197, report_bonnie_103 };
	struct made *m = bonnie("stdio");
	struct err err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char *text = make[i](&m->snap, &err);
		struct import_run run = { 0 };
		assert_int_equal(import_text(&run, "x", text, strlen(text), &err), 0);
		assert_int_equal(run.nr_tests, 8);
		assert_string_equal(run.test[2].r->name, "rewrite");
		assert_true(run.test[2].r->all.bw_bytes == 3000 * KIB);
		assert_true(run.test[5].r->all.iops == 399.5);
		assert_true(run.test[7].r->too_short);
		if (i != 1) /* a line of 1.97 by stdio says so in its second field */
			assert_int_equal(run.test[0].per_char, PER_CHAR_STDIO);
		import_release(&run);
		free(text);
	}
	end(m);
}

static void a_cpu_that_is_not_known_is_no_cpu_of_0_in_bonnies_line(void **state)
{
	static char *(*const make[])(const struct runlog_snap *, struct err *) = { report_bonnie, report_bonnie_197, report_bonnie_103 };
	struct made *m = bonnie("stdio");
	struct err err;

	(void)state;
	m->r[1]->cpu_pct = NAN;
	for (size_t i = 0; i < 3; i++) {
		char *text = make[i](&m->snap, &err);
		struct import_run run = { 0 };
		assert_non_null(strstr(text, ",2000,+++,3000,12,"));
		assert_int_equal(import_text(&run, "x", text, strlen(text), &err), 0);
		assert_true(isnan(run.test[1].r->cpu_pct));
		assert_true(run.test[1].r->all.bw_bytes == 2000 * KIB);
		import_release(&run);
		free(text);
	}
	end(m);
}

static void bonnies_line_is_for_bonnies_tests(void **state)
{
	struct made *m = begin("quick");
	struct err err;

	(void)state;
	add(m, "seq-read", TEST_BLOCK, RW_READ, 1, 1);
	assert_null(report_bonnie(&m->snap, &err));
	assert_int_equal(err.code, ERR_USAGE);
	end(m);
}

static void a_card_fits_80_columns_and_says_its_doubts(void **state)
{
	struct made *m = begin("card");
	struct err err;
	struct result *r = add(m, "SEQ1M Q8T1 read", TEST_BLOCK, RW_READ, 100, 100 * MIB);

	(void)state;
	r->cached = TRI_TRUE;
	result_warn(r, "cached: the workers did 1 GiB, storage moved 4 KiB; which is a long story that does not fit into one line of it");
	r->repeat[0] = (struct repeat){ 100, 100 * MIB };
	r->repeat[1] = (struct repeat){ 123, 123 * MIB };
	r->nr_repeats = 2;
	add(m, "SEQ1M Q8T1 write", TEST_BLOCK, RW_WRITE, 50, 50 * MIB);
	char *text = report_card(&m->snap, &err);
	assert_non_null(strstr(text, "best of 2"));
	assert_non_null(strstr(text, "123.00       123    480 µs!"));
	assert_non_null(strstr(text, "! SEQ1M Q8T1 read: cached"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(text_width(line) <= 80);
	free(text);
	end(m);
}

static void a_mix_has_its_reads_and_its_writes_in_their_columns_of_a_card(void **state)
{
	struct made *m = begin("card");
	struct err err;
	struct result *r = add(m, "mixed", TEST_BLOCK, RW_RANDRW, 1000, 100 * MIB);

	(void)state;
	r->dir[DDIR_READ].iops = 700;
	r->dir[DDIR_READ].bw_bytes = 70 * MIB;
	r->dir[DDIR_READ].lat.pct[0] = 480e3;
	r->dir[DDIR_WRITE].iops = 300;
	r->dir[DDIR_WRITE].bw_bytes = 30 * MIB;
	r->dir[DDIR_WRITE].lat.pct[0] = 960e3;
	r->repeat[0] = r->repeat[1] = (struct repeat){ 1000, 100 * MIB };
	r->nr_repeats = 2;
	char *text = report_card(&m->snap, &err);
	assert_non_null(strstr(text, "70.00       700    480 µs      30.00       300    960 µs"));
	assert_non_null(strstr(text, "! mixed: a mix of reads and writes, the mean of all"));
	free(text);
	end(m);
}

/* A run with a series, and names that are not harmless. */
static struct made *series(struct timeline **tl)
{
	struct made *m = begin("a<b>&\"c\"");
	struct result *r = add(m, "x & <y>", TEST_BLOCK, RW_RANDREAD, 3000, 3000 * 16384);

	*tl = timeline_new(200);
	for (unsigned i = 1; i <= 100; i++) {
		struct sample s = { .t_ns = i * 100000000ULL, .dt_ns = 100000000, .phase = PHASE_MEASURE, .model_iops = 3000,
				    .model_balance = NAN };
		s.dir[DDIR_READ].ios = 300;
		s.dir[DDIR_READ].bytes = 300 * 16384;
		s.dev[DDIR_READ].ios = 300;
		s.dev[DDIR_READ].bytes = 300 * 16384;
		s.dev[DDIR_WRITE].ios = s.dev[DDIR_WRITE].bytes = 1;
		timeline_append(*tl, &s);
	}
	r->start_s = 0;
	r->end_s = 10;
	r->verdict = VERDICT_PASS;
	strcpy(r->reason, "as < documented");
	r->more = json_pack("{s:{s:i,s:{s:i,s:f,s:s},s:n},s:[{s:s,s:f,s:f,s:i}],s:{s:{s:{s:f}},s:[[i,i,i,i]]}}", "expected", "iops_max", 3000,
			    "baseline", "iops", 3000, "mibps", 46.875, "bound_by", "volume iops", "burst", "phases", "kind", "steady", "start_s",
			    0.0, "end_s", 10.0, "iops", 3000, "device", "limits", "volume iops", "seconds", 9.5, "lat_us", 512, 1024, 30000, 0);
	json_object_set_new(m->header.doc, "volumes", json_pack("[{s:s,s:i,s:i,s:i}]", "type", "gp3", "size_gib", 500, "iops", 3000,
								"throughput_mibps", 125));
	m->snap.tl = *tl;
	m->snap.span = timeline_span(*tl);
	return m;
}

static void a_picture_is_well_formed_whatever_the_names_are(void **state)
{
	struct timeline *tl;
	struct made *m = series(&tl);
	struct err err;
	char *text = report_svg(&m->snap, &err);

	(void)state;
	assert_non_null(text);
	XML_Parser p = XML_ParserCreate(NULL);
	assert_int_equal(XML_Parse(p, text, (int)strlen(text), 1), XML_STATUS_OK);
	XML_ParserFree(p);
	assert_non_null(strstr(text, "documented 3,000"));
	assert_non_null(strstr(text, "x &amp; &lt;y&gt;"));
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "href"));
	free(text);
	end(m);
	timeline_unref(tl);
}

static void a_series_of_depths_has_the_limits_that_its_result_was_held_against(void **state)
{
	struct made *m = begin("sweep");
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct result *r = add(m, "depth", TEST_BLOCK, RW_RANDREAD, 1000 << i, (1000 << i) * 16384);
		r->wl = *workload_find("iops");
		r->wl.iodepth = 1u << i;
		m->header.planned[m->header.nr_planned].wl = r->wl;
		m->header.planned[m->header.nr_planned++].kind = TEST_BLOCK;
	}
	m->r[0]->more = json_pack("{s:{s:[{s:s,s:f},{s:s,s:n}]}}", "expected", "limits", "name", "volume", "iops", 4321.0, "name", "host",
				  "iops");
	char *text = report_svg(&m->snap, &err);
	assert_non_null(strstr(text, "IOPS by iodepth"));
	assert_non_null(strstr(text, ">volume 4,321<"));
	assert_null(strstr(text, "host"));
	assert_null(strstr(text, "nan"));
	free(text);
	end(m);
}

static void a_run_without_a_sample_has_a_picture_too(void **state)
{
	struct made *m = begin("quick");
	struct err err;
	char *text = report_svg(&m->snap, &err);

	(void)state;
	assert_non_null(text);
	assert_null(strstr(text, "nan"));
	free(text);
	end(m);
}

static void what_the_volume_counts_has_the_csi_drivers_names(void **state)
{
	struct timeline *tl;
	struct made *m = series(&tl);
	struct err err;
	char *text = report_openmetrics(&m->snap, &err);

	(void)state;
	assert_non_null(strstr(text, "\naws_ebs_csi_read_ops_total 30000\n"));
	assert_non_null(strstr(text, "\naws_ebs_csi_exceeded_iops_seconds_total 9.5\n"));
	assert_non_null(strstr(text, "aws_ebs_csi_read_io_latency_seconds_bucket{le=\"0.001024\"} 30000\n"));
	assert_null(strstr(text, "exceeded_tp")); /* no figure, no line */
	assert_null(strstr(text, "instance_id")); /* not known, no label */
	assert_non_null(strstr(text, "ebscope_provisioned_bytes_per_second{type=\"gp3\"} 131072000\n"));
	assert_non_null(strstr(text, "title=\"a<b>&\\\"c\\\"\""));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
	end(m);
	timeline_unref(tl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_bonnie_has_the_fields_of_its_version),
		cmocka_unit_test(the_version_says_what_per_character_means),
		cmocka_unit_test(a_line_of_bonnie_reads_back_with_its_figures),
		cmocka_unit_test(a_cpu_that_is_not_known_is_no_cpu_of_0_in_bonnies_line),
		cmocka_unit_test(bonnies_line_is_for_bonnies_tests),
		cmocka_unit_test(a_picture_is_well_formed_whatever_the_names_are),
		cmocka_unit_test(a_series_of_depths_has_the_limits_that_its_result_was_held_against),
		cmocka_unit_test(a_run_without_a_sample_has_a_picture_too),
		cmocka_unit_test(what_the_volume_counts_has_the_csi_drivers_names),
		cmocka_unit_test(a_card_fits_80_columns_and_says_its_doubts),
		cmocka_unit_test(a_mix_has_its_reads_and_its_writes_in_their_columns_of_a_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
