/* SPDX-License-Identifier: MIT */
#include "engine/netudp.h"

#include <endian.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "engine/clock.h"

struct head {
	uint32_t s_be, us_be;
	uint32_t number_be[2]; /* one, or both as a u64 */
};

struct netudp {
	size_t len;
	bool wide;
	struct mmsghdr msg[NETUDP_BATCH];
	struct iovec iov[NETUDP_BATCH][2];
	struct head head[NETUDP_BATCH];
	char control[NETUDP_BATCH][CMSG_SPACE(sizeof(struct timespec))];
};

struct netudp *netudp_new(char *payload, size_t len, bool wide_numbers)
{
	struct netudp *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->len = len;
	u->wide = wide_numbers;
	for (unsigned i = 0; i < NETUDP_BATCH; i++) {
		u->iov[i][0] = (struct iovec){ &u->head[i], sizeof(u->head[i]) };
		u->iov[i][1] = (struct iovec){ payload, len - NETUDP_HEAD };
		u->msg[i].msg_hdr = (struct msghdr){ .msg_iov = u->iov[i], .msg_iovlen = 2 };
	}
	return u;
}

void netudp_free(struct netudp *u)
{
	free(u);
}

void netudp_receives(int fd)
{
	int on = 1;

	/* Where it does not work, the time at which we look will do. */
	(void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

uint64_t netudp_dropped(int fd)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) < 0 || len <= SK_MEMINFO_DROPS * sizeof(*info))
		return UINT64_MAX;
	return info[SK_MEMINFO_DROPS];
}

static uint64_t get(const _Atomic uint64_t *v)
{
	return atomic_load_explicit(v, memory_order_relaxed);
}

static void put(_Atomic uint64_t *v, uint64_t x)
{
	atomic_store_explicit(v, x, memory_order_relaxed);
}

static void write_number(struct netudp *u, struct head *h, uint64_t number)
{
	const uint64_t wide = htobe64(number);

	if (u->wide)
		memcpy(h->number_be, &wide, sizeof(wide));
	else
		h->number_be[0] = htobe32((uint32_t)number);
}

/* Of 32 bits: the number nearest to the highest so far that ends in them; 0 is before the first. */
static uint64_t read_number(const struct netudp *u, const struct head *h, uint64_t highest)
{
	uint64_t wide;

	memcpy(&wide, h->number_be, sizeof(wide));
	if (u->wide)
		return be64toh(wide);
	int64_t ahead = (int32_t)(be32toh(h->number_be[0]) - (uint32_t)highest);
	return ahead < 0 && (uint64_t)-ahead > highest ? 0 : highest + (uint64_t)ahead;
}

ssize_t netudp_send(struct netudp *u, struct netflow *f, unsigned n)
{
	uint64_t now = clock_ns(), number = get(&f->packets);

	for (unsigned i = 0; i < n; i++) {
		u->head[i].s_be = htobe32((uint32_t)(now / NS_PER_SEC));
		u->head[i].us_be = htobe32((uint32_t)(now % NS_PER_SEC / 1000));
		write_number(u, &u->head[i], number + i + 1);
		u->msg[i].msg_hdr.msg_control = NULL;
		u->msg[i].msg_hdr.msg_controllen = 0;
	}
	int sent = sendmmsg(f->fd, u->msg, n, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent < 0)
		return -1;
	put(&f->packets, number + (unsigned)sent);
	return (ssize_t)u->len * sent;
}

void netudp_arrived(struct netflow *f, uint64_t number, int64_t transit_ns)
{
	uint64_t highest = get(&f->packets), lost = get(&f->lost);

	if (number > highest) {
		put(&f->lost, lost + number - 1 - highest);
		put(&f->packets, number);
	} else {
		put(&f->late, get(&f->late) + 1);
		if (lost)
			put(&f->lost, lost - 1);
	}
	double jitter = (double)get(&f->jitter_ns);
	double d = f->seen ? (double)llabs(transit_ns - f->transit_ns) : 0;
	put(&f->jitter_ns, (uint64_t)(jitter + (d - jitter) / 16 + 0.5));
	f->transit_ns = transit_ns;
	f->seen = true;
}

/* When it arrived, as the kernel noted, else @p now. */
static int64_t arrival_ns(struct msghdr *m, int64_t now)
{
	struct timespec ts;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
			return ts.tv_sec * (int64_t)NS_PER_SEC + ts.tv_nsec;
		}
	return now;
}

ssize_t netudp_receive(struct netudp *u, struct netflow *f, bool counted, unsigned *got)
{
	struct timespec ts;
	ssize_t bytes = 0;

	for (unsigned i = 0; i < NETUDP_BATCH; i++) {
		u->msg[i].msg_hdr.msg_control = u->control[i];
		u->msg[i].msg_hdr.msg_controllen = sizeof(u->control[i]);
	}
	int n = recvmmsg(f->fd, u->msg, NETUDP_BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
	*got = n > 0 ? (unsigned)n : 0;
	if (n < 0)
		return -1;
	clock_gettime(CLOCK_REALTIME, &ts);
	for (unsigned i = 0; counted && i < *got; i++) {
		const struct head *h = &u->head[i];
		if (u->msg[i].msg_len < NETUDP_HEAD) /* none of a test: a greeting that was sent twice */
			continue;
		bytes += u->msg[i].msg_len;
		int64_t sent = be32toh(h->s_be) * (int64_t)NS_PER_SEC + be32toh(h->us_be) * INT64_C(1000);
		int64_t arrived = arrival_ns(&u->msg[i].msg_hdr, ts.tv_sec * (int64_t)NS_PER_SEC + ts.tv_nsec);
		netudp_arrived(f, read_number(u, h, get(&f->packets)), arrived - sent);
	}
	return bytes;
}
