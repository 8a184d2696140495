/* SPDX-License-Identifier: MIT */
#include "tui/foreign.h"

#include <stdio.h>
#include <string.h>

static const char leave_out[] = "leave it out";
static const char target[] = "TARGET stands alone, behind the options";

struct foreign {
	const char *words; /* of one meaning, between commas: long ones without dashes, letters as they are typed */
	const char *ours;
};

/* fio 3.33 and bonnie++ 2.00, for the commands that run tests on a target. */
static const struct foreign disk[] = {
	{ "filename,directory,-d", target },
	{ "readwrite", "--rw" },
	{ "blocksize", "--bs" },
	{ "blocksize_range,bsrange,bssplit", "one size, --bs" },
	{ "filesize,io_size,io_limit,-s", "--size" },
	{ "buffered", "--direct=0" },
	{ "-D", "--direct=1" },
	{ "rwmixwrite", "--rwmixread" },
	{ "rate,rate_min", "--rate_iops, in I/Os a second" },
	{ "fsync,fdatasync,end_fsync,fsync_on_close,-b", "--sync=dsync, or --suite dd" },
	{ "loops,-x", "--repeat" },
	{ "output-format", "--format json, or fio for fio's own document" },
	{ "write_bw_log,write_iops_log,write_lat_log,bandwidth-log,log_avg_msec", "--format series, or export the recording so" },
	{ "randrepeat,allrandrepeat", "--randseed" },
	{ "offset,offset_increment", "a test begins at the start; --size says how far it goes" },
	{ "random_distribution,percentage_random,zonemode,zonesize,zonerange,zoneskip", "all of --size, each block as likely as any" },
	{ "thinktime,rate_process,latency_target", "--rate_iops holds the rate" },
	{ "verify,do_verify,verify_fatal,verify_backlog", "rates are measured here, data is not checked: fio does" },
	{ "number_ios,fill_device", "--size, once over it, or --runtime" },
	{ "section,showcmd,parse-only,client,server", "not here" },
	{ "allow_mounted_write", "a mounted device is never written" },
	{ "-n", "--files" },
	{ "-c", "--numjobs" },
	{ "-r", "the memory is known; --size for another file" },
	{ "-f", "--rw, or a suite without per-character tests" },
	{ "-p,-y", "--numjobs, or several targets with commas" },
	{ "-u,-g,-m,-q", leave_out },
	{ "name,group_reporting,time_based,thread,norandommap,gtod_reduce,eta,eta-newline,status-interval", leave_out },
	{ "refill_buffers,zero_buffers,buffer_compress_percentage,create_on_open,fallocate,nrfiles", leave_out },
	{ "exitall,stonewall,wait_for_previous,percentile_list,lat_percentiles,clat_percentiles,minimal", leave_out },
};

/* iperf3 3.12 and newer */
static const struct foreign network[] = {
	{ "client,-c", "HOST stands alone" },
	{ "json,json-stream,-J", "--format iperf3" },
	{ "logfile", "--output FILE" },
	{ "udp,-u,sctp", "TCP only" },
	{ "daemon,-D", "start it in the background, or from a systemd unit" },
	{ "pidfile,-I,affinity,-A,file,-F,flowlabel,-L,nstreams,bind-dev,username,rsa-private-key-path", "not here" },
	{ "-v", "--version" },
	{ "-f", "rates are in the unit that fits" },
	{ "verbose,get-server-output", "the table has it" },
	{ "zerocopy,-Z,debug,-d,title,-T,forceflush,timestamps,dont-fragment,repeating-payload,pacing-timer", leave_out },
	{ "rcv-timeout,snd-timeout,idle-timeout", "--connect-timeout; a peer that falls silent is noticed" },
};

static bool holds(const char *words, const char *word, size_t len)
{
	for (const char *at = words; *at;) {
		size_t n = strcspn(at, ",");
		if (n == len && strncmp(at, word, len) == 0)
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

static const struct foreign *find(const struct foreign *rows, size_t nr, const char *typed)
{
	bool is_long = strncmp(typed, "--", 2) == 0;
	const char *word = is_long ? typed + 2 : typed;
	size_t len = is_long ? strcspn(word, "=") : *typed == '-' && typed[1] ? 2 : 0; /* "-n16" is "-n 16" */

	for (size_t i = 0; len && i < nr; i++) {
		if (holds(rows[i].words, word, len))
			return &rows[i];
	}
	return NULL;
}

bool foreign_answer(const struct command *cmd, const char *first, int argc, char **argv, char *buf, size_t size)
{
	bool tests = cmd->groups & OPT_WORKLOAD, net = strcmp(cmd->name, "net") == 0;
	const struct foreign *rows = tests ? disk : network;
	size_t nr = tests ? sizeof(disk) / sizeof(*disk) : net ? sizeof(network) / sizeof(*network) : 0, used = 0;

	if (!find(rows, nr, first))
		return false;
	buf[0] = 0;
	for (size_t r = 0; r < nr; r++) {
		bool any = false;
		for (int i = 1; i < argc && used < size && strcmp(argv[i], "--") != 0; i++) {
			if (find(rows, nr, argv[i]) != &rows[r])
				continue;
			int len = (int)(strncmp(argv[i], "--", 2) == 0 ? strcspn(argv[i], "=") : 2);
			used += (size_t)snprintf(buf + used, size - used, "%s%.*s", any ? ", " : used ? "; " : "", len, argv[i]);
			any = true;
		}
		if (any && used < size)
			used += (size_t)snprintf(buf + used, size - used, ": %s", rows[r].ours);
	}
	return true;
}
