/* SPDX-License-Identifier: MIT */
#include "engine/netio.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"

/**
 * A name being resolved on a thread of its own, since getaddrinfo() waits as long as it likes for a name
 * server that is gone. Two hold it: who asks, and the thread; the last one frees it.
 */
struct lookup {
	pthread_mutex_t lock;
	pthread_cond_t done;
	int refs; /* these three under lock */
	bool ready;
	int rc;
	struct addrinfo *result;
	struct addrinfo hints;
	char host[256], port[8];
};

static int gai_fail(struct err *err, int rc)
{
	return err_set(err, rc == EAI_AGAIN ? ETIMEDOUT : ENOENT, "cannot resolve the name: %s",
		       gai_strerror(rc));
}

/* Takes the lock's holder's reference. */
static void lookup_unref(struct lookup *l)
{
	bool last = --l->refs == 0;

	pthread_mutex_unlock(&l->lock);
	if (!last)
		return;
	if (l->result)
		freeaddrinfo(l->result);
	pthread_cond_destroy(&l->done);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

static void *lookup_main(void *arg)
{
	struct lookup *l = arg;
	struct addrinfo *result = NULL;
	int rc = getaddrinfo(l->host, l->port, &l->hints, &result);

	pthread_mutex_lock(&l->lock);
	l->rc = rc;
	l->result = rc ? NULL : result;
	l->ready = true;
	pthread_cond_signal(&l->done);
	lookup_unref(l);
	return NULL;
}

static int lookup_start(struct lookup *l, struct err *err)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all); /* signals are the main thread's */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(&thread, &attr, lookup_main, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc ? err_set(err, rc, "start a thread: %s", strerror(rc)) : 0;
}

static int lookup_wait(struct lookup *l, uint64_t deadline_ns, net_stop *stop, struct addrinfo **out,
		       struct err *err)
{
	int rc = 0;

	pthread_mutex_lock(&l->lock);
	while (!l->ready && !rc) {
		uint64_t now = clock_ns(), next = now + NET_STOP_CHECK_NS;
		struct timespec ts = clock_timespec(next < deadline_ns ? next : deadline_ns);
		if (net_stopped(stop))
			rc = err_set(err, ECANCELED, "stopped while resolving the name");
		else if (now >= deadline_ns)
			rc = err_set(err, ETIMEDOUT, "cannot resolve the name: no answer in time");
		else
			pthread_cond_timedwait(&l->done, &l->lock, &ts);
	}
	if (!rc && l->rc)
		rc = gai_fail(err, l->rc);
	if (!rc) {
		*out = l->result;
		l->result = NULL;
	}
	lookup_unref(l);
	return rc;
}

static int lookup_any(const char *host, const char *port, int family, uint64_t deadline_ns, net_stop *stop,
		      struct addrinfo **out, struct err *err)
{
	struct addrinfo hints = { .ai_family = family,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST };
	pthread_condattr_t attr;

	if (getaddrinfo(host, port, &hints, out) == 0)
		return 0;
	struct lookup *l = calloc(1, sizeof(*l));
	if (!l)
		return err_sys(err, "resolve");
	snprintf(l->host, sizeof(l->host), "%s", host);
	snprintf(l->port, sizeof(l->port), "%s", port);
	l->hints = hints;
	l->hints.ai_flags = 0;
	l->refs = 2;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->done, &attr);
	pthread_condattr_destroy(&attr);
	if (lookup_start(l, err) < 0) {
		l->refs = 1;
		pthread_mutex_lock(&l->lock);
		lookup_unref(l);
		return -1;
	}
	return lookup_wait(l, deadline_ns, stop, out, err);
}

int net_resolve(const char *host, uint16_t port, int family, uint64_t deadline_ns, net_stop *stop,
		struct net_addr out[NET_ADDR_MAX], struct err *err)
{
	char name[256], service[8];
	size_t len = strlen(host);

	if (len > 2 && host[0] == '[' && host[len - 1] == ']')
		host++, len -= 2;
	if (!len || len >= sizeof(name))
		return err_set(err, ERR_USAGE, "a host is a name or an address of 1 to 255 characters");
	memcpy(name, host, len);
	name[len] = '\0';
	snprintf(service, sizeof(service), "%u", port);
	struct addrinfo *list = NULL;
	if (lookup_any(name, service, family, deadline_ns, stop, &list, err) < 0)
		return -1;
	int n = 0;
	for (struct addrinfo *ai = list; ai && n < NET_ADDR_MAX; ai = ai->ai_next) {
		if (ai->ai_addrlen > sizeof(out[n].ss))
			continue;
		out[n] = (struct net_addr){ .len = ai->ai_addrlen };
		memcpy(&out[n++].ss, ai->ai_addr, ai->ai_addrlen);
	}
	freeaddrinfo(list);
	return n ? n : err_set(err, ENOENT, "cannot resolve the name: no address");
}
