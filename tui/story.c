/* SPDX-License-Identifier: MIT */
#include "tui/story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct story_line gp2_burst[] = {
	{ STORY_START, 0, "A gp2 volume of 100 GiB earns 300 I/O credits a second, 3 for each GiB, and starts with 5.4 million of "
			  "them. While they last it may do 3,000 IOPS." },
	{ STORY_SECONDS, 8, "At 3,000 IOPS it spends 2,700 credits a second more than it earns. The gauge shows the bucket "
			    "draining: 5,400,000 / 2,700 is 2,000 seconds, half an hour of the volume's time." },
	{ STORY_EMPTY, 0, "The bucket is empty. From here on the volume gives what it earns, 300 IOPS, and latency grows tenfold "
			  "since the same 32 I/Os now wait in a slower queue. It would need 18,000 s of rest to be full again." },
	{ STORY_DONE, 0, "A short test would have reported 3,000 IOPS. A volume that must hold more than 300 should be gp3 "
			 "(3,000 without a bucket) or larger." },
	{ 0 },
};

static const struct story_line st1_scan[] = {
	{ STORY_START, 0, "An st1 volume of 1 TiB may burst at 250 MiB/s while it has credits, and earns 40 MiB of them a second. "
			  "A full bucket, 1 TiB, is meant to pay for one scan of the whole volume." },
	{ STORY_SECONDS, 10, "Large sequential reads cost what they move. Small random reads would cost a whole MiB each: an HDD "
			     "volume counts in MiB, not in I/Os." },
	{ STORY_EMPTY, 0, "The scan is paid for and the bucket is empty: the volume falls to its baseline of 40 MiB/s. A second scan "
			  "now would take more than six times as long." },
	{ STORY_DONE, 0, "Throughput of st1 grows with size: at 12.5 TiB baseline and burst are both 500 MiB/s and nothing drains." },
	{ 0 },
};

static const struct story_line instance_cap[] = {
	{ STORY_START, 0, "An io2 volume bought with 64,000 IOPS, attached to an m5.large. The volume could do all of it; the instance's "
			  "EBS link allows 18,750 IOPS, and that only for 30 minutes a day." },
	{ STORY_SECONDS, 8, "The plot runs along the host's line, far below the volume's. Nothing is wrong with the volume: more "
			    "provisioned IOPS would change nothing." },
	{ STORY_EMPTY, 0, "The instance's own burst is over: it falls to its baseline of 3,600 IOPS. The volume is still innocent." },
	{ STORY_DONE, 0, "To use such a volume, choose the instance by its EBS baseline, not by its 'up to' figure." },
	{ 0 },
};

static const struct story_line shallow[] = {
	{ STORY_START, 0, "A gp3 volume bought with 16,000 IOPS, tested with one I/O at a time. Each takes about a millisecond, so one "
			  "in flight can't be more than 1,000 a second." },
	{ STORY_SECONDS, 6, "The volume is idle most of the time. Press ] to add I/Os in flight: the rate rises in step until the limit "
			    "line is reached. Needed are about rate times latency: 16,000 x 1 ms is 16." },
	{ STORY_DONE, 0, "A shallow queue makes any volume look slow. Before you buy IOPS, look at how many I/Os are in flight." },
	{ 0 },
};

static const struct story_line raid0[] = {
	{ STORY_START, 0, "Ten gp2 volumes of 20 GiB, striped as RAID 0, on an m5.large. Together they may burst to 30,000 IOPS; the "
			  "instance's link allows 18,750." },
	{ STORY_SECONDS, 8, "The host's line binds, so a set of five would have been just as fast. More members will not help." },
	{ STORY_EMPTY, 0, "The instance's burst is spent after 30 minutes of its time: 3,600 IOPS. Much later the volumes' own buckets are "
			  "empty as well, and 10 x 100 IOPS are left." },
	{ STORY_DONE, 0, "Two limits, two buckets, one after the other. The lowest line at each moment is the one that holds." },
	{ 0 },
};

static const struct story_line fargate[] = {
	{ STORY_START, 0, "A Fargate task of 2 vCPU with a gp3 volume of 16,000 IOPS. For task sizes from 2 vCPU on AWS documents an EBS "
			  "baseline; below that it documents none." },
	{ STORY_SECONDS, 8, "The task's figure is far below the volume's. It is a floor to plan with: a task may do more now and then, "
			    "but nothing promises it." },
	{ STORY_DONE, 0, "In a task the size of the task sets the storage you can count on. Match the volume to it, or pay for IOPS that "
			 "can't be reached." },
	{ 0 },
};

const struct story stories[] = {
	{ "gp2-burst", "gp2: the burst that ends", "gp2:100", "", "", "", "randread", "16k", "32", "45s", 100, gp2_burst },
	{ "st1-scan", "st1: one scan is paid for", "st1:1024", "", "", "", "read", "1m", "16", "45s", 200, st1_scan },
	{ "instance-cap", "the instance hides a big io2", "io2:500:64000", "", "m5.large", "", "randread", "16k", "64", "45s", 80,
	  instance_cap },
	{ "shallow-queue", "the queue is too shallow", "gp3:500:16000:1000", "", "", "", "randread", "16k", "1", "30s", 1, shallow },
	{ "raid0-m5", "RAID 0 under an m5.large", "10*gp2:20", "0", "m5.large", "", "randread", "16k", "64", "50s", 300, raid0 },
	{ "fargate-2vcpu", "Fargate: 2 vCPU and a fast volume", "gp3:500:16000:1000", "", "", "2:4", "randread", "16k", "64", "30s", 1,
	  fargate },
	{ 0 },
};

const struct story *story_find(const char *name, struct err *err)
{
	const char *names[32] = { 0 };

	for (size_t i = 0; stories[i].name && i < 31; i++) {
		if (strcmp(stories[i].name, name) == 0)
			return &stories[i];
		names[i] = stories[i].name;
	}
	const char *near = closest_name(name, names);
	err_set(err, ERR_USAGE, "there is no story '%.40s'%s%s%s (see --list-stories)", name, near ? "; did you mean " : "",
		near ? near : "", near ? "?" : "");
	return NULL;
}

int story_setup(const struct story *st, struct setup *s, struct err *err)
{
	const char *const fields[][2] = { { "rw", st->rw }, { "bs", st->bs }, { "iodepth", st->iodepth }, { "runtime", st->runtime } };

	strcpy(s->story, st->name);
	strcpy(s->target, "sim:");
	strcpy(s->volume, st->volume);
	strcpy(s->raid, st->raid);
	strcpy(s->instance, st->instance);
	strcpy(s->task, st->task);
	s->suite[0] = 0;
	s->nr_workloads = 0;
	s->wl_given = 0;
	s->shaped = true;
	s->shape[0] = 0;
	s->time_scale = st->time_scale;
	s->credits = NAN;
	for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++) {
		if (workload_set(&s->wl, fields[k][0], fields[k][1], err) < 0)
			return -1;
		for (unsigned i = 0; workload_fields[i].key; i++)
			s->wl_given |= strcmp(workload_fields[i].key, fields[k][0]) == 0 ? 1u << i : 0;
	}
	return 0;
}

const struct story *story_of(const struct run_header *h)
{
	const char *name = json_get_text(json_object_get(h->doc, "setup"), "story", "");

	for (const struct story *st = stories; st->name; st++) {
		if (strcmp(st->name, name) == 0)
			return st;
	}
	return NULL;
}

size_t story_says(const struct story *st, double t_s, bool empty, bool done, const char **say, size_t max)
{
	size_t n = 0;

	for (const struct story_line *l = st->lines; l->text && n < max; l++) {
		if (l->when == STORY_START || (l->when == STORY_SECONDS && t_s >= l->at) || (l->when == STORY_EMPTY && empty) ||
		    (l->when == STORY_DONE && done))
			say[n++] = l->text;
	}
	return n;
}
