/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/iperf_server.h"
#include "engine/recorder.h"
#include "engine/units.h"
#include "tui/net_cli.h"
#include "tui/stopsig.h"

/* What it tells goes to stderr, each test's result to stdout as it ends. */
struct serving {
	const struct cli *cli;
	bool json, progress;
	int width; /* of the progress line that stands there */
};

static void clear(struct serving *s)
{
	if (s->width)
		fprintf(stderr, "\r%*s\r", s->width, "");
	s->width = 0;
}

static void listening(void *ctx, const char *address, uint16_t port)
{
	(void)ctx;
	cli_message("listening on %s port %u", address, port);
}

static void note(void *ctx, const char *text)
{
	clear(ctx);
	cli_message("%s", text);
}

static void progress(void *ctx, const struct net_addr *peer, double elapsed_s, double total_s, uint64_t dt_ns,
		     uint64_t sent, uint64_t received)
{
	struct serving *s = ctx;
	char who[NET_ADDR_TEXT], in[FMT_LEN], out[FMT_LEN], of[FMT_LEN] = "";
	double dt = clock_seconds(dt_ns);

	if (!s->progress)
		return;
	if (!isnan(total_s))
		snprintf(of, sizeof(of), " of %.0f", total_s);
	int n = fprintf(stderr, "\r%s  %.0f%s s  sent %s  received %s", net_addr_text(peer, who), elapsed_s,
			of, net_fmt_bps(out, 8 * (double)sent / dt),
			net_fmt_bps(in, 8 * (double)received / dt));
	fprintf(stderr, "%*s", s->width > n ? s->width - n : 0, "");
	s->width = n;
}

static json_t *served_json(const struct iperf_served *t)
{
	char who[NET_ADDR_TEXT];
	json_t *o = json_object(), *list = json_array();
	bool both = t->params.bidir;

	json_object_set_new(o, "schema", json_string("ebscope/1"));
	json_object_set_new(o, "kind", json_string("net-served"));
	json_object_set_new(o, "client", json_text(net_addr_text(&t->peer, who)));
	json_object_set_new(o, "client_version",
			    t->params.version[0] ? json_text(t->params.version) : json_null());
	json_object_set_new(o, "direction",
			    json_string(both                ? "both"
					: t->params.reverse ? "send"
							    : "receive"));
	json_object_set_new(o, "udp", json_boolean(t->params.udp));
	json_object_set_new(o, "streams", json_u64(t->params.parallel));
	json_object_set_new(o, "seconds", json_num(t->seconds > 0 ? t->seconds : NAN));
	json_object_set_new(o, "sent", json_u64(t->sent));
	json_object_set_new(o, "received", json_u64(t->received));
	json_object_set_new(
		o, "bits_per_second",
		json_num(t->seconds > 0 ? 8 * (double)(t->sent + t->received) / t->seconds : NAN));
	for (unsigned i = 0; i < t->ours->n; i++) {
		const struct iperf_stream_result *a = &t->ours->stream[i],
						 *b = iperf_results_find(t->peers, a->id);
		json_array_append_new(
			list,
			json_pack("{s:i, s:o, s:o}", "id", a->id, "bytes", json_u64(a->bytes), "client_bytes",
				  b && b->bytes != IPERF_UNKNOWN ? json_u64(b->bytes) : json_null()));
	}
	json_object_set_new(o, "per_stream", list);
	json_object_set_new(o, "error", t->ok ? json_null() : json_text(t->why));
	return o;
}

static void served(void *ctx, const struct iperf_served *t)
{
	struct serving *s = ctx;
	char who[NET_ADDR_TEXT], rate[FMT_LEN], in[FMT_LEN], out[FMT_LEN];

	clear(s);
	if (s->json) {
		json_t *doc = served_json(t);
		char *text = json_text_of(doc, false);
		if (text)
			printf("%s\n", text);
		free(text);
		json_decref(doc);
	} else if (t->seconds > 0) {
		printf("%s: %u stream%s, %.2f s, received %s, sent %s, %s%s%s\n",
		       net_addr_text(&t->peer, who), (unsigned)t->params.parallel,
		       t->params.parallel == 1 ? "" : "s", t->seconds, fmt_size(in, (double)t->received),
		       fmt_size(out, (double)t->sent),
		       net_fmt_bps(rate, 8 * (double)(t->sent + t->received) / t->seconds), t->ok ? "" : ": ",
		       t->why);
	} else {
		cli_message("%s: no test: %s", net_addr_text(&t->peer, who), t->why);
	}
	fflush(stdout);
}

struct waiter {
	sigset_t set;
	atomic_bool stop;
	atomic_int sig;
};

/* Waits for the signal that ends the server: a thread, so that no handler and no global is needed. */
static void *wait_signal(void *arg)
{
	struct waiter *w = arg;
	int sig = 0;

	if (sigwait(&w->set, &sig) == 0) {
		atomic_store(&w->sig, sig);
		atomic_store(&w->stop, true);
	}
	return NULL;
}

/* What a client decides is not for the server to say, and must not be taken in silence. */
static int refuse_others(const struct cli *cli, struct err *err)
{
	static const char *const mine[] = { "server",   "one-off",  "queue",     "port",   "bind",
					    "version4", "version6", "no-record", "format", NULL };

	for (unsigned i = 0; i < cli->nr_given; i++) {
		const struct opt *o = cli->given[i].opt;
		size_t k = 0;
		while (mine[k] && strcmp(o->name, mine[k]) != 0)
			k++;
		if (!mine[k])
			return err_set(err, ERR_USAGE,
				       "--%s is for a client: --server takes only -1, --queue, -p, -B, -4, "
				       "-6 and --format",
				       o->name);
	}
	const char *format = cli_text(cli, "format", "table");
	if (strcmp(format, "table") != 0 && strcmp(format, "json") != 0)
		return err_set(err, ERR_USAGE, "--format %.20s: --server prints table or json", format);
	return 0;
}

static int options(struct iperf_server_opts *o, const struct cli *cli, struct err *err)
{
	const char *port = cli_text(cli, "port", "5201"), *queue = cli_text(cli, "queue", "0");
	uint64_t p = 0, q = 0;

	if (refuse_others(cli, err) < 0)
		return -1;
	if (cli->nr_args)
		return err_set(err, ERR_USAGE, "--server takes no HOST; -B says where it listens");
	if (parse_count(port, &p, err) < 0 || parse_count(queue, &q, err) < 0)
		return -1;
	*o = (struct iperf_server_opts){ .port = (uint16_t)p,
					 .queue = (unsigned)q,
					 .one_off = cli_has(cli, "one-off"),
					 .bind = cli_get(cli, "bind"),
					 .version = "ebscope " EBSCOPE_VERSION };
	o->family = cli_has(cli, "version4") ? AF_INET : cli_has(cli, "version6") ? AF_INET6 : AF_UNSPEC;
	return 0;
}

int net_serve(struct cli *cli, struct err *err)
{
	struct serving s = { .cli = cli,
			     .progress = cli_progress(),
			     .json = strcmp(cli_text(cli, "format", "table"), "json") == 0 };
	const struct iperf_server_hooks hooks = { &s, listening, note, progress, served };
	struct iperf_server_opts o;
	struct waiter w = { 0 };
	pthread_t thread;

	if (options(&o, cli, err) < 0)
		return -1;
	stopsig_block(&w.set);
	int rc = pthread_create(&thread, NULL, wait_signal, &w);
	if (rc)
		return err_set(err, rc, "start a thread: %s", strerror(rc));
	rc = iperf_server_run(&o, &hooks, &w.stop, err);
	bool ended_by_signal = atomic_load(&w.stop);
	int sig = atomic_load(&w.sig);
	if (!ended_by_signal) /* it ended by itself: wake the one that waits */
		pthread_kill(thread, SIGTERM);
	pthread_join(thread, NULL);
	return rc < 0 ? -1 : ended_by_signal ? 128 + sig : 0;
}
