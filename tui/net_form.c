/* SPDX-License-Identifier: MIT */
#include "tui/net_form.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/shape.h"
#include "engine/units.h"

static const char *const preset_choices[] = { "own", "fargate", "lambda", NULL };
static const char *const direction_choices[] = { "send", "receive", "both", NULL };

static const struct form_row rows[NF_NR] = {
	[NF_PEER] = { "peer", FORM_TEXT, 0, 0, true,
		      "an iperf3 server, HOST or HOST:PORT; or sim:net:0.25:512MiB", NULL },
	[NF_PRESET] = { "preset", FORM_CHOICE, 1, 0, false,
			"as the published measurements were made, or your own", preset_choices },
	[NF_DIRECTION] = { "we", FORM_CHOICE, 1, 1, false, "who sends: we, the peer, or both at once",
			   direction_choices },
	[NF_STREAMS] = { "streams", FORM_TEXT, 2, 0, false, "connections in each direction, 1 to 128", NULL },
	[NF_TIME] = { "time", FORM_TEXT, 2, 1, false, "how long, wall time: 30s, 15m", NULL },
	[NF_OMIT] = { "omit", FORM_TEXT, 3, 0, false, "leave out the first seconds, 0 to 600", NULL },
	[NF_SCALE] = { "time ×", FORM_TEXT, 3, 1, false,
		       "a simulated network spends its credits so many times faster", NULL },
	[NF_HOST] = { "host", FORM_TEXT, 4, 0, false,
		      "where this runs: 0.25:512MiB, m5.large, lambda:1024; empty: not known", NULL },
	[NF_START] = { "Start", FORM_BUTTON, 4, 1, false, "Enter starts", NULL },
};

static void set_value(struct net_form *s, enum net_field f, const char *text)
{
	snprintf(s->form.field[f].value, FORM_VALUE_MAX, "%s", text);
	s->form.field[f].error[0] = 0;
}

static void set_number(struct net_form *s, enum net_field f, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	set_value(s, f, text);
}

/* What follows from the fields: the expectation, and which of them mean nothing. */
static void refresh(struct net_form *s)
{
	s->form.field[NF_SCALE].off = !s->setup.simulated;
	s->form.field[NF_HOST].off = s->setup.simulated;
	net_expect_of(&s->setup.on, (unsigned)s->setup.params.parallel, s->setup.cluster, &s->expect);
}

/* The values of the setup, as if they had been typed. */
static void show(struct net_form *s)
{
	const struct iperf_params *p = &s->setup.params;
	char text[64];

	set_value(s, NF_PRESET, s->setup.preset[0] ? s->setup.preset : "own");
	set_value(s, NF_DIRECTION, net_direction_name(net_setup_direction(&s->setup)));
	set_number(s, NF_STREAMS, p->parallel);
	snprintf(text, sizeof(text), p->time_s && p->time_s % 60 == 0 ? "%" PRIu64 "m" : "%" PRIu64 "s",
		 p->time_s && p->time_s % 60 == 0 ? p->time_s / 60 : p->time_s);
	set_value(s, NF_TIME, text);
	set_number(s, NF_OMIT, p->omit_s);
	snprintf(text, sizeof(text), "%g", s->setup.time_scale);
	set_value(s, NF_SCALE, text);
}

static void fill_in_found(struct net_form *s)
{
	char text[FORM_VALUE_MAX];

	if (s->found.kind == HOST_NONE || s->setup.simulated || s->setup.on.kind != HOST_NONE ||
	    s->form.field[NF_HOST].value[0] || s->form.focus == NF_HOST)
		return;
	s->setup.on = s->found;
	set_value(s, NF_HOST, host_typed(&s->found, text, sizeof(text)));
}

static int take_peer(struct net_form *s, const char *text, struct err *err)
{
	struct net_setup next = s->setup;

	s->has_peer = false;
	if (!*text)
		return 0;
	if (next.simulated && net_host_parse(&next.on, s->form.field[NF_HOST].value, s->limits, err) < 0)
		next.on = (struct host){ .kind = HOST_NONE }; /* what was simulated is no host of a real test */
	next.simulated = false;
	next.port = IPERF_PORT;
	if (net_setup_target(&next, text, s->limits, err) < 0)
		return -1;
	s->setup = next;
	s->has_peer = true;
	fill_in_found(s);
	return 0;
}

static int take_preset(struct net_form *s, const char *text, struct err *err)
{
	s->setup.preset[0] = '\0';
	if (strcmp(text, "own") == 0)
		return 0;
	s->setup.params.bidir = false;
	if (net_setup_preset(&s->setup, text, err) < 0)
		return -1;
	show(s);
	return 0;
}

static int take_number(struct net_form *s, const char *text, uint64_t min, uint64_t max, uint64_t *out,
		       struct err *err)
{
	uint64_t v;

	if (parse_count(text, &v, err) < 0)
		return -1;
	if (v < min || v > max)
		return err_set(err, ERR_USAGE, "%" PRIu64 " to %" PRIu64, min, max);
	*out = v;
	s->setup.preset[0] = '\0'; /* no longer as published */
	set_value(s, NF_PRESET, "own");
	return 0;
}

static int take_time(struct net_form *s, const char *text, uint64_t min, uint64_t max, uint64_t *out,
		     struct err *err)
{
	uint64_t ns;
	char seconds[32];

	if (parse_time(text, &ns, err) < 0)
		return -1;
	if (ns % NS_PER_SEC)
		return err_set(err, ERR_USAGE, "the protocol has whole seconds only");
	snprintf(seconds, sizeof(seconds), "%" PRIu64, (uint64_t)(ns / NS_PER_SEC));
	return take_number(s, seconds, min, max, out, err);
}

static int take_scale(struct net_form *s, const char *text, struct err *err)
{
	return shape_scale_parse(text, &s->setup.time_scale, err);
}

static int take_host(struct net_form *s, const char *text, struct err *err)
{
	struct host h;

	if (s->setup.simulated)
		return 0;
	if (net_host_parse(&h, text, s->limits, err) < 0)
		return -1;
	s->setup.on = h;
	return 0;
}

static int take_direction(struct net_form *s, const char *text)
{
	s->setup.params.reverse = strcmp(text, "receive") == 0;
	s->setup.params.bidir = strcmp(text, "both") == 0;
	s->setup.preset[0] = '\0';
	set_value(s, NF_PRESET, "own");
	return 0;
}

static int take(void *owner, int field, const char *text, struct err *err)
{
	struct net_form *s = owner;
	struct iperf_params *p = &s->setup.params;
	int rc = 0;

	switch ((enum net_field)field) {
	case NF_PEER:
		rc = take_peer(s, text, err);
		break;
	case NF_PRESET:
		rc = take_preset(s, text, err);
		break;
	case NF_DIRECTION:
		rc = take_direction(s, text);
		break;
	case NF_STREAMS:
		rc = take_number(s, text, 1, IPERF_STREAMS_MAX, &p->parallel, err);
		break;
	case NF_TIME:
		rc = take_time(s, text, 1, IPERF_TIME_MAX, &p->time_s, err);
		break;
	case NF_OMIT:
		rc = take_time(s, text, 0, 600, &p->omit_s, err);
		break;
	case NF_SCALE:
		rc = take_scale(s, text, err);
		break;
	case NF_HOST:
		rc = take_host(s, text, err);
		break;
	default:
		break;
	}
	refresh(s);
	return rc;
}

void net_form_init(struct net_form *s, const struct limits *limits)
{
	*s = (struct net_form){ .limits = limits };
	s->form = (struct form){ .row = rows, .nr = NF_NR, .take = take, .owner = s };
	net_setup_init(&s->setup);
	s->setup.time_scale = 60;
	show(s);
	form_focus(&s->form, NF_PEER);
	refresh(s);
}

int net_form_set(struct net_form *s, enum net_field f, const char *text, struct err *err)
{
	return form_set(&s->form, (int)f, text, err);
}

void net_form_take(struct net_form *s, const struct net_setup *setup)
{
	char text[FORM_VALUE_MAX], host[64];

	s->setup = *setup;
	s->has_peer = *setup->peer != '\0';
	show(s);
	if (setup->simulated || !*setup->peer)
		snprintf(text, sizeof(text), "%.255s", setup->peer);
	else
		snprintf(text, sizeof(text),
			 strchr(setup->peer, ':') && *setup->peer != '[' ? "[%.240s]:%u" : "%.240s:%u",
			 setup->peer, setup->port);
	set_value(s, NF_PEER, text);
	set_value(s, NF_HOST, setup->simulated ? "" : host_typed(&setup->on, host, sizeof(host)));
	fill_in_found(s);
	form_focus(&s->form, NF_START);
	refresh(s);
}

void net_form_host(struct net_form *s, const struct host *h)
{
	s->found = *h;
	fill_in_found(s);
	refresh(s);
}

enum net_answer net_form_key(struct net_form *s, struct key k, enum action act)
{
	switch (form_key(&s->form, k, act)) {
	case FORM_PRESSED:
		return NET_START;
	case FORM_LEFT: /* round, past the last field and before the first */
		form_focus(&s->form, s->form.focus == NF_PEER ? NF_START : NF_PEER);
		return NET_DONE;
	case FORM_DONE:
		return NET_DONE;
	default:
		return NET_PASS;
	}
}
