/* SPDX-License-Identifier: MIT */
#include "engine/knee.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

#define POINTS_MIN 3
#define FULL	   0.95
#define AT_LIMIT   0.90

static uint64_t depth(const struct workload *wl)
{
	return wl->iodepth * wl->numjobs;
}

static uint64_t depth_of(const struct result *r)
{
	return depth(&r->wl);
}

static bool has_figures(const struct result *r)
{
	return !r->failed && r->all.iops > 0 && r->lat.mean > 0;
}

/* The same work, deeper? */
static bool follows(const struct workload *before, const struct workload *wl)
{
	return wl->rw == before->rw && wl->bs == before->bs && depth(wl) > depth(before);
}

static bool is_series(const struct result *const *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (r[i]->kind != TEST_BLOCK || (i && !follows(&r[i - 1]->wl, &r[i]->wl)))
			return false;
	return true;
}

bool knee_planned(const struct run_header *h)
{
	for (unsigned i = 0; i < h->nr_planned; i++)
		if (h->planned[i].kind != TEST_BLOCK || (i && !follows(&h->planned[i - 1].wl, &h->planned[i].wl)))
			return false;
	return h->nr_planned >= POINTS_MIN && h->nr_planned <= KNEE_POINTS_MAX;
}

size_t knee_points(const struct result *const *r, size_t n, struct knee_point out[KNEE_POINTS_MAX])
{
	if (n > KNEE_POINTS_MAX || !is_series(r, n))
		return 0;
	for (size_t i = 0; i < n; i++)
		out[i] = has_figures(r[i]) ? (struct knee_point){ depth_of(r[i]), r[i]->all.iops, r[i]->lat.mean }
					   : (struct knee_point){ depth_of(r[i]), NAN, NAN };
	return n;
}

static void limit_of(const struct result *r, struct knee *k)
{
	const json_t *e = r->more ? json_object_get(r->more, "expected") : NULL;

	k->limit_iops = json_get_num(e, "iops_max", NAN);
	json_copy_text(e, "bound_by", k->limit_name, sizeof(k->limit_name));
}

bool knee_find(const struct result *const *r, size_t n, struct knee *k)
{
	double power = 0;
	size_t used = 0;

	*k = (struct knee){ .limit_iops = NAN };
	if (n < POINTS_MIN || !is_series(r, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!has_figures(r[i]))
			continue;
		used++;
		if (r[i]->all.iops / r[i]->lat.mean > power) {
			power = r[i]->all.iops / r[i]->lat.mean;
			k->iodepth = depth_of(r[i]);
			k->iops = r[i]->all.iops;
			k->lat_ns = r[i]->lat.mean;
		}
		k->most_iops = fmax(k->most_iops, r[i]->all.iops);
		k->deepest = depth_of(r[i]);
		k->deepest_iops = r[i]->all.iops;
		k->deepest_lat_ns = r[i]->lat.mean;
		limit_of(r[i], k);
	}
	for (size_t i = n; i-- > 0;) {
		if (has_figures(r[i]) && r[i]->all.iops >= FULL * k->most_iops)
			k->full_iodepth = depth_of(r[i]);
		if (has_figures(r[i]) && r[i]->all.iops >= AT_LIMIT * k->limit_iops)
			k->limit_iodepth = depth_of(r[i]);
	}
	k->rising = k->iodepth == k->deepest;
	return used >= POINTS_MIN;
}

char *knee_text(const struct knee *k, char *buf, size_t size)
{
	char a[FMT_LEN], b[FMT_LEN], c[FMT_LEN];
	int n;

	if (k->rising)
		n = snprintf(buf, size, "no knee up to iodepth %" PRIu64 ": more depth still gains more IOPS than it costs in latency (%s IOPS, %s)",
			     k->deepest, fmt_iops(a, k->deepest_iops), fmt_lat(b, k->deepest_lat_ns));
	else
		n = snprintf(buf, size,
			     "knee at iodepth %" PRIu64 ": %s IOPS at %s; from there to %" PRIu64 " IOPS change by %+.0f %%, latency is %.1f times as long (%s)",
			     k->iodepth, fmt_iops(a, k->iops), fmt_lat(b, k->lat_ns), k->deepest, 100 * (k->deepest_iops / k->iops - 1),
			     k->deepest_lat_ns / k->lat_ns, fmt_lat(c, k->deepest_lat_ns));
	if (n > 0 && (size_t)n < size && k->full_iodepth > k->iodepth)
		n += snprintf(buf + n, size - (size_t)n, "; all of it (%s IOPS) from iodepth %" PRIu64, fmt_iops(a, k->most_iops),
			      k->full_iodepth);
	if (n > 0 && (size_t)n < size && !isnan(k->limit_iops)) {
		if (k->limit_iodepth)
			snprintf(buf + n, size - (size_t)n, "; the documented %s IOPS (%s) are reached at iodepth %" PRIu64,
				 fmt_iops(a, k->limit_iops), *k->limit_name ? k->limit_name : "limit", k->limit_iodepth);
		else
			snprintf(buf + n, size - (size_t)n, "; the documented %s IOPS (%s) are not reached: %.0f %% of them",
				 fmt_iops(a, k->limit_iops), *k->limit_name ? k->limit_name : "limit", 100 * k->most_iops / k->limit_iops);
	}
	return buf;
}

json_t *knee_to_json(const struct knee *k)
{
	json_t *o = json_object();
	char text[400];

	json_object_set_new(o, "knee_iodepth", k->rising ? json_null() : json_u64(k->iodepth));
	json_object_set_new(o, "iops", json_num(k->iops));
	json_object_set_new(o, "lat_mean_ns", json_num(k->lat_ns));
	json_object_set_new(o, "full_iodepth", json_u64(k->full_iodepth));
	json_object_set_new(o, "most_iops", json_num(k->most_iops));
	json_object_set_new(o, "deepest", json_u64(k->deepest));
	json_object_set_new(o, "limit_iops", json_num(k->limit_iops));
	json_object_set_new(o, "limit", *k->limit_name ? json_text(k->limit_name) : json_null());
	json_object_set_new(o, "limit_iodepth", k->limit_iodepth ? json_u64(k->limit_iodepth) : json_null());
	json_object_set_new(o, "reason", json_text(knee_text(k, text, sizeof(text))));
	return o;
}
