/* SPDX-License-Identifier: MIT */
#include "tui/stopsig.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>

static const struct {
	int         sig;
	const char *name;
} stops[] = {
	{ SIGINT, "SIGINT" },
	{ SIGQUIT, "SIGQUIT" },
	{ SIGTERM, "SIGTERM" },
	{ SIGHUP, "SIGHUP" },
};

#define NR_STOPS (sizeof(stops) / sizeof(*stops))

/* nohup: one that is ignored would still be seen once it is blocked. */
static bool is_asked(int sig)
{
	struct sigaction now;

	return sig != SIGHUP || sigaction(sig, NULL, &now) < 0 || now.sa_handler != SIG_IGN;
}

void stopsig_block(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < NR_STOPS; i++) {
		if (is_asked(stops[i].sig))
			sigaddset(set, stops[i].sig);
	}
	pthread_sigmask(SIG_BLOCK, set, NULL);
}

int stopsig_open(void)
{
	sigset_t set;

	stopsig_block(&set);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void stopsig_catch(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	for (size_t i = 0; i < NR_STOPS; i++) {
		if (is_asked(stops[i].sig))
			sigaction(stops[i].sig, &sa, NULL);
	}
}

const char *stopsig_name(int sig)
{
	size_t i = 0;

	while (i < NR_STOPS - 1 && stops[i].sig != sig)
		i++;
	return stops[i].name;
}
