/* SPDX-License-Identifier: MIT */
#include "tui/net_lines.h"

#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"

void net_lines_init(struct net_lines *l)
{
	*l = (struct net_lines){ 0 };
	pthread_mutex_init(&l->lock, NULL);
}

void net_lines_release(struct net_lines *l)
{
	pthread_mutex_destroy(&l->lock);
	free(l->text);
}

char *net_lines_amount(char *buf, size_t size, double v, bool bits)
{
	static const char *const prefix[] = { "", "K", "M", "G", "T" };
	const double step = bits ? 1000 : 1024;
	int p = 0;

	while (v >= step && p < 4)
		v /= step, p++;
	snprintf(buf, size, "%4.*f %s%s",
		 v < 9.995   ? 2
		 : v < 99.95 ? 1
			     : 0,
		 v, prefix[p], bits ? "bit" : "Byte");
	return buf;
}

/* One line of a list: a stream, or the sum of those of one direction. */
struct line {
	int id; /* of the stream; 0: the sum */
	bool sends;
	uint64_t bytes, retransmits;
	uint32_t cwnd; /* 0: is not told */
	uint64_t packets, jitter_ns;
	int64_t lost;
};

static void print_line(FILE *f, const struct netrun *r, const struct line *x, double from, double to,
		       bool omitted)
{
	char id[16], moved[32], rate[32], state[64] = "";
	const char *role = !r->report.params.bidir ? "" : x->sends ? "[TX-C]" : "[RX-C]";

	snprintf(id, sizeof(id), x->id ? "%3d" : "SUM", x->id);
	net_lines_amount(moved, sizeof(moved), (double)x->bytes, false);
	net_lines_amount(rate, sizeof(rate), to > from ? 8 * (double)x->bytes / (to - from) : 0, true);
	if (r->report.params.udp && x->sends) {
		snprintf(state, sizeof(state), "  %s%llu", r->report.params.bidir ? "          " : "",
			 (unsigned long long)x->packets);
	} else if (r->report.params.udp) {
		int64_t lost = x->lost > 0 ? x->lost : 0;
		snprintf(state, sizeof(state), "  %5.3f ms  %lld/%llu (%.2g%%)", (double)x->jitter_ns / 1e6,
			 (long long)lost, (unsigned long long)x->packets,
			 x->packets ? 100.0 * (double)lost / (double)x->packets : 0);
	} else if (x->retransmits != NET_NONE) {
		int n = snprintf(state, sizeof(state), "  %3llu", (unsigned long long)x->retransmits);
		char cwnd[32];
		if (x->cwnd)
			snprintf(state + n, sizeof(state) - (size_t)n, "   %ss",
				 net_lines_amount(cwnd, sizeof(cwnd), x->cwnd, false));
	}
	fprintf(f, "[%s]%s %6.2f-%-6.2f sec  %ss  %ss/sec%s%s\n", id, role, from, to, moved, rate, state,
		omitted ? "  (omitted)" : "");
}

static void print_sum(FILE *f, const struct netrun *r, size_t i, double from, bool sends)
{
	const struct net_sample *x = &r->series.interval[i];
	const unsigned n = r->series.nr_streams;
	struct line sum = { .sends = sends,
			    .bytes = sends ? x->sent : x->received,
			    .retransmits = sends ? x->retransmits : NET_NONE };

	for (unsigned k = 0; k < n; k++) {
		const struct net_stream *s = &r->series.stream[i * n + k];
		if (r->report.stream[k].sends != sends)
			continue;
		sum.packets += s->packets;
		sum.lost += s->lost;
		sum.jitter_ns += s->jitter_ns / r->report.params.parallel;
	}
	print_line(f, r, &sum, from, from + clock_seconds(x->dt_ns), x->omitted);
}

static const char rule[] = "- - - - - - - - - - - - - - - - - - - - - - - - -\n";

static void print_head(FILE *f, const struct iperf_params *p)
{
	const char *tcp = p->reverse ? "" : "         Retr  Cwnd";
	const char *udp = p->reverse || p->bidir ? "         Jitter    Lost/Total Datagrams" : "         Total Datagrams";

	fprintf(f, "[ ID]%s Interval           Transfer     Bitrate%s\n", p->bidir ? "[Role]" : "", p->udp ? udp : tcp);
}

static void print_interval(FILE *f, const struct netrun *r, size_t i, double base)
{
	const struct net_sample *x = &r->series.interval[i];
	const struct iperf_params *p = &r->report.params;
	double to = clock_seconds(x->t_ns) - base, from = to - clock_seconds(x->dt_ns);

	for (unsigned k = 0; k < r->series.nr_streams; k++) {
		const struct net_stream *s = &r->series.stream[i * r->series.nr_streams + k];
		const struct iperf_report_stream *about = &r->report.stream[k];
		const struct line line = { about->id, about->sends, s->bytes,     s->retransmits,
					   s->cwnd,   s->packets,   s->jitter_ns, s->lost };
		print_line(f, r, &line, from, to, x->omitted);
	}
	if (p->parallel < 2)
		return;
	if (!p->reverse)
		print_sum(f, r, i, from, true);
	if (p->reverse || p->bidir)
		print_sum(f, r, i, from, false);
}

static void put(struct net_lines *l, const char *text)
{
	pthread_mutex_lock(&l->lock);
	size_t old = l->text ? strlen(l->text) : 0, more = strlen(text);
	char *both = realloc(l->text, old + more + 1);
	if (both) {
		memcpy(both + old, text, more + 1);
		l->text = both;
	}
	pthread_mutex_unlock(&l->lock);
}

void net_lines_add(struct net_lines *l, const struct netrun *r, bool ended)
{
	const struct net_series *s = &r->series;
	size_t n = s->nr_intervals, size = 0, complete = ended ? n : n ? n - 1 : 0;
	double base = 0; /* time starts anew behind the omitted seconds, as iperf3's does */
	char *text = NULL;

	if (s->nr_streams != r->report.n || (!complete && !l->begun) ||
	    (!ended && s->interval[complete - 1].t_ns <= l->told_ns))
		return;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return;
	for (size_t i = 0; i < complete; i++) {
		const struct net_sample *x = &s->interval[i];
		if (i && !x->omitted && x[-1].omitted)
			base = clock_seconds(x->t_ns - x->dt_ns);
		if (x->t_ns <= l->told_ns)
			continue;
		if (!l->begun)
			print_head(f, &r->report.params);
		else if (r->report.params.parallel > 1)
			fputs(rule, f);
		l->begun = true;
		print_interval(f, r, i, base);
		l->told_ns = x->t_ns;
	}
	if (ended && l->begun)
		fputs(rule, f);
	if (fclose(f) == 0)
		put(l, text);
	free(text);
}

char *net_lines_take(struct net_lines *l)
{
	pthread_mutex_lock(&l->lock);
	char *text = l->text;
	l->text = NULL;
	pthread_mutex_unlock(&l->lock);
	return text;
}
