/* SPDX-License-Identifier: MIT */
#include "tui/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of its thread and of who began it; the last of the two frees it, so that neither waits for the other. */
struct reading {
	atomic_int	      owners;
	atomic_bool	      cancel, done;
	int		      news_fd; /* our own */
	char		      hand[4096], path[4096], name[64];
	struct reading_result result;  /* the thread's until done */
};

static void drop(struct reading *r)
{
	if (atomic_fetch_sub(&r->owners, 1) > 1)
		return;
	ghost_release(&r->result.ghost);
	beside_release(&r->result.beside);
	close(r->news_fd);
	free(r);
}

static void *reading_main(void *arg)
{
	struct reading *r = arg;
	struct reading_result *to = &r->result;
	const uint64_t one = 1;

	int rc = to->what == READING_GHOST ? ghost_load(&to->ghost, r->path, r->name, &r->cancel, &to->err)
					   : beside_load(&to->beside, r->hand, r->path, &r->cancel, &to->err);
	to->failed = rc < 0;
	atomic_store(&r->done, true);
	if (write(r->news_fd, &one, sizeof(one)) < 0) {
		/* it is full of news already */
	}
	drop(r);
	return NULL;
}

struct reading *reading_start(enum reading_what what, const char *hand, const char *path, const char *name, int news_fd,
			      struct err *err)
{
	struct reading *r = calloc(1, sizeof(*r));
	sigset_t all, before;
	pthread_t thread;

	if (!r || (r->news_fd = fcntl(news_fd, F_DUPFD_CLOEXEC, 0)) < 0) {
		err_sys(err, "%s", path);
		free(r);
		return NULL;
	}
	r->owners = 2;
	r->result.what = what;
	snprintf(r->hand, sizeof(r->hand), "%s", hand);
	snprintf(r->path, sizeof(r->path), "%s", path);
	snprintf(r->name, sizeof(r->name), "%s", name);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are main's */
	int rc = pthread_create(&thread, NULL, reading_main, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc) {
		err_set(err, rc, "%s: %s", path, strerror(rc));
		close(r->news_fd);
		free(r);
		return NULL;
	}
	pthread_detach(thread);
	return r;
}

bool reading_done(const struct reading *r)
{
	return atomic_load(&r->done);
}

void reading_take(struct reading *r, struct reading_result *out)
{
	*out = r->result;
	r->result = (struct reading_result){ .failed = true };
	drop(r);
}

void reading_leave(struct reading *r)
{
	if (!r)
		return;
	atomic_store(&r->cancel, true);
	drop(r);
}
