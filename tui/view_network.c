/* SPDX-License-Identifier: MIT */
/* Network: how much passes, against what was expected or observed, for how much longer, and what holds it. */
#include "tui/view_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "tui/net_cli.h"
#include "tui/net_form.h"
#include "tui/net_live.h"
#include "tui/net_outlook.h"
#include "tui/panel.h"
#include "tui/view_live.h"
#include "tui/view_setup.h"

#define DOTS_MAX 2048
/* What is known of the network fills no more. */
#define KNOWN_ROWS 12

enum area { AREA_FORM, AREA_EXPECT, AREA_PLOT, AREA_CREDIT, AREA_STREAMS, AREA_SAID, AREA_NR };

struct places {
	struct rect header, progress, keys, summary, area[AREA_NR];
};

static struct rect cut_rows(struct rect *from, int h)
{
	h = h < 0 ? 0 : h > from->h ? from->h : h;
	struct rect r = { from->x, from->y, from->w, h };

	from->y += h;
	from->h -= h;
	return r;
}

static struct rect cut_cols(struct rect *from, int w)
{
	w = w < 0 ? 0 : w > from->w ? from->w : w;
	struct rect r = { from->x, from->y, w, from->h };

	from->x += w;
	from->w -= w;
	return r;
}

/* What has no room is left out: first the bottom row, then the side, then the form, which a running test
 * needs least. */
static void place(int w, int h, int fields, bool running, unsigned streams, struct places *p)
{
	struct rect body = { 0, 0, w, h };

	*p = (struct places){ 0 };
	if (h >= 2)
		p->header = cut_rows(&body, 1);
	if (h >= 4)
		p->keys = (struct rect){ 0, --body.h + body.y, w, 1 };
	if (h >= 8)
		p->progress = (struct rect){ 0, --body.h + body.y, w, 1 };
	if (body.h < 4 || body.w < 24) {
		p->summary = body;
		return;
	}
	int form = fields + 2, side = w >= 100 ? w * 3 / 10 : w >= 70 ? 26 : 0;
	bool both = body.h >= form + 5;
	if (both || !running) {
		struct rect top = cut_rows(&body, both ? form : body.h);
		p->area[AREA_FORM] = cut_cols(&top, w >= 70 ? w * 52 / 100 : w);
		p->area[AREA_EXPECT] = top;
	}
	/* Left the plot and under it the streams, no more rows than they fill; right what is known, and what was said. */
	int most = body.h / 3 > 5 ? body.h / 3 : 5, rows = (int)streams + 2;
	int bottom = body.h < 12 ? 0 : rows < most ? rows : most;
	if (!side) {
		p->area[AREA_PLOT] = cut_rows(&body, body.h - bottom);
		p->area[AREA_STREAMS] = cut_cols(&body, body.w / 2);
		p->area[AREA_SAID] = body;
		return;
	}
	struct rect left = cut_cols(&body, body.w - side);
	p->area[AREA_PLOT] = cut_rows(&left, left.h - bottom);
	p->area[AREA_STREAMS] = left;
	p->area[AREA_CREDIT] = cut_rows(&body, body.h < 12 ? body.h : body.h / 2 < KNOWN_ROWS ? body.h / 2 : KNOWN_ROWS);
	p->area[AREA_SAID] = body;
}

static bool has_run(const struct frame *f)
{
	return f->run && f->net_live && f->net_live->net;
}

static void place_all(const struct frame *f, int w, int h, struct places *p)
{
	bool live = has_run(f) && f->net_live->any;

	place(w, h, form_lines(&f->net->form), live, live ? f->run->last.nr_workers : 1, p);
}

static double scale_of(const struct frame *f)
{
	return f->run->header->time_scale > 0 ? f->run->header->time_scale : 1;
}

int view_network_dots(const struct net_form *form, int w, int h)
{
	struct places p;

	place(w, h, form_lines(&form->form), true, 1, &p);
	int n = 2 * plot_dots(rect_inner(p.area[AREA_PLOT])).w;
	return n < 0 ? 0 : n > DOTS_MAX ? DOTS_MAX : n;
}

/* --- lines of text in a panel --- */

static struct named_lines lines_in(struct canvas *cv, struct rect in)
{
	return (struct named_lines){ .cv = cv, .at = { in.x + 1, in.y, in.w - 2, in.h } };
}

/* --- panels --- */

/* What is inside its frame. */
static struct rect form_inner(struct rect in)
{
	return (struct rect){ in.x + 1, in.y, in.w - 2, in.h };
}

int view_network_field(const struct frame *f, int w, int h, int x, int y)
{
	struct places p;

	place_all(f, w, h, &p);
	struct rect in = form_inner(rect_inner(p.area[AREA_FORM]));
	return rect_has(in, x, y) ? form_hit(&f->net->form, in, x, y) : -1;
}

static void draw_form(const struct frame *f, struct canvas *cv, struct rect at)
{
	bool busy = has_run(f) && f->run->end == RUN_RUNNING;
	struct rect in =
		form_inner(panel(cv, at, busy ? STYLE_FRAME_SIDE : STYLE_FRAME_FOCUS, "Test", STYLE_LABEL, NULL));

	if (!rect_empty(in))
		form_draw(&f->net->form, cv, in);
}

static void draw_expect(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct net_expect *e = &f->net->expect;
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE, "What to expect", STYLE_LABEL, NULL);
	struct named_lines l = lines_in(cv, in);
	char a[FMT_LEN], host[64];

	if (rect_empty(in))
		return;
	if (isnan(e->base_bps)) {
		draw_wrapped(cv, l.at, STYLE_LABEL,
			     e->host.kind == HOST_NONE
				     ? "Name a task size, an instance type or lambda:MIB: then this says "
				       "what others measured or "
				       "AWS documents for it."
				     : "No network figure of this host is documented or was measured.");
		return;
	}
	bool bursts = e->peak_bps > 1.02 * e->base_bps;
	named_line(&l, bursts ? "burst" : "lasting", STYLE_STRONG, "%s", net_fmt_bps(a, net_expect_peak(e)));
	if (bursts) {
		named_line(&l, "for", STYLE_TEXT, "%s",
		     isnan(e->burst_s) ? "5 to 60 minutes" : fmt_duration(a, e->burst_s));
		named_line(&l, "then", STYLE_STRONG, "%s", net_fmt_bps(a, net_expect_base(e)));
	}
	if (e->flow_bps * e->streams < e->peak_bps)
		named_line(&l, "flows", STYLE_WARN, "%s each: %u needed for %s", net_fmt_bps(a, e->flow_bps),
		     e->streams_needed, net_fmt_bps(host, e->peak_bps));
	if (l.y < l.at.h)
		draw_wrapped(cv, (struct rect){ l.at.x, l.at.y + l.y, l.at.w, l.at.h - l.y }, STYLE_LABEL,
			     e->label);
}

static size_t bands(const struct frame *f, struct band *out, struct band_label *label)
{
	static const struct {
		unsigned style;
		enum shade shade;
	} looks[PH_NR] = { [PH_RAMP] = { STYLE_RAMP, SHADE_SETUP },
			   [PH_BURST] = { STYLE_BURST, SHADE_BURST },
			   [PH_BASELINE] = { STYLE_BASELINE, SHADE_NONE },
			   [PH_STEADY] = { STYLE_STEADY, SHADE_NONE } };
	const struct net_live *l = f->net_live;
	size_t n = l->shape.nr_phases < LIVE_BANDS ? l->shape.nr_phases : LIVE_BANDS;
	char a[FMT_LEN];

	for (size_t i = 0; i < n; i++) {
		const struct phase *p = &l->shape.phase[i];
		double end = i + 1 == l->shape.nr_phases ? l->now_s : p->end_s;
		if (p->kind == PH_BURST)
			snprintf(label[i].text, sizeof(label[i].text), "burst %s",
				 fmt_duration(a, (p->end_s - p->start_s) * scale_of(f)));
		else
			snprintf(label[i].text, sizeof(label[i].text), "%s %s", phase_kind_name(p->kind),
				 net_fmt_bps(a, p->bw * 8));
		out[i] = (struct band){ p->start_s, end, label[i].text, looks[p->kind].style,
					looks[p->kind].shade };
	}
	return n;
}

static void draw_plot(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct net_live *l = f->net_live;
	struct band band[LIVE_BANDS];
	struct band_label label[LIVE_BANDS];
	struct limit_line limit[NET_LIMITS], in_unit[NET_LIMITS];
	static const char *const titles[] = {
		[NET_SEND] = "sent", [NET_RECEIVE] = "received", [NET_BOTH] = "both ways"
	};
	char now[FMT_LEN], mean[FMT_LEN], right[96], title[48];
	double bits[DOTS_MAX], down[DOTS_MAX];
	size_t nr = net_live_limits(l, limit);
	bool giga = fmax(l->top_bps, nr ? limit[0].value : 0) >= 0.9995e9;

	snprintf(right, sizeof(right), at.w >= 50 && !isnan(l->mean_bps) ? "%s now · mean %s" : "%s now",
		 net_fmt_bps(now, l->now_bps), net_fmt_bps(mean, l->mean_bps));
	snprintf(title, sizeof(title), "%s %s", giga ? "Gbps" : "Mbps", titles[l->dir]);
	struct rect in = panel(cv, at, STYLE_FRAME_BW, title, STYLE_STRONG, l->any ? right : NULL);
	if (rect_empty(in) || l->bw.n == 0 || l->bw.n > DOTS_MAX)
		return;
	for (int i = 0; i < l->bw.n; i++) {
		bits[i] = 8 * l->bw.value[BIN_BW][i];
		down[i] = 8 * l->bw.value[BIN_READ_BW][i];
	}
	double unit = giga ? 1e9 : 1e6;
	for (size_t i = 0; i < nr; i++)
		in_unit[i] = (struct limit_line){ limit[i].value / unit, NULL, false };
	struct time_plot p = { .at = in,
			       .ink = f->ink,
			       .scale = scale_of(f),
			       .t1 = l->bw.n * l->bw.step,
			       .unit = unit,
			       .fmt = net_fmt_bps,
			       .ymax = plot_ymax(l->top_bps / unit, in_unit, nr) * unit,
			       .fill = { bits, (size_t)l->bw.n },
			       .below = GRAD_READ,
			       .above = GRAD_WRITE,
			       .split = { down, (size_t)l->bw.n },
			       .limit = limit,
			       .nr_limits = nr,
			       .band = band,
			       .nr_bands = bands(f, band, label) };
	plot_time(cv, &p);
}

/* One that says by itself what it is of. */
static void plain_line(struct named_lines *l, unsigned style, const char *text)
{
	if (l->y < l->at.h)
		canvas_textn(l->cv, l->at.x, l->at.y + l->y++, l->at.w, style, text);
}

static void credit_lines(const struct frame *f, struct named_lines *l)
{
	const struct net_live *n = f->net_live;
	char a[FMT_LEN], text[64];

	if (isnan(n->capacity) || isnan(n->balance))
		return;
	draw_gauge(l->cv, l->at.x, l->at.y + l->y++, l->at.w, n->balance / n->capacity, f->ink, GRAD_CREDIT);
	snprintf(text, sizeof(text), "%.0f %% of %s", 100 * n->balance / n->capacity, fmt_size(a, n->capacity));
	plain_line(l, STYLE_TEXT, text);
	snprintf(text, sizeof(text), "empty in %s", fmt_duration(a, n->empty_s));
	if (n->balance <= 0)
		plain_line(l, STYLE_LIMIT_HIT, "empty");
	else if (isfinite(n->empty_s))
		plain_line(l, STYLE_STRONG, text);
	plain_line(l, STYLE_LABEL, f->run->header->simulated ? "as observed" : "assumed full at start");
}

static void draw_credit(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct net_live *n = f->net_live;
	struct rect in = panel(cv, at, STYLE_FRAME_SIDE, "Network", STYLE_LABEL, NULL);
	struct named_lines l = lines_in(cv, in);
	char a[FMT_LEN];

	if (rect_empty(in))
		return;
	credit_lines(f, &l);
	if (n->dir == NET_BOTH) {
		named_line(&l, "sent", STYLE_STRONG, "%s", net_fmt_bps(a, n->sent_bps));
		named_line(&l, "received", STYLE_STRONG, "%s", net_fmt_bps(a, n->received_bps));
	}
	if (n->dir != NET_RECEIVE)
		named_line(&l, "resent", n->again ? STYLE_WARN : STYLE_TEXT, "%llu/s, %llu in all",
		     (unsigned long long)n->again, (unsigned long long)n->again_all);
	if (!isnan(n->rtt_ms))
		named_line(&l, "rtt", STYLE_TEXT, "%.3g ms", n->rtt_ms);
	for (size_t i = 0; i < n->shape.nr_stalls; i++)
		named_line(&l, "stalled", STYLE_WARN, "%.1f s at %.0f s", n->shape.stall[i].length_s,
		     n->shape.stall[i].start_s);
	if (n->source[0] && l.y < l.at.h)
		draw_wrapped(cv, (struct rect){ l.at.x, l.at.y + l.y, l.at.w, l.at.h - l.y }, STYLE_LABEL,
			     n->source);
}

static void stream_line(const struct frame *f, struct canvas *cv, int x, int y, int w, unsigned i,
			double most)
{
	const struct worker_row *r = &f->run->last.worker[i];
	const struct net_live *n = f->net_live;
	double bps = 8 * (double)r->bytes / sample_seconds(&f->run->last.s);
	bool sends = n->dir == NET_SEND || (n->dir == NET_BOTH && i < n->streams);
	char rate[FMT_LEN], text[64];
	int at = canvas_printf(cv, x, y, STYLE_LABEL, "%3u ", i + 1);

	at = canvas_text(cv, at, y, STYLE_LABEL, n->dir == NET_BOTH ? sends ? "→ " : "← " : "");
	canvas_right(cv, at + 10, y, 10, STYLE_TEXT, net_fmt_bps(rate, bps));
	at += 11;
	text[0] = '\0';
	if (sends && r->errors)
		snprintf(text, sizeof(text), " resent %llu", (unsigned long long)r->errors);
	int room = x + w - at - text_width(text);
	if (room >= 6)
		draw_bar(cv, at, y, room, most > 0 ? bps / most : NAN, f->ink,
			 style_grad(sends ? GRAD_WRITE : GRAD_READ, 0.6));
	canvas_right(cv, x + w, y, text_width(text), STYLE_WARN, text);
}

static void draw_streams(const struct frame *f, struct canvas *cv, struct rect at)
{
	unsigned n = f->run->last.nr_workers;
	char text[32];
	double most = 0;

	snprintf(text, sizeof(text), "%u", n);
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "Streams", STYLE_LABEL, n > 1 ? text : NULL);
	if (rect_empty(in) || !f->run->last.s.dt_ns)
		return;
	for (unsigned i = 0; i < n; i++)
		most = fmax(most, 8 * (double)f->run->last.worker[i].bytes / sample_seconds(&f->run->last.s));
	unsigned columns = in.w >= 150 ? 4 : in.w >= 90 ? 3 : in.w >= 44 ? 2 : 1;
	if (n <= (unsigned)in.h)
		columns = 1;
	int width = in.w / (int)columns;
	for (unsigned i = 0; i < n && i < columns * (unsigned)in.h; i++) {
		int x = in.x + 1 + (int)(i / (unsigned)in.h) * width, y = in.y + (int)(i % (unsigned)in.h);
		if (i + 1 == columns * (unsigned)in.h && i + 1 < n) {
			snprintf(text, sizeof(text), "    and %u more", n - i);
			canvas_textn(cv, x, y, width - 2, STYLE_LABEL, text);
			break;
		}
		stream_line(f, cv, x, y, width - 2, i, most);
	}
}

/* What moved in one direction, by both ends. */
static void moved_line(struct named_lines *l, const char *name, double here, double there, const char *what)
{
	char a[FMT_LEN], b[FMT_LEN];

	if (here > 0)
		named_line(l, name, STYLE_TEXT, isnan(there) ? "%s" : "%s, %s %s", fmt_size(a, here), fmt_size(b, there),
			   what);
}

static void draw_figures(struct named_lines *l, const struct result *r)
{
	const json_t *peer = json_object_get(r->more, "peer"), *row = json_object_get(r->more, "row");
	double above = json_get_num(row, "bytes_above_baseline", NAN), mss = json_get_num(r->more, "mss", NAN);
	char a[FMT_LEN];

	l->y++;
	named_line(l, "over", STYLE_TEXT, "%s", fmt_duration(a, r->runtime_s));
	moved_line(l, "sent", json_get_num(r->more, "sent", NAN), json_get_num(peer, "received", NAN), "arrived");
	moved_line(l, "received", json_get_num(r->more, "received", NAN), json_get_num(peer, "sent", NAN), "sent");
	if (!isnan(above))
		named_line(l, "burst", STYLE_TEXT, "%s above base", fmt_size(a, above));
	if (!isnan(r->cpu_pct))
		named_line(l, "CPU", STYLE_TEXT, "%.0f %% of a core", r->cpu_pct);
	if (!isnan(mss))
		named_line(l, "segment", STYLE_TEXT, "%.0f bytes", mss);
}

/* The verdict once there is one, else what happened. */
static void draw_said(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct result *r = f->run->nr_results ? f->run->results[0] : NULL;
	unsigned style;

	if (!r && f->run->end == RUN_RUNNING) {
		draw_events(f, cv, at);
		return;
	}
	struct rect in = panel(cv, at, STYLE_FRAME_LIST, "Result", STYLE_LABEL, NULL);
	struct named_lines l = lines_in(cv, in);
	if (rect_empty(in))
		return;
	if (!r) {
		draw_wrapped(cv, l.at, STYLE_ERROR, f->run->end_text);
		return;
	}
	const char *text = verdict_text(r->verdict, &style);
	int used = canvas_printf(cv, l.at.x, l.at.y, style, " %s ", text) > 0;
	if (*f->run->end_text && used < l.at.h)
		used += draw_wrapped(cv, (struct rect){ l.at.x, l.at.y + used, l.at.w, l.at.h - used },
				     STYLE_ERROR, f->run->end_text);
	if (used < l.at.h)
		used += draw_wrapped(cv, (struct rect){ l.at.x, l.at.y + used, l.at.w, l.at.h - used }, STYLE_TEXT,
				     r->reason);
	l.y = used;
	draw_figures(&l, r);
}

static void draw_time(const struct frame *f, struct canvas *cv, struct rect at)
{
	const struct net_live *n = f->net_live;
	double share = n->now_s / n->total_s;
	char a[FMT_LEN], text[96];
	bool live = f->run->end == RUN_RUNNING;

	if (rect_empty(at))
		return;
	if (!live || isnan(share))
		snprintf(text, sizeof(text), live ? "%s" : "%s · %s", fmt_duration(a, n->now_s),
			 run_end_name(f->run->end));
	else
		snprintf(text, sizeof(text), "%s left", fmt_duration(a, fmax(n->total_s - n->now_s, 0)));
	int x = draw_share(cv, at.x + 1, at.y, at.w >= 150 ? 48 : at.w >= 70 ? 28 : at.w / 4, f->run->end == RUN_DONE ? 1 : share);
	canvas_textn(cv, x, at.y, at.x + at.w - 1 - x, STYLE_TEXT, text);
}

/* Nothing has flowed yet: what is waited for or what went wrong, else what to do and what may be expected; where there
 * is room, beside what was measured before. */
static void draw_waiting(const struct frame *f, struct canvas *cv, struct rect at)
{
	int tests = (int)results_before(f->results, "", true, NULL, 0);
	bool known = !isnan(f->net->expect.base_bps), split = at.w >= 150 && at.h >= 8 && (known || tests);
	struct rect plot = cut_cols(&at, split ? at.w * 58 / 100 : at.w);
	struct rect before = cut_rows(&at, known && at.h >= 28 ? (tests < 3 ? 5 : tests < at.h - 22 ? tests + 2 : at.h - 20) : at.h);
	struct rect in = panel(cv, plot, STYLE_FRAME_BW, "Throughput", 0, NULL);
	bool failed = has_run(f) && *f->run->end_text;
	bool waits = f->starting || (has_run(f) && f->run->end == RUN_RUNNING);

	if (rect_empty(in))
		return;
	int used = !waits && !failed && f->net->has_peer ? 0 : /* the form says what starts it */
		   draw_wrapped(cv, (struct rect){ in.x + 1, in.y, in.w - 2, in.h < 3 ? in.h : 3 },
				waits || !failed ? STYLE_LABEL : STYLE_ERROR,
				waits	 ? "Waiting for the peer."
				: failed ? f->run->end_text
					 : "Name an iperf3 server: ebscope net --server is one. sim:net:0.25:512MiB "
					   "shows a task's burst without a network.");
	used += used && used + 6 < in.h;
	draw_net_outlook(cv, (struct rect){ in.x, in.y + used, in.w, in.h - used }, f->net, f->ink);
	draw_before_net(f, cv, before);
	in = panel(cv, at, STYLE_FRAME_LIST, "Others measured", 0, NULL);
	if (!rect_empty(in))
		draw_net_observed(cv, (struct rect){ in.x + 1, in.y, in.w - 2, in.h });
}

void view_network(const struct frame *f, struct canvas *cv)
{
	struct places p;
	bool live = has_run(f) && f->net_live->any;
	char now[FMT_LEN];

	place_all(f, cv->w, cv->h, &p);
	draw_header(f, cv, p.header);
	draw_keys(f, cv, p.keys);
	if (!rect_empty(p.summary)) {
		const char *peer = f->net->form.field[NF_PEER].value;
		draw_wrapped(cv, p.summary, STYLE_STRONG, live			      ? net_fmt_bps(now, f->net_live->now_bps)
							  : has_run(f) && *f->run->end_text ? f->run->end_text
							  : *peer			      ? peer
											      : "no peer yet");
		return;
	}
	if (!rect_empty(p.area[AREA_FORM]))
		draw_form(f, cv, p.area[AREA_FORM]);
	draw_expect(f, cv, p.area[AREA_EXPECT]);
	if (!live) {
		struct rect all = p.area[AREA_PLOT];
		all.w = cv->w;
		all.h += p.area[AREA_STREAMS].h; /* which stands under it */
		draw_waiting(f, cv, all);
		return;
	}
	draw_plot(f, cv, p.area[AREA_PLOT]);
	draw_credit(f, cv, p.area[AREA_CREDIT]);
	draw_streams(f, cv, p.area[AREA_STREAMS]);
	draw_said(f, cv, p.area[AREA_SAID]);
	draw_time(f, cv, p.progress);
}
