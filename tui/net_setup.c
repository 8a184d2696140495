/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/shape.h"
#include "engine/units.h"
#include "tui/net_cli.h"

int net_parse_rate(const char *text, uint64_t *bps, uint64_t *burst, struct err *err)
{
	static const char units[] = "kmgt";
	static const uint64_t scale[] = { 1, 1000, 1000000, 1000000000, 1000000000000 };
	char number[32];
	size_t len = strcspn(text, "/");
	unsigned power = 0;
	uint64_t ns, blocks = 0;

	if (text[len] && (parse_count(text + len + 1, &blocks, err) < 0 || blocks < 1 || blocks > 1000))
		return err_set(err, ERR_USAGE, "'%.40s': 1 to 1000 blocks at once", text);
	if (len && len < sizeof(number)) {
		const char *unit = strchr(units, text[len - 1] | 0x20);
		power = unit ? (unsigned)(unit - units) + 1 : 0;
		snprintf(number, sizeof(number), "%.*s", (int)(len - (power ? 1 : 0)), text);
		/* A decimal number is read exactly by the parser of times: seconds in ns. */
		if (strspn(number, "0123456789.") == strlen(number) && parse_time(number, &ns, err) == 0) {
			double v = (double)ns / 1e9 * (double)scale[power];
			if ((v >= 1 && v <= 1e15) || v == 0) {
				*bps = (uint64_t)(v + 0.5);
				*burst = blocks;
				return 0;
			}
		}
	}
	return err_set(err, ERR_USAGE, "'%.40s' is not a bit rate from 1 to 1000T, such as 500M or 2.5G, or 0", text);
}

/* Numbers: the option, where it goes, what it is. */
enum number_type { AS_COUNT, AS_SIZE, AS_SECONDS };
static const struct number {
	const char *name;
	enum number_type type;
	size_t at;
} numbers[] = {
#define P(k) offsetof(struct iperf_params, k)
	{ "parallel", AS_COUNT, P(parallel) },
	{ "time", AS_SECONDS, P(time_s) },
	{ "omit", AS_SECONDS, P(omit_s) },
	{ "bytes", AS_SIZE, P(num) },
	{ "blockcount", AS_SIZE, P(blockcount) },
	{ "length", AS_SIZE, P(len) },
	{ "window", AS_SIZE, P(window) },
	{ "set-mss", AS_COUNT, P(mss) },
	{ "tos", AS_COUNT, P(tos) },
#undef P
};

static int take_numbers(struct iperf_params *p, const struct cli *cli, struct err *err)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number *n = &numbers[i];
		const char *text = cli_get(cli, n->name);
		uint64_t v = 0;
		if (!text)
			continue;
		int rc = n->type == AS_COUNT  ? parse_count(text, &v, err)
			 : n->type == AS_SIZE ? parse_size(text, &v, err)
					      : parse_time(text, &v, err);
		if (rc < 0)
			return err_wrap(err, "--%s", n->name);
		if (n->type == AS_SECONDS && v % NS_PER_SEC)
			return err_set(err, ERR_USAGE, "--%s %s: the protocol has whole seconds only",
				       n->name, text);
		if (n->type == AS_SECONDS)
			v /= NS_PER_SEC;
		memcpy((char *)p + n->at, &v, sizeof(v));
	}
	return 0;
}

/* What a connection has, datagrams have not: a setting that does nothing would be believed. */
static int refuse_tcp(const struct cli *cli, struct err *err)
{
	static const char *const names[] = { "set-mss", "no-delay", "congestion" };

	for (size_t i = 0; cli_has(cli, "udp") && i < sizeof(names) / sizeof(*names); i++)
		if (cli_has(cli, names[i]))
			return err_set(err, ERR_USAGE, "--%s is TCP's: --udp has none", names[i]);
	return 0;
}

static int take_rates(struct iperf_params *p, const struct cli *cli, struct err *err)
{
	const char *rate = cli_get(cli, "bitrate"), *fq = cli_get(cli, "fq-rate"),
		   *cc = cli_get(cli, "congestion");
	uint64_t ignored;

	if (rate && net_parse_rate(rate, &p->bandwidth, &p->burst, err) < 0)
		return err_wrap(err, "--bitrate");
	if (fq && net_parse_rate(fq, &p->fqrate, &ignored, err) < 0)
		return err_wrap(err, "--fq-rate");
	if (cc && strlen(cc) >= sizeof(p->congestion))
		return err_set(err, ERR_USAGE, "--congestion %.40s: no such algorithm", cc);
	if (cc)
		snprintf(p->congestion, sizeof(p->congestion), "%s", cc);
	return 0;
}

static int take_host(struct net_setup *s, const struct cli *cli, const struct limits *limits, struct err *err)
{
	const char *instance = cli_get(cli, "instance"), *task = cli_get(cli, "task"),
		   *lambda = cli_get(cli, "lambda");

	if (!!instance + !!task + !!lambda > 1)
		return err_set(err, ERR_USAGE, "--instance, --task and --lambda exclude each other");
	if (instance && host_instance(&s->on, limits, instance, err) < 0)
		return err_wrap(err, "--instance");
	if (task && host_task(&s->on, limits, task, err) < 0)
		return err_wrap(err, "--task");
	if (lambda && host_lambda(&s->on, lambda, err) < 0)
		return err_wrap(err, "--lambda");
	s->cluster = cli_has(cli, "cluster");
	return 0;
}

static int take_port(const struct cli *cli, const char *name, uint16_t *port, struct err *err)
{
	const char *text = cli_get(cli, name);
	uint64_t n;

	if (!text)
		return 0;
	if (parse_count(text, &n, err) < 0)
		return err_wrap(err, "--%s", name);
	*port = (uint16_t)n;
	return 0;
}

static int take_connection(struct net_setup *s, const struct cli *cli, struct err *err)
{
	const char *timeout = cli_get(cli, "connect-timeout"), *bind = cli_get(cli, "bind");
	uint64_t ms = 0;

	if (take_port(cli, "port", &s->port, err) < 0 || take_port(cli, "cport", &s->cport, err) < 0)
		return -1;
	if (timeout && parse_count(timeout, &ms, err) < 0)
		return err_wrap(err, "--connect-timeout");
	s->connect_timeout_ns = ms * 1000000;
	if (bind && strlen(bind) >= sizeof(s->bind))
		return err_set(err, ERR_USAGE, "--bind %.60s: an address of this machine", bind);
	if (bind)
		snprintf(s->bind, sizeof(s->bind), "%s", bind);
	if (cli_has(cli, "version4") && cli_has(cli, "version6"))
		return err_set(err, ERR_USAGE, "-4 and -6 exclude each other");
	s->family = cli_has(cli, "version4") ? AF_INET : cli_has(cli, "version6") ? AF_INET6 : AF_UNSPEC;
	return 0;
}

static int take_interval(struct net_setup *s, const struct cli *cli, struct err *err)
{
	const char *text = cli_get(cli, "interval");

	return text && parse_time(text, &s->interval_ns, err) < 0 ? err_wrap(err, "--interval") : 0;
}

/* A model has no sockets: a cap or a window that it does not keep to would be believed of the figure. */
static int refuse_sockets(const struct cli *cli, struct err *err)
{
	static const char *const names[] = { "udp", "bitrate", "fq-rate", "window", "set-mss", "congestion", "tos", "bind", "cport", "port" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (cli_has(cli, names[i]))
			return err_set(err, ERR_USAGE, "--%s: a simulated network has no sockets; it knows -P, -R, --bidir, -t, -O and -i",
				       names[i]);
	return 0;
}

static int take_simulation(struct net_setup *s, const struct cli *cli, struct err *err)
{
	const char *scale = cli_get(cli, "time-scale"), *credits = cli_get(cli, "credits");

	if (scale && shape_scale_parse(scale, &s->time_scale, err) < 0)
		return err_wrap(err, "--time-scale");
	if (credits && parse_percent(credits, &s->credits, err) < 0)
		return err_wrap(err, "--credits");
	if (s->simulated && refuse_sockets(cli, err) < 0)
		return -1;
	if ((scale || credits) && !s->simulated)
		return err_set(err, ERR_USAGE,
			       "--time-scale and --credits are for sim:net:TASK: a real network has its own");
	return 0;
}

int net_setup_from_cli(struct net_setup *s, const struct cli *cli, const struct limits *limits,
		       struct err *err)
{
	const char *preset = cli_get(cli, "preset");
	struct iperf_params *p = &s->params;

	net_setup_init(s);
	if (preset && net_setup_preset(s, preset, err) < 0)
		return err_wrap(err, "--preset");
	if (cli->nr_args != 1)
		return err_set(err, ERR_USAGE, "usage: ebscope net %s", cli->cmd->args);
	if (cli_has(cli, "reverse"))
		p->reverse = true;
	p->bidir = cli_has(cli, "bidir");
	p->nodelay = cli_has(cli, "no-delay");
	p->skip_rx_copy = cli_has(cli, "skip-rx-copy");
	if ((cli_has(cli, "bytes") || cli_has(cli, "blockcount")) && !cli_has(cli, "time"))
		p->time_s = 0;
	snprintf(p->version, sizeof(p->version), "ebscope " EBSCOPE_VERSION);
	if (cli_has(cli, "udp")) {
		p->udp = p->wide_numbers = true;
		p->len = 0;
		p->bandwidth = IPERF_UDP_RATE;
	}
	if (refuse_tcp(cli, err) < 0 || take_numbers(p, cli, err) < 0 || take_rates(p, cli, err) < 0 ||
	    take_host(s, cli, limits, err) < 0 || take_connection(s, cli, err) < 0 ||
	    take_interval(s, cli, err) < 0 || net_setup_target(s, cli->args[0], limits, err) < 0 ||
	    take_simulation(s, cli, err) < 0)
		return -1;
	if ((p->num || p->blockcount) && p->time_s)
		return err_set(err, ERR_USAGE, "a test ends by -t, -n or -k: one of them");
	if (s->simulated && !p->time_s)
		return err_set(err, ERR_USAGE, "a simulated test ends by -t");
	return iperf_params_check(p, err);
}
