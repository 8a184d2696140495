/* SPDX-License-Identifier: MIT */
#include "engine/runlog.h"

#include <stdlib.h>
#include <string.h>

#define RESULTS_MAX 1024

struct runlog {
	pthread_mutex_t	  lock; /* guards all below; held for copies of some KiB, never for I/O */
	struct run_header header;
	struct timeline	 *tl;
	struct tick	  last;
	uint64_t	  display[DISPLAY_NR];
	struct event	  event[EVENTS_KEPT];
	size_t		  nr_events;
	struct result	 *result[RESULTS_MAX];
	size_t		  nr_results;
	enum run_end	  end;
	char		  end_text[256];
	uint64_t	  end_ns;
	uint64_t	  serial;
};

uint64_t display_low(unsigned i)
{
	return hist_low(i << DISPLAY_SHIFT);
}

struct runlog *runlog_new(const struct run_header *header)
{
	struct runlog *log = calloc(1, sizeof(*log));

	if (!log)
		return NULL;
	log->tl = timeline_new(TIMELINE_CAP);
	if (!log->tl) {
		free(log);
		return NULL;
	}
	pthread_mutex_init(&log->lock, NULL);
	log->header = *header;
	return log;
}

void runlog_free(struct runlog *log)
{
	if (!log)
		return;
	for (size_t i = 0; i < log->nr_results; i++)
		result_free(log->result[i]);
	timeline_unref(log->tl);
	json_decref(log->header.doc);
	pthread_mutex_destroy(&log->lock);
	free(log);
}

/* The display starts again with each test, each repetition and where its measured part begins. */
static bool new_measurement(const struct sample *before, const struct sample *now)
{
	return before->test != now->test || before->repeat != now->repeat ||
	       (before->phase != now->phase && now->phase <= PHASE_MEASURE);
}

void runlog_tick(struct runlog *log, const struct tick *t)
{
	pthread_mutex_lock(&log->lock);
	if (new_measurement(&log->last.s, &t->s))
		memset(log->display, 0, sizeof(log->display));
	for (unsigned i = 0; i < DISPLAY_NR; i++)
		log->display[i] += t->display[i];
	log->last = *t;
	if (timeline_append(log->tl, &t->s) < 0) {
		struct timeline *coarse = timeline_coarser(log->tl);
		if (coarse) { /* without memory the newest rows are dropped: the run goes on */
			timeline_unref(log->tl);
			log->tl = coarse;
			(void)timeline_append(log->tl, &t->s);
		}
	}
	log->serial++;
	pthread_mutex_unlock(&log->lock);
}

void runlog_event(struct runlog *log, const struct event *e)
{
	pthread_mutex_lock(&log->lock);
	if (log->nr_events == EVENTS_KEPT) {
		memmove(log->event, log->event + 1, sizeof(log->event) - sizeof(log->event[0]));
		log->nr_events--;
	}
	log->event[log->nr_events++] = *e;
	log->serial++;
	pthread_mutex_unlock(&log->lock);
}

void runlog_result(struct runlog *log, struct result *r)
{
	pthread_mutex_lock(&log->lock);
	if (log->nr_results < RESULTS_MAX)
		log->result[log->nr_results++] = r;
	else
		result_free(r);
	log->serial++;
	pthread_mutex_unlock(&log->lock);
}

void runlog_end(struct runlog *log, enum run_end end, uint64_t t_ns, const char *text)
{
	pthread_mutex_lock(&log->lock);
	log->end = end;
	log->end_ns = t_ns;
	strncpy(log->end_text, text ? text : "", sizeof(log->end_text) - 1);
	log->serial++;
	pthread_mutex_unlock(&log->lock);
}

void runlog_snap(struct runlog *log, struct runlog_snap *out)
{
	struct event *events = malloc(sizeof(log->event));

	pthread_mutex_lock(&log->lock);
	out->header = &log->header;
	out->tl = timeline_ref(log->tl);
	out->span = timeline_span(log->tl);
	out->last = log->last;
	memcpy(out->display, log->display, sizeof(out->display));
	out->nr_events = events ? log->nr_events : 0;
	if (events)
		memcpy(events, log->event, log->nr_events * sizeof(*events));
	out->events = events;
	/* Results are added at the end and never change nor move, so the array itself may be lent. */
	out->results = (const struct result *const *)log->result;
	out->nr_results = log->nr_results;
	out->end = log->end;
	memcpy(out->end_text, log->end_text, sizeof(out->end_text));
	out->end_ns = log->end_ns;
	out->serial = log->serial;
	pthread_mutex_unlock(&log->lock);
}

void runlog_snap_release(struct runlog_snap *s)
{
	if (!s->tl)
		return;
	timeline_unref(s->tl);
	free((void *)(uintptr_t)s->events);
	memset(s, 0, sizeof(*s));
}

uint64_t runlog_serial(struct runlog *log)
{
	pthread_mutex_lock(&log->lock);
	uint64_t n = log->serial;
	pthread_mutex_unlock(&log->lock);
	return n;
}
