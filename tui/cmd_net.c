/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/iperf_server.h"
#include "engine/units.h"
#include "tui/commands.h"
#include "tui/net_cli.h"

static int check_interval(const char *v, struct err *err)
{
	struct err ignored;
	uint64_t ns;

	if (parse_time(v, &ns, &ignored) == 0 && (ns == 0 || (ns >= NS_PER_SEC / 10 && ns <= 60 * NS_PER_SEC)))
		return 0;
	return err_set(err, ERR_USAGE, "'%.40s' is not a time from 0.1 to 60 s, or 0", v);
}

static int check_rate(const char *v, struct err *err)
{
	uint64_t bps, burst;

	return net_parse_rate(v, &bps, &burst, err);
}

/* The kernel paces it: there are no blocks at once. */
static int check_fq_rate(const char *v, struct err *err)
{
	return strchr(v, '/') ? err_set(err, ERR_USAGE, "'%.40s': N blocks at once are for --bitrate", v) : check_rate(v, err);
}

#define HOSTS "where this runs: "
static const struct opt own[] = {
	{ "server", 's', NULL, OPT_OWN, "serve iperf3 clients and ebscope's, one test at a time", NULL },
	{ "one-off", '1', NULL, OPT_OWN, "server: end after one test", NULL },
	{ "queue", 0, "N", OPT_OWN,
	  "server: up to N further clients wait for their turn, {} (0: they are refused)", OPT_COUNT(0, IPERF_QUEUE_MAX) },
	{ "preset", 0, "NAME", OPT_OWN,
	  "fargate: -P 10 -R -t 15m; lambda: -t 60m; as the published measurements", NULL },
	{ "port", 'p', "PORT", OPT_OWN, "the server's port, {} (5201)", OPT_COUNT(1, UINT16_MAX) },
	{ "parallel", 'P', "N", OPT_OWN, "streams in each direction, {} (1)", OPT_COUNT(1, IPERF_STREAMS_MAX) },
	{ "udp", 'u', NULL, OPT_OWN, "UDP: datagrams, what was lost and their jitter; 1M of each stream, unless -b", NULL },
	{ "reverse", 'R', NULL, OPT_OWN, "the server sends", NULL },
	{ "bidir", 0, NULL, OPT_OWN, "both send", NULL },
	{ "time", 't', "TIME", OPT_OWN, "how long, {} (10)", OPT_TIME(1, IPERF_TIME_MAX) },
	{ "omit", 'O', "TIME", OPT_OWN, "leave out the first seconds, {} (0)", OPT_TIME(0, IPERF_OMIT_MAX) },
	{ "interval", 'i', "TIME", OPT_OWN, "a line of each stream so often, 0.1 to 60 s, or 0: none (1)",
	  OPT_CHECK(check_interval) },
	{ "bytes", 'n', "SIZE", OPT_OWN, "so many bytes instead of a time, {}", OPT_SIZE(1, INT64_MAX) },
	{ "blockcount", 'k', "N", OPT_OWN, "so many blocks instead of a time, {}", OPT_SIZE(1, INT64_MAX) },
	{ "length", 'l', "SIZE", OPT_OWN, "bytes of a block, {} (128k; -u: what fills a packet)", OPT_SIZE(1, IPERF_LEN_MAX) },
	{ "window", 'w', "SIZE", OPT_OWN, "socket buffers, {} (the kernel's own tuning)", OPT_SIZE(1, IPERF_WINDOW_MAX) },
	{ "set-mss", 'M', "N", OPT_OWN, "largest segment, {} bytes", OPT_COUNT(IPERF_MSS_MIN, IPERF_MSS_MAX) },
	{ "no-delay", 'N', NULL, OPT_OWN, "no Nagle", NULL },
	{ "bitrate", 'b', "RATE[/N]", OPT_OWN, "bits per second of each stream, 1 to 1000T (10M; 0 no cap), N blocks at once, 1 to 1000",
	  OPT_CHECK(check_rate) },
	{ "fq-rate", 0, "RATE", OPT_OWN, "bits per second of each stream, paced by the kernel, 1 to 1000T (0: not paced)", OPT_CHECK(check_fq_rate) },
	{ "congestion", 'C', "NAME", OPT_OWN, "congestion control: cubic, bbr, …", NULL },
	{ "tos", 'S', "N", OPT_OWN, "type of service, {}", OPT_COUNT(0, UINT8_MAX) },
	{ "skip-rx-copy", 0, NULL, OPT_OWN, "receivers let the kernel drop the bytes", NULL },
	{ "version4", '4', NULL, OPT_OWN, "IPv4 only", NULL },
	{ "version6", '6', NULL, OPT_OWN, "IPv6 only", NULL },
	{ "bind", 'B', "ADDRESS", OPT_OWN, "the local address", NULL },
	{ "cport", 0, "PORT", OPT_OWN, "the local port of the first stream, {}", OPT_COUNT(1, UINT16_MAX) },
	{ "connect-timeout", 0, "MS", OPT_OWN, "longest wait for each step until data flows, {} (5000)",
	  OPT_COUNT(1, 3600000) },
	{ "instance", 0, "TYPE", OPT_OWN, HOSTS "an instance type, m5.large", NULL },
	{ "task", 0, "VCPU:MEM", OPT_OWN, HOSTS "a Fargate task size, 0.25:512MiB", NULL },
	{ "lambda", 0, "MIB", OPT_OWN, HOSTS "a Lambda function's memory, 128 to 10240", NULL },
	{ "cluster", 0, NULL, OPT_OWN, "both ends are in one cluster placement group: 10 Gbps a flow, not 5",
	  NULL },
	{ "time-scale", 0, "N", OPT_OWN, "sim:net only: credits drain N times faster, 1 to 10000", NULL },
	{ "credits", 0, "PERCENT", OPT_OWN, "sim:net only: the credit balance at the start, 0 to 100", OPT_CHECK(opt_check_percent) },
	{ "format", 0, "F", OPT_OWN, "table, json, csv, series (a line a tick) or iperf3 (table)", NULL },
	{ NULL, 0, NULL, 0, NULL, NULL },
};

static int net(struct cli *cli, struct err *err)
{
	return cli_has(cli, "server") ? net_serve(cli, err) : net_measure(cli, err);
}

const struct command cmd_net = {
	.name = "net",
	.args = "[options] HOST[:PORT] | sim:net:TASK | --server",
	.about = "network throughput in iperf3's protocol, burst and baseline told apart",
	.more = "Any iperf3 server (3.1 or newer) will do, and ebscope net --server serves any iperf3 "
		"client. Options\n"
		"have iperf3's letters. --instance, --task or --lambda say what to hold the result against. "
		"sim:net:0.25:512MiB\n"
		"(a task size), sim:net:m5.large or sim:net:lambda:1024 simulate a network that bursts and "
		"falls to its baseline.\n"
		"--format iperf3 prints the document of iperf3 -J.",
	.groups = OPT_LIMITS | OPT_OUTPUT | OPT_RECORD,
	.own = own,
	.min_args = 0,
	.max_args = 1,
	.run = net,
};
