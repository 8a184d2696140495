/* SPDX-License-Identifier: MIT */
#include "aws/netmodel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aws/netobs.h"
#include "engine/units.h"

/* A function of exactly a size that was measured has its own figures, not those of all. */
static void observed_exactly(const struct host *h, struct net_expect *out)
{
	const struct net_observation *o =
		h->kind == HOST_LAMBDA ? net_observed_function(NET_OBSERVED_REGION, (unsigned)h->mem_mib) : NULL;

	if (!o)
		return;
	out->base_bps = o->base_gbps * 1e9;
	out->peak_bps = o->burst_gbps * 1e9;
}

void net_expect_of(const struct host *host, unsigned streams, bool cluster, struct net_expect *out)
{
	*out = (struct net_expect){ .base_bps = NAN,
				    .peak_bps = NAN,
				    .burst_s = NAN,
				    .burst_bytes = NAN,
				    .flow_bps = NAN,
				    .streams = streams };
	if (!host || host->kind == HOST_NONE) {
		snprintf(out->label, sizeof(out->label), "no instance type or task size is known");
		return;
	}
	out->host = *host;
	out->base_bps = host->net_base;
	out->peak_bps = isnan(host->net_peak) ? host->net_base : host->net_peak;
	out->burst_s = host->net_burst_s;
	observed_exactly(host, out);
	out->burst_bytes = (out->peak_bps - out->base_bps) * out->burst_s / 8;
	out->observed = host->net_measured;
	if (out->observed)
		snprintf(out->label, sizeof(out->label), "observed " NET_OBSERVED_DATE ", " NET_OBSERVED_REGION
							 ", not a promise");
	else
		snprintf(out->label, sizeof(out->label), "%.80s", host->source ? host->source : "");
	if (host->kind == HOST_INSTANCE)
		out->flow_bps = cluster ? NET_FLOW_CLUSTER_BPS : NET_FLOW_BPS;
	if (out->peak_bps > 0)
		out->streams_needed =
			isnan(out->flow_bps) ? 1 : (unsigned)ceil(out->peak_bps / out->flow_bps);
}

static double capped(const struct net_expect *e, double bps)
{
	return isnan(e->flow_bps) ? bps : fmin(bps, e->flow_bps * e->streams);
}

double net_expect_peak(const struct net_expect *e)
{
	return isnan(e->peak_bps) ? NAN : capped(e, e->peak_bps);
}

double net_expect_base(const struct net_expect *e)
{
	return isnan(e->base_bps) ? NAN : capped(e, e->base_bps);
}

char *net_fmt_bps(char *buf, double bps)
{
	if (isnan(bps))
		snprintf(buf, FMT_LEN, "-");
	else if (bps >= 0.9995e9)
		snprintf(buf, FMT_LEN, "%.3g Gbps", bps / 1e9);
	else if (bps >= 0.9995e6 || bps == 0)
		snprintf(buf, FMT_LEN, "%.3g Mbps", bps / 1e6);
	else
		snprintf(buf, FMT_LEN, "%.3g kbps", bps / 1e3);
	return buf;
}

json_t *net_expect_to_json(const struct net_expect *e)
{
	char host[64];

	if (e->host.kind == HOST_NONE)
		return json_null();
	json_t *o = json_object();
	json_object_set_new(o, "host", json_text(host_text(&e->host, host, sizeof(host))));
	json_object_set_new(o, "baseline_bps", json_num(e->base_bps));
	json_object_set_new(o, "peak_bps", json_num(e->peak_bps));
	json_object_set_new(o, "burst_s", json_num(e->burst_s));
	json_object_set_new(o, "burst_bytes", json_num(e->burst_bytes));
	json_object_set_new(o, "single_flow_bps", json_num(e->flow_bps));
	json_object_set_new(o, "streams_needed",
			    e->streams_needed ? json_integer(e->streams_needed) : json_null());
	json_object_set_new(o, "bits_per_second_burst", json_num(net_expect_peak(e)));
	json_object_set_new(o, "bits_per_second_baseline", json_num(net_expect_base(e)));
	json_object_set_new(o, "observed", json_boolean(e->observed));
	json_object_set_new(o, "source", json_text(e->label));
	return o;
}
