/* SPDX-License-Identifier: MIT */
#include "tui/foreign.h"

#include <stdio.h>
#include <string.h>

#include "engine/fio_words.h"
#include "engine/units.h"

static const char leave_out[] = "leave it out";

/* bonnie++ 2.00, for the commands that run tests on a target: beside fio's. Long ones without dashes, letters as they are typed. */
static const struct fio_word disk[] = {
	{ .words = "-d", .ours = "TARGET stands alone, behind the options" },
	{ .words = "-s", .ours = "--size" },
	{ .words = "-D", .ours = "--direct=1" },
	{ .words = "-b", .ours = "--sync=dsync, or --suite dd" },
	{ .words = "-x", .ours = "--repeat" },
	{ .words = "-n", .ours = "--files" },
	{ .words = "-c", .ours = "--numjobs" },
	{ .words = "-r", .ours = "the memory is known; --size for another file" },
	{ .words = "-f", .ours = "--rw, or a suite without per-character tests" },
	{ .words = "-p,-y", .ours = "--numjobs, or several targets with commas" },
	{ .words = "-u,-g,-m,-q", .ours = leave_out },
	{ .words = NULL },
};

/* iperf3 3.12 and newer */
static const struct fio_word network[] = {
	{ .words = "client,-c", .ours = "HOST stands alone" },
	{ .words = "json,json-stream,-J", .ours = "--format iperf3" },
	{ .words = "logfile", .ours = "--output FILE" },
	{ .words = "sctp", .ours = "TCP, or UDP with -u" },
	{ .words = "daemon,-D", .ours = "start it in the background, or from a systemd unit" },
	{ .words = "pidfile,-I,affinity,-A,file,-F,flowlabel,-L,nstreams,bind-dev,username,rsa-private-key-path", .ours = "not here" },
	{ .words = "-v", .ours = "--version" },
	{ .words = "-f", .ours = "rates are in the unit that fits" },
	{ .words = "verbose,get-server-output", .ours = "the table has it" },
	{ .words = "zerocopy,-Z,debug,-d,title,-T,forceflush,timestamps,dont-fragment,repeating-payload,pacing-timer", .ours = leave_out },
	{ .words = "rcv-timeout,snd-timeout,idle-timeout", .ours = "--connect-timeout; a peer that falls silent is noticed" },
	{ .words = NULL },
};

static const struct fio_word none[] = { { .words = NULL } };

static const struct fio_word *find(const struct fio_word *const tables[2], const char *typed)
{
	bool is_long = strncmp(typed, "--", 2) == 0;
	const char *word = is_long ? typed + 2 : typed;
	size_t len = is_long ? strcspn(word, "=") : *typed == '-' && typed[1] ? 2 : 0; /* "-n16" is "-n 16" */

	for (int t = 0; len && t < 2; t++) {
		for (const struct fio_word *w = tables[t]; w->words; w++) {
			if (word_in(w->words, word, len))
				return w;
		}
	}
	return NULL;
}

/* "--name, --thread: leave it out", behind what is there: all that are answered so. */
static size_t answer(const struct fio_word *const tables[2], const char *ours, int argc, char **argv, char *buf, size_t size, size_t used)
{
	bool any = false;

	for (int i = 1; i < argc && used < size && strcmp(argv[i], "--") != 0; i++) {
		const struct fio_word *w = find(tables, argv[i]);
		if (!w || strcmp(w->ours, ours) != 0)
			continue;
		int len = (int)(strncmp(argv[i], "--", 2) == 0 ? strcspn(argv[i], "=") : 2);
		used += (size_t)snprintf(buf + used, size - used, "%s%.*s", any ? ", " : used ? "; " : "", len, argv[i]);
		any = true;
	}
	return any && used < size ? used + (size_t)snprintf(buf + used, size - used, ": %s", ours) : used;
}

bool foreign_answer(const struct command *cmd, const char *first, int argc, char **argv, char *buf, size_t size)
{
	bool tests = cmd->groups & OPT_WORKLOAD, net = strcmp(cmd->name, "net") == 0;
	const struct fio_word *const tables[2] = { tests ? fio_words : net ? network : none, tests ? disk : none };
	const char *said[64];
	size_t nr = 0, used = 0;

	if (!find(tables, first))
		return false;
	buf[0] = 0;
	for (int t = 0; t < 2; t++) {
		for (const struct fio_word *w = tables[t]; w->words && nr < sizeof(said) / sizeof(*said); w++) {
			size_t i = 0;
			while (i < nr && strcmp(said[i], w->ours) != 0)
				i++;
			if (i < nr)
				continue;
			said[nr++] = w->ours;
			used = answer(tables, w->ours, argc, argv, buf, size, used);
		}
	}
	return true;
}
