/* SPDX-License-Identifier: MIT */
/* A network test in Results: both sides' counts, levels, and the series that they come from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/net_cli.h"
#include "tui/panel.h"
#include "tui/view_network.h"

static double num(const json_t *o, const char *key)
{
	return json_get_num(o, key, NAN);
}

static void counts(struct named_lines *l, const struct result *r)
{
	const json_t *more = r->more, *peer = json_object_get(more, "peer");
	const char *dir = json_get_text(more, "direction", "send");
	double again = num(more, "retransmits"), rtt = num(more, "rtt_us");
	char a[FMT_LEN], b[FMT_LEN];

	named_line(l, "streams", STYLE_TEXT, "%.0f, %s, %s", num(more, "streams"),
	     strcmp(dir, "send") == 0      ? "we send"
	     : strcmp(dir, "receive") == 0 ? "the peer sends"
					   : "both send",
	     fmt_duration(a, r->runtime_s));
	named_line(l, "throughput", STYLE_STRONG, "%s", net_fmt_bps(a, num(more, "bits_per_second")));
	if (!json_is_object(peer)) /* simulated: there is one side only */
		named_line(l, "moved", STYLE_TEXT, "%s", fmt_size(a, (double)r->all.bytes));
	else if (strcmp(dir, "receive") != 0)
		named_line(l, "sent", STYLE_TEXT, "%s, %s arrived", fmt_size(a, num(more, "sent")),
		     fmt_size(b, num(peer, "received")));
	if (json_is_object(peer) && strcmp(dir, "send") != 0)
		named_line(l, "received", STYLE_TEXT, "%s of %s sent", fmt_size(a, num(more, "received")),
		     fmt_size(b, num(peer, "sent")));
	if (!isnan(again))
		named_line(l, "retransmits", again > 0 ? STYLE_WARN : STYLE_TEXT, "%.0f segments", again);
	if (!isnan(rtt))
		named_line(l, "round trip", STYLE_TEXT, "%.3g ms", rtt / 1e3);
}

static void levels(struct named_lines *l, const struct result *r)
{
	const json_t *row = json_object_get(r->more, "row"), *card = json_object_get(r->more, "interface"),
		     *value;
	const json_t *ena = json_object_get(card, "ena");
	const char *missing = json_get_text(card, "ena_missing", NULL), *key;
	char a[FMT_LEN], b[FMT_LEN], len[FMT_LEN];

	if (!isnan(num(row, "baseline_gbps")))
		named_line(l, "burst", STYLE_STRONG, "%s for %s, then %s",
		     net_fmt_bps(a, num(row, "burst_gbps") * 1e9), fmt_duration(len, num(row, "burst_s")),
		     net_fmt_bps(b, num(row, "baseline_gbps") * 1e9));
	json_object_foreach((json_t *)(uintptr_t)ena, key, value)
		named_line(l, "allowance", json_number_value(value) > 0 ? STYLE_WARN : STYLE_TEXT, "%s +%.0f", key,
		     json_number_value(value));
	if (missing)
		named_line(l, "allowance", STYLE_LABEL, "%s", missing);
}

static void draw_series(const struct frame *f, struct canvas *cv, struct rect at, const struct result *r)
{
	const struct bins *b = f->result_rate;
	double bits[2048];
	const json_t *e = json_object_get(r->more, "expected");
	struct limit_line limit[2] = { { num(e, "bits_per_second_burst"), "burst", false },
				       { num(e, "bits_per_second_baseline"), "base", false } };

	if (!b || b->n == 0 || b->n > 2048 || at.h < 5)
		return;
	for (int i = 0; i < b->n; i++)
		bits[i] = 8 * b->value[BIN_BW][i];
	double top = live_top(bits, b->n), unit = top >= 0.9995e9 ? 1e9 : 1e6;
	struct limit_line in_unit[2] = { { limit[0].value / unit, NULL, false },
					 { limit[1].value / unit, NULL, false } };
	size_t nr = limit[1].value > 0 && limit[1].value < 0.98 * limit[0].value ? 2 : limit[0].value > 0;
	canvas_textn(cv, at.x, at.y - 1, at.w, STYLE_LABEL, unit >= 1e9 ? "Gbps" : "Mbps");
	struct time_plot p = { .at = at,
			       .ink = f->ink,
			       .t1 = b->n * b->step,
			       .scale = f->run->header->time_scale,
			       .unit = unit,
			       .fill = { bits, (size_t)b->n },
			       .below = GRAD_READ,
			       .above = GRAD_READ,
			       .limit = limit,
			       .nr_limits = nr,
			       .ymax = plot_ymax(top / unit, in_unit, nr) * unit };
	plot_time(cv, &p);
}

void draw_net_result(const struct frame *f, struct canvas *cv, struct rect in, const struct result *r)
{
	struct named_lines l = { .cv = cv, .at = in, .label = 11 };
	unsigned style;
	const char *verdict = verdict_text(r->verdict, &style);

	if (*verdict) {
		int x = canvas_printf(cv, in.x, in.y, style, " %s ", verdict) + 1;
		int used =
			draw_wrapped(cv, (struct rect){ x, in.y, in.x + in.w - x, 5 }, STYLE_TEXT, r->reason);
		l.y = used > 0 ? used : 1;
	}
	counts(&l, r);
	levels(&l, r);
	for (unsigned i = 0; i < r->nr_warnings && l.y < in.h; i++)
		l.y += draw_wrapped(cv, (struct rect){ in.x, in.y + l.y, in.w, in.h - l.y }, STYLE_WARN,
				    r->warning[i]);
	int room = in.h - l.y - 1;
	draw_series(f, cv, (struct rect){ in.x, in.y + l.y + 1, in.w, room > 16 ? 16 : room }, r);
}
