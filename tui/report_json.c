/* SPDX-License-Identifier: MIT */
#include "tui/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/iperf_json.h"
#include "engine/knee.h"
#include "engine/recorder.h"

static json_t *member(const struct run_header *h, const char *key)
{
	json_t *v = json_object_get(h->doc, key);

	return v ? json_incref(v) : json_null();
}

static json_t *warnings_of(const struct runlog_snap *run)
{
	json_t *list = json_array();

	if (run->end == RUN_INTERRUPTED)
		json_array_append_new(list, json_string("interrupted: the recording has no end"));
	if (run->end == RUN_STOPPED || run->end == RUN_SIGNAL)
		json_array_append_new(list, json_pack("s+", run->end == RUN_SIGNAL ? "ended by signal: " : "ended by hand ",
						      run->end_text));
	return list;
}

json_t *report_json_doc(const struct runlog_snap *run)
{
	const struct run_header *h = run->header;
	json_t *o = json_object(), *tests = json_array();
	const char *verdict = verdict_name(report_verdict(run));

	json_object_set_new(o, "schema", json_string("ebscope/1"));
	json_object_set_new(o, "version", json_text(h->version));
	json_object_set_new(o, "started", json_text(h->started));
	json_object_set_new(o, "title", json_text(h->title));
	json_object_set_new(o, "host", member(h, "host"));
	json_object_set_new(o, "targets", member(h, "targets"));
	json_object_set_new(o, "volumes", member(h, "volumes"));
	json_object_set_new(o, "shaped", json_boolean(h->shaped));
	json_object_set_new(o, "simulated", json_boolean(h->simulated));
	json_object_set_new(o, "time_scale", json_num(h->time_scale));
	json_object_set_new(o, "as_of", member(h, "as_of"));
	json_object_set_new(o, "as_of_stale", member(h, "as_of_stale"));
	json_object_set_new(o, "ended", json_text(run_end_name(run->end)));
	json_object_set_new(o, "warnings", warnings_of(run));
	if (run->end == RUN_ERROR)
		json_object_set_new(o, "error", json_pack("{s:i,s:o}", "code", 3, "message", json_text(run->end_text)));
	for (size_t i = 0; i < run->nr_results; i++) {
		json_t *test = result_to_json(run->results[i]);
		json_object_del(test, IPERF_KEPT); /* each second of each stream: a format of its own */
		json_array_append_new(tests, test);
	}
	json_object_set_new(o, "tests", tests);
	struct knee knee;
	if (knee_find(run->results, run->nr_results, &knee))
		json_object_set_new(o, "sweep", knee_to_json(&knee));
	json_object_set_new(o, "verdict", json_text(verdict));
	return o;
}

char *report_json(const struct runlog_snap *run, struct err *err)
{
	json_t *o = report_json_doc(run);
	char *text = json_text_of(o, true), *line = NULL;

	json_decref(o);
	if (text && (line = realloc(text, strlen(text) + 2)))
		strcat(line, "\n");
	if (!line)
		err_set(err, ENOMEM, "no memory");
	return line;
}
