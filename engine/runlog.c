/* SPDX-License-Identifier: MIT */
#include "engine/runlog.h"

#include <math.h>
#include <stdio.h>
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
	struct device_lat device;
	struct outside	  outside[OUTSIDE_MAX]; /* pages that are not used cost nothing */
	size_t		  nr_outside;
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

/* Where a bin stands or would stand. */
static unsigned bin_place(const struct device_lat *d, uint64_t lower_us, uint64_t upper_us)
{
	unsigned i = 0;

	while (i < d->n && (d->bin[i].lower_us < lower_us || (d->bin[i].lower_us == lower_us && d->bin[i].upper_us < upper_us)))
		i++;
	return i;
}

void device_lat_add(struct device_lat *to, const struct device_lat *from)
{
	for (unsigned k = 0; k < from->n; k++) {
		unsigned i = bin_place(to, from->bin[k].lower_us, from->bin[k].upper_us);
		if (i < to->n && to->bin[i].lower_us == from->bin[k].lower_us && to->bin[i].upper_us == from->bin[k].upper_us) {
			for (int d = 0; d < DDIR_NR; d++)
				to->bin[i].ios[d] += from->bin[k].ios[d];
		} else if (to->n < DEVICE_BINS) {
			memmove(&to->bin[i + 1], &to->bin[i], (to->n - i) * sizeof(to->bin[0]));
			to->bin[i] = from->bin[k];
			to->n++;
		}
	}
}

double device_lat_at(const struct device_lat *d, double share)
{
	double all = 0, so_far = 0;

	for (unsigned i = 0; i < d->n; i++)
		all += (double)(d->bin[i].ios[DDIR_READ] + d->bin[i].ios[DDIR_WRITE]);
	for (unsigned i = 0; i < d->n; i++) {
		double n = (double)(d->bin[i].ios[DDIR_READ] + d->bin[i].ios[DDIR_WRITE]), want = share * all - so_far;
		if (n > 0 && want <= n)
			return 1e3 * ((double)d->bin[i].lower_us + (double)(d->bin[i].upper_us - d->bin[i].lower_us) * want / n);
		so_far += n;
	}
	return (double)NAN;
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
	clean_text(log->header.target, header->target, false); /* as a replay reads them: a path may hold any byte */
	clean_text(log->header.title, header->title, false);
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
	if (new_measurement(&log->last.s, &t->s)) {
		memset(log->display, 0, sizeof(log->display));
		log->device.n = 0;
	}
	device_lat_add(&log->device, &t->device);
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

void runlog_outside(struct runlog *log, const struct outside *o)
{
	pthread_mutex_lock(&log->lock);
	if (log->nr_outside < OUTSIDE_MAX)
		log->outside[log->nr_outside++] = *o;
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
	snprintf(log->end_text, sizeof(log->end_text), "%s", text ? text : "");
	clean_text(log->end_text, log->end_text, false);
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
	out->device = log->device;
	out->outside = log->outside;
	out->nr_outside = log->nr_outside;
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
