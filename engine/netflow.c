/* SPDX-License-Identifier: MIT */
#include "engine/netflow.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/netio.h"
#include "engine/netudp.h"

enum mode { MODE_RUN, MODE_DRAIN, MODE_QUIT };

/* After so many rounds of streams that never block, ask whether a blocked one may go on. */
#define ROUNDS_BETWEEN_POLLS 8

struct mover {
	struct netflow_set *set;
	struct netflow **own; /* borrowed from the caller's array */
	unsigned n, blocked;
	int epoll;
	char *buf;
	struct netudp *udp; /* NULL: streams of bytes */
	pthread_t thread;
	bool started;
};

struct netflow_set {
	struct netflow_opts opts;
	_Atomic int mode;
	_Atomic uint64_t moved; /* over all streams; kept only under a limit */
	bool rest;              /* written before the mode changes */
	uint64_t start_ns;
	int wake, quit, limit_fd; /* eventfds: drain, quit, limit reached */
	unsigned threads, acked;  /* acked under lock */
	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct mover *mover;
	struct netflow **order;
};

static unsigned cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

unsigned netflow_threads(unsigned streams, unsigned nr_cores, bool peer_here)
{
	unsigned most = peer_here ? (nr_cores + 1) / 2 : nr_cores;

	return streams < most ? streams : most;
}

static int mode_get(const struct netflow_set *set)
{
	return atomic_load_explicit(&set->mode, memory_order_acquire);
}

static void count(struct netflow_set *set, struct netflow *f, size_t n)
{
	/* One writer a counter: a load and a store do. */
	atomic_store_explicit(&f->bytes, atomic_load_explicit(&f->bytes, memory_order_relaxed) + n,
			      memory_order_relaxed);
	if (!set->opts.limit)
		return;
	uint64_t before = atomic_fetch_add_explicit(&set->moved, n, memory_order_relaxed);
	if (before < set->opts.limit && before + n >= set->opts.limit)
		eventfd_write(set->limit_fd, 1);
}

static void ended(struct netflow *f, int why)
{
	atomic_store_explicit(&f->ended, why, memory_order_relaxed);
}

static void blocked(struct mover *m, struct netflow *f)
{
	f->blocked = true;
	m->blocked++;
}

/*
 * When the next block is due under a rate: the time at which everything sent so far, at that rate, has been
 * sent. An average since the start, so that a late wake-up is caught up.
 */
static void pace(const struct netflow_set *set, struct netflow *f)
{
	double sent = 8.0 * (double)atomic_load_explicit(&f->bytes, memory_order_relaxed);
	double ahead = 8.0 * (double)set->opts.len * (double)(set->opts.burst > 1 ? set->opts.burst - 1 : 0);

	f->due_ns = set->start_ns +
		    (uint64_t)((sent > ahead ? sent - ahead : 0) / (double)set->opts.rate_bps * 1e9);
}

/* How many datagrams are due: a few go one by one, each with its own time; those of a fast sender in batches. */
static unsigned datagrams_due(const struct netflow_set *set, const struct netflow *f, uint64_t now, size_t left)
{
	uint64_t n = NETUDP_BATCH, whole = (left + set->opts.len - 1) / set->opts.len;

	if (set->opts.rate_bps)
		n = (uint64_t)((double)(now - f->due_ns) / 1e9 * (double)set->opts.rate_bps / 8 / (double)set->opts.len);
	if (n < NETUDP_BATCH / 4)
		n = 1;
	n = n < NETUDP_BATCH ? n : NETUDP_BATCH;
	return (unsigned)(n < whole ? n : whole);
}

static bool send_block(struct mover *m, struct netflow *f, uint64_t now)
{
	struct netflow_set *set = m->set;
	size_t want = set->opts.len, left = SIZE_MAX / 2;

	if (set->opts.limit) {
		uint64_t moved = atomic_load_explicit(&set->moved, memory_order_relaxed);
		if (moved >= set->opts.limit)
			return false;
		left = (size_t)(set->opts.limit - moved);
	}
	if (left < want)
		want = left;
	ssize_t w = m->udp ? netudp_send(m->udp, f, datagrams_due(set, f, now, left))
			   : send(f->fd, m->buf, want, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (w < 0) {
		if (errno == EAGAIN)
			blocked(m, f);
		else if (errno != EINTR && errno != ENOBUFS)
			ended(f, errno);
		return errno == EINTR || errno == ENOBUFS;
	}
	count(set, f, (size_t)w);
	if (set->opts.rate_bps)
		pace(set, f);
	/* Edge-triggered: a short write says that the buffer is full, and room in it will be an event. */
	if ((size_t)w < want)
		blocked(m, f);
	return true;
}

static bool receive_datagrams(struct mover *m, struct netflow *f, int mode)
{
	unsigned got;
	ssize_t r = netudp_receive(m->udp, f, mode == MODE_RUN, &got);

	if (r > 0)
		count(m->set, f, (size_t)r);
	if (r < 0 && errno != EAGAIN && errno != EINTR)
		ended(f, errno);
	else if (got < NETUDP_BATCH && !(r < 0 && errno == EINTR))
		blocked(m, f);
	return got > 0;
}

static bool receive_block(struct mover *m, struct netflow *f, int mode)
{
	if (m->udp)
		return receive_datagrams(m, f, mode);
	const struct netflow_opts *o = &m->set->opts;
	int trunc = o->skip_copy || mode != MODE_RUN ? MSG_TRUNC : 0;
	ssize_t r = recv(f->fd, m->buf, o->len, MSG_DONTWAIT | trunc);

	if (r > 0) {
		if (mode == MODE_RUN)
			count(m->set, f, (size_t)r);
		/* As above; but no event follows an end of the stream that was already announced. */
		if ((uint64_t)r < o->len && !f->hup)
			blocked(m, f);
		return true;
	}
	if (r == 0)
		ended(f, NETFLOW_EOF);
	else if (errno == EAGAIN)
		blocked(m, f);
	else if (errno != EINTR)
		ended(f, errno);
	return r < 0 && errno == EINTR;
}

/* A sender that does not stop must not keep us: no receive buffer holds more. */
#define REST_MAX (16U << 20)

/* What has come already still counts. */
static void take_rest(struct mover *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		struct netflow *f = m->own[i];
		size_t taken = 0;
		unsigned got;
		while (!f->sends && taken < REST_MAX) {
			ssize_t r = m->udp ? netudp_receive(m->udp, f, true, &got)
					   : recv(f->fd, m->buf, m->set->opts.len, MSG_DONTWAIT | MSG_TRUNC);
			if (r <= 0)
				break;
			count(m->set, f, (size_t)r);
			taken += (size_t)r;
		}
	}
}

static void acknowledge(struct netflow_set *set)
{
	pthread_mutex_lock(&set->lock);
	set->acked++;
	pthread_cond_signal(&set->cond);
	pthread_mutex_unlock(&set->lock);
}

/* One look at each stream that may go on. @return whether anything moved; *due_ns is when a paced one may. */
static bool round_of(struct mover *m, int mode, uint64_t *due_ns)
{
	bool any = false;
	uint64_t now = m->set->opts.rate_bps ? clock_ns() : 0;

	for (unsigned i = 0; i < m->n; i++) {
		struct netflow *f = m->own[i];
		if (f->blocked || atomic_load_explicit(&f->ended, memory_order_relaxed))
			continue;
		if (!f->sends) {
			any |= receive_block(m, f, mode);
			continue;
		}
		if (mode != MODE_RUN)
			continue;
		if (f->due_ns > now) {
			if (f->due_ns < *due_ns)
				*due_ns = f->due_ns;
			continue;
		}
		any |= send_block(m, f, now);
	}
	return any;
}

static void wait_events(struct mover *m, int timeout_ms)
{
	struct epoll_event ev[64];
	int n = epoll_wait(m->epoll, ev, 64, timeout_ms);

	for (int i = 0; i < n; i++) {
		struct netflow *f = ev[i].data.ptr;
		if (!f)
			continue;
		f->hup |= (ev[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
		if (f->blocked) {
			f->blocked = false;
			m->blocked--;
		}
	}
}

static void *mover_main(void *arg)
{
	struct mover *m = arg;
	struct netflow_set *set = m->set;
	bool acked = false;
	unsigned rounds = 0;

	for (int mode; (mode = mode_get(set)) != MODE_QUIT;) {
		if (mode == MODE_DRAIN && !acked) {
			acked = true;
			if (set->rest)
				take_rest(m);
			acknowledge(set);
			epoll_ctl(m->epoll, EPOLL_CTL_DEL, set->wake, NULL);
		}
		uint64_t due = UINT64_MAX;
		if (round_of(m, mode, &due)) {
			if (m->blocked && ++rounds % ROUNDS_BETWEEN_POLLS == 0)
				wait_events(m, 0);
			continue;
		}
		int timeout = -1;
		if (due != UINT64_MAX) {
			uint64_t now = clock_ns();
			uint64_t left = due > now ? due - now : 0;
			timeout = left < NS_PER_SEC ? (int)((left + 999999) / 1000000) : 1000;
		}
		wait_events(m, timeout);
	}
	return NULL;
}

static int mover_init(struct mover *m, struct err *err)
{
	struct netflow_set *set = m->set;
	struct epoll_event wake = { .events = EPOLLIN };

	m->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (m->epoll < 0 || epoll_ctl(m->epoll, EPOLL_CTL_ADD, set->wake, &wake) < 0 ||
	    epoll_ctl(m->epoll, EPOLL_CTL_ADD, set->quit, &wake) < 0)
		return err_sys(err, "epoll");
	for (unsigned i = 0; i < m->n; i++) {
		struct netflow *f = m->own[i];
		struct epoll_event ev = { .events = EPOLLET | (f->sends ? EPOLLOUT : EPOLLIN | EPOLLRDHUP),
					  .data.ptr = f };
		if (epoll_ctl(m->epoll, EPOLL_CTL_ADD, f->fd, &ev) < 0)
			return err_sys(err, "epoll");
		if (set->opts.udp && !f->sends)
			netudp_receives(f->fd);
	}
	m->buf = malloc(set->opts.len);
	if (!m->buf)
		return err_sys(err, "block of %llu bytes", (unsigned long long)set->opts.len);
	/* Bytes that no link compresses away. */
	uint64_t x = 0x9e3779b97f4a7c15ULL;
	for (uint64_t i = 0; i < set->opts.len; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		m->buf[i] = (char)x;
	}
	m->udp = set->opts.udp ? netudp_new(m->buf, set->opts.len, set->opts.wide_numbers) : NULL;
	if (set->opts.udp && !m->udp)
		return err_sys(err, "datagrams");
	return 0;
}

static void mover_release(struct mover *m)
{
	if (m->epoll >= 0)
		close(m->epoll);
	netudp_free(m->udp);
	free(m->buf);
}

static int threads_start(struct netflow_set *set, struct err *err)
{
	sigset_t all, old;
	int rc = 0;

	sigfillset(&all); /* signals are the main thread's */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned i = 0; i < set->threads && !rc; i++) {
		rc = pthread_create(&set->mover[i].thread, NULL, mover_main, &set->mover[i]);
		set->mover[i].started = !rc;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc ? err_set(err, rc, "start a thread: %s", strerror(rc)) : 0;
}

/* Deal the streams round: both directions of a bidirectional test then meet on each thread. */
static void deal(struct netflow_set *set, struct netflow *flows, unsigned n)
{
	struct netflow **next = set->order;

	for (unsigned t = 0; t < set->threads; t++) {
		set->mover[t] = (struct mover){ .set = set, .own = next, .epoll = -1 };
		for (unsigned i = t; i < n; i += set->threads)
			*next++ = &flows[i];
		set->mover[t].n = (unsigned)(next - set->mover[t].own);
	}
}

struct netflow_set *netflow_start(struct netflow *flows, unsigned n, const struct netflow_opts *opts,
				  struct err *err)
{
	struct netflow_set *set = calloc(1, sizeof(*set));

	if (!set) {
		err_sys(err, "streams");
		return NULL;
	}
	set->opts = *opts;
	set->threads = netflow_threads(n, cores(), net_peer_is_here(flows[0].fd));
	pthread_mutex_init(&set->lock, NULL);
	pthread_cond_init(&set->cond, NULL);
	set->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	set->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	set->limit_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	set->mover = calloc(set->threads, sizeof(*set->mover));
	set->order = calloc(n, sizeof(struct netflow *));
	if (set->wake < 0 || set->quit < 0 || set->limit_fd < 0 || !set->mover || !set->order) {
		err_sys(err, "streams");
		goto fail;
	}
	deal(set, flows, n);
	for (unsigned i = 0; i < set->threads; i++)
		if (mover_init(&set->mover[i], err) < 0)
			goto fail;
	set->start_ns = clock_ns();
	for (unsigned i = 0; i < n; i++)
		flows[i].due_ns = opts->rate_bps ? set->start_ns : 0;
	if (threads_start(set, err) < 0)
		goto fail;
	return set;
fail:
	netflow_finish(set);
	return NULL;
}

unsigned netflow_set_threads(const struct netflow_set *set)
{
	return set->threads;
}

int netflow_limit_fd(const struct netflow_set *set)
{
	return set->limit_fd;
}

void netflow_drain(struct netflow_set *set, bool rest)
{
	int running = MODE_RUN;

	if (mode_get(set) != MODE_RUN)
		return;
	set->rest = rest;
	if (!atomic_compare_exchange_strong(&set->mode, &running, MODE_DRAIN))
		return;
	eventfd_write(set->wake, 1);
	pthread_mutex_lock(&set->lock);
	while (set->acked < set->threads)
		pthread_cond_wait(&set->cond, &set->lock);
	pthread_mutex_unlock(&set->lock);
}

void netflow_finish(struct netflow_set *set)
{
	if (!set)
		return;
	atomic_store_explicit(&set->mode, MODE_QUIT, memory_order_release);
	if (set->quit >= 0)
		eventfd_write(set->quit, 1);
	for (unsigned i = 0; set->mover && i < set->threads; i++) {
		if (set->mover[i].started)
			pthread_join(set->mover[i].thread, NULL);
		if (set->mover[i].set)
			mover_release(&set->mover[i]);
	}
	const int fds[] = { set->wake, set->quit, set->limit_fd };
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	pthread_mutex_destroy(&set->lock);
	pthread_cond_destroy(&set->cond);
	free(set->mover);
	free(set->order);
	free(set);
}
