/* SPDX-License-Identifier: MIT */
#include "aws/netrun.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/netsim.h"
#include "engine/clock.h"
#include "engine/units.h"

/* After sjakthol/aws-network-benchmark, 2024-06-15: so that figures compare with the published ones. */
const struct net_preset net_presets[] = {
	{ "fargate", "10 streams, the server sends, 15 minutes: as the published figures of task sizes", 10,
	  900, true },
	{ "lambda", "1 stream, the client sends, 60 minutes: as the published figures of functions", 1, 3600,
	  false },
	{ NULL, NULL, 0, 0, false },
};

void net_setup_init(struct net_setup *s)
{
	*s = (struct net_setup){ .port = IPERF_PORT,
				 .family = AF_UNSPEC,
				 .time_scale = 1,
				 .credits = 1,
				 .interval_ns = NS_PER_SEC };
	iperf_params_init(&s->params);
}

int net_setup_preset(struct net_setup *s, const char *name, struct err *err)
{
	for (const struct net_preset *p = net_presets; p->name; p++) {
		if (strcmp(p->name, name) != 0)
			continue;
		s->params.parallel = p->streams;
		s->params.time_s = p->seconds;
		s->params.reverse = p->reverse;
		snprintf(s->preset, sizeof(s->preset), "%s", name);
		return 0;
	}
	return err_set(err, ERR_USAGE, "'%.40s' is not a preset: fargate, lambda", name);
}

int net_host_parse(struct host *h, const char *text, const struct limits *limits, struct err *err)
{
	*h = (struct host){ .kind = HOST_NONE };
	if (!*text || strcmp(text, "none") == 0)
		return 0;
	if (strncmp(text, "lambda:", 7) == 0)
		return host_lambda(h, text + 7, err);
	return *text >= '0' && *text <= '9' ? host_task(h, limits, text, err)
					    : host_instance(h, limits, text, err);
}

static int sim_target(struct net_setup *s, const char *task, const struct limits *limits, struct err *err)
{
	if (net_host_parse(&s->on, task, limits, err) < 0)
		return err_wrap(err, "sim:net");
	if (s->on.kind == HOST_NONE)
		return err_set(err, ERR_USAGE,
			       "sim:net:TASK names what to simulate: 0.25:512MiB, m5.large, lambda:1024");
	s->simulated = true;
	snprintf(s->peer, sizeof(s->peer), "sim:net:%.200s", task);
	return 0;
}

int net_setup_target(struct net_setup *s, const char *text, const struct limits *limits, struct err *err)
{
	if (strncmp(text, "sim:net:", 8) == 0)
		return sim_target(s, text + 8, limits, err);
	if (strcmp(text, "sim:net") == 0 || strcmp(text, "sim:") == 0)
		return sim_target(s, "", limits, err);
	const char *colon = strrchr(text, ':'), *bracket = strrchr(text, ']');
	size_t len = strlen(text);
	/* The colon in front of a port; those inside an IPv6 address are none. */
	bool port = colon && (bracket ? colon > bracket : strchr(text, ':') == colon);
	if (port) {
		uint64_t n;
		if (parse_count(colon + 1, &n, err) < 0 || n < 1 || n > 65535)
			return err_set(err, ERR_USAGE, "'%.60s': a port is 1 to 65535", text);
		s->port = (uint16_t)n;
		len = (size_t)(colon - text);
	}
	if (!len || len >= sizeof(s->peer))
		return err_set(err, ERR_USAGE,
			       "'%.60s': a host is a name or an address, with :PORT behind it", text);
	memcpy(s->peer, text, len);
	s->peer[len] = '\0';
	return 0;
}

enum net_direction net_setup_direction(const struct net_setup *s)
{
	return s->params.bidir ? NET_BOTH : s->params.reverse ? NET_RECEIVE : NET_SEND;
}

double net_credit_spent(const struct net_expect *e, enum net_direction dir, const struct net_sample *s)
{
	/* Each direction has its own bucket; of two the one that empties first counts. */
	double bytes = dir == NET_RECEIVE ? (double)s->received : (double)s->sent;

	if (dir == NET_BOTH && s->received > s->sent)
		bytes = (double)s->received;
	return bytes - e->base_bps / 8 * clock_seconds(s->dt_ns);
}

/* --- the test --- */

static void on_sample(void *ctx, const struct net_sample *s)
{
	struct netrun *r = ctx;

	/* Without memory the figures of the test stay right; only its series ends here. */
	(void)net_series_add(&r->series, s);
	if (r->hooks && r->hooks->sample)
		r->hooks->sample(r->hooks->ctx, s);
}

static void on_note(void *ctx, const char *text)
{
	struct netrun *r = ctx;

	if (r->hooks && r->hooks->note)
		r->hooks->note(r->hooks->ctx, text);
}

static void on_connected(void *ctx, const struct net_addr *local, const struct net_addr *peer)
{
	struct netrun *r = ctx;

	netdev_of(local, r->card);
	r->card_known = netdev_read(r->card, &r->card_before);
	r->ena_known = ena_read(r->card, &r->ena_before);
	if (!r->ena_known)
		ena_missing_text(&r->ena_before, r->card, r->ena_missing, sizeof(r->ena_missing));
	if (r->hooks && r->hooks->connected)
		r->hooks->connected(r->hooks->ctx, local, peer);
}

static void card_after(struct netrun *r)
{
	struct netdev now;
	struct ena ena;

	r->card_known = r->card_known && netdev_read(r->card, &now);
	if (r->card_known)
		r->card_moved = netdev_delta(&r->card_before, &now);
	r->ena_known = r->ena_known && ena_read(r->card, &ena);
	if (r->ena_known)
		ena_delta(&r->ena_before, &ena, &r->ena_moved);
}

static void judge(struct netrun *r)
{
	const struct iperf_report *rep = &r->report;
	enum net_direction dir = net_setup_direction(&r->setup);
	struct iperf_datagrams datagrams;

	iperf_report_datagrams(rep, &datagrams);
	struct net_measured m = { .dir = dir,
				  .shape = &r->shape,
				  .seconds = rep->seconds,
				  .time_scale = r->setup.simulated ? r->setup.time_scale : 1,
				  .goodput_bps = iperf_report_bps(rep),
				  .mss = rep->mss,
				  .udp = rep->params.udp,
				  .lost_share = datagrams.lost_share,
				  .sent = dir == NET_RECEIVE ? 0 : rep->sent,
				  .retransmits = rep->retransmits,
				  .rate_cap_bps = (double)rep->params.bandwidth * (double)rep->n,
				  .cpu_share = r->setup.simulated || !rep->threads
						       ? NAN
						       : rep->cpu_total / 100 / rep->threads,
				  .ena = r->ena_known ? &r->ena_moved : NULL,
				  .ena_missing = r->ena_missing,
				  .failed = r->failed };

	if (dir == NET_RECEIVE && rep->peer_sent != NET_NONE) {
		m.sent = rep->peer_sent;
		m.retransmits = rep->peer_retransmits;
	}
	net_judge(&r->expect, &m, &r->judgement);
}

int netrun_go(struct netrun *r, const struct net_setup *setup, const struct iperf_client_hooks *hooks,
	      net_stop *stop, struct err *err)
{
	const struct iperf_client_hooks mine = { r, on_sample, on_connected, on_note };
	struct iperf_client_opts o = { .host = setup->peer,
				       .port = setup->port,
				       .params = setup->params,
				       .family = setup->family,
				       .bind = setup->bind[0] ? r->setup.bind : NULL,
				       .cport = setup->cport,
				       .connect_timeout_ns = setup->connect_timeout_ns };
	struct netsim sim;
	int rc;

	*r = (struct netrun){ .setup = *setup, .hooks = hooks };
	net_series_init(&r->series, setup->interval_ns ? setup->interval_ns : UINT64_MAX / 2);
	net_expect_of(&setup->on, (unsigned)setup->params.parallel, setup->cluster, &r->expect);
	if (setup->simulated) {
		snprintf(r->ena_missing, sizeof(r->ena_missing), "no counter: simulated");
		rc = netsim_of(&r->expect, setup->time_scale, setup->credits, &sim, err);
		if (rc == 0)
			rc = netsim_run(&sim, &o, &mine, stop, &r->report, err);
	} else {
		rc = iperf_client_run(&o, &mine, stop, &r->report, err);
		card_after(r);
	}
	r->hooks = NULL;
	r->failed = rc < 0;
	if (rc < 0)
		snprintf(r->error, sizeof(r->error), "%s", err->msg);
	if (net_shape_of(&r->series, net_setup_direction(setup), &r->shape) < 0 && rc == 0)
		rc = err_set(err, ENOMEM, "no memory");
	judge(r);
	return rc;
}

void netrun_release(struct netrun *r)
{
	net_series_release(&r->series);
	iperf_report_release(&r->report);
}
