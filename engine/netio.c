/* SPDX-License-Identifier: MIT */
#include "engine/netio.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"

static int opt_int(int fd, int level, int name, uint64_t value, const char *what, struct err *err)
{
	int v = value > INT32_MAX ? INT32_MAX : (int)value;

	if (setsockopt(fd, level, name, &v, sizeof(v)) < 0)
		return err_sys(err, "set %s %d", what, v);
	return 0;
}

int net_sockopts_apply(int fd, int family, const struct net_sockopts *o, struct err *err)
{
	if (o->window && (opt_int(fd, SOL_SOCKET, SO_SNDBUF, o->window, "window", err) < 0 ||
			  opt_int(fd, SOL_SOCKET, SO_RCVBUF, o->window, "window", err) < 0))
		return -1;
	if (o->mss && opt_int(fd, IPPROTO_TCP, TCP_MAXSEG, o->mss, "segment size", err) < 0)
		return -1;
	if (o->nodelay && opt_int(fd, IPPROTO_TCP, TCP_NODELAY, 1, "no delay", err) < 0)
		return -1;
	if (o->tos && opt_int(fd, family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP,
			      family == AF_INET6 ? IPV6_TCLASS : IP_TOS, o->tos, "type of service", err) < 0)
		return -1;
	if (o->congestion && *o->congestion &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, o->congestion, (socklen_t)strlen(o->congestion)) < 0)
		return err_sys(err, "set congestion control %s", o->congestion);
	if (o->max_pacing_bps) {
		uint64_t bytes = o->max_pacing_bps / 8;
		if (setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes, sizeof(bytes)) < 0)
			return err_sys(err, "set pacing rate");
	}
	return 0;
}

static int bind_local(int fd, int family, const struct net_sockopts *o, struct err *err)
{
	struct net_addr at[NET_ADDR_MAX];

	if (!o->bind && !o->bind_port)
		return 0;
	const char *any = family == AF_INET6 ? "::" : "0.0.0.0";
	if (net_resolve(o->bind ? o->bind : any, o->bind_port, family, clock_ns() + NS_PER_SEC, NULL, at,
			err) < 0)
		return err_wrap(err, "bind to %s", o->bind ? o->bind : any);
	opt_int(fd, SOL_SOCKET, SO_REUSEADDR, 1, "reuse", err);
	if (bind(fd, (struct sockaddr *)&at[0].ss, at[0].len) < 0)
		return err_sys(err, "bind to %s", o->bind ? o->bind : any);
	return 0;
}

int net_wait(int fd, short events, uint64_t deadline_ns, net_stop *stop, struct err *err)
{
	for (;;) {
		if (net_stopped(stop))
			return err_set(err, ECANCELED, "stopped");
		uint64_t now = clock_ns();
		uint64_t left = now < deadline_ns ? deadline_ns - now : 0;
		if (stop && left > NET_STOP_CHECK_NS)
			left = NET_STOP_CHECK_NS;
		struct pollfd p = { .fd = fd, .events = events };
		struct timespec ts = clock_timespec(left);
		int rc = ppoll(&p, 1, &ts, NULL);
		if (rc > 0)
			return p.revents;
		if (rc < 0 && errno != EINTR)
			return err_sys(err, "poll");
		if (clock_ns() >= deadline_ns)
			return 0;
	}
}

static int connect_wait(int fd, const struct net_addr *to, uint64_t deadline_ns, net_stop *stop,
			struct err *err)
{
	if (connect(fd, (const struct sockaddr *)&to->ss, to->len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return err_sys(err, "connect");
	int got = net_wait(fd, POLLOUT, deadline_ns, stop, err);
	if (got < 0)
		return -1;
	if (got == 0)
		return err_set(err, ETIMEDOUT, "connect: no answer in time");
	int failed = 0;
	socklen_t len = sizeof(failed);
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len) < 0)
		return err_sys(err, "connect");
	errno = failed;
	return failed ? err_sys(err, "connect") : 0;
}

static int connect_type(int type, const struct net_addr *to, const struct net_sockopts *opts, uint64_t deadline_ns,
			net_stop *stop, struct err *err)
{
	int family = to->ss.ss_family;
	int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(err, "socket");
	if (net_sockopts_apply(fd, family, opts, err) < 0 || bind_local(fd, family, opts, err) < 0 ||
	    connect_wait(fd, to, deadline_ns, stop, err) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

int net_connect(const struct net_addr *to, const struct net_sockopts *opts, uint64_t deadline_ns,
		net_stop *stop, struct err *err)
{
	return connect_type(SOCK_STREAM, to, opts, deadline_ns, stop, err);
}

int net_udp_connect(const struct net_addr *to, const struct net_sockopts *opts, struct err *err)
{
	return connect_type(SOCK_DGRAM, to, opts, UINT64_MAX, NULL, err);
}

int net_udp_bind(const struct net_addr *at, const struct net_sockopts *opts, struct err *err)
{
	int family = at->ss.ss_family, fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	char text[NET_ADDR_TEXT];

	if (fd < 0)
		return err_sys(err, "socket");
	if (net_sockopts_apply(fd, family, opts, err) < 0 ||
	    opt_int(fd, SOL_SOCKET, SO_REUSEADDR, 1, "reuse", err) < 0)
		goto fail;
	if (bind(fd, (const struct sockaddr *)&at->ss, at->len) == 0)
		return fd;
	err_sys(err, "bind to %s", net_addr_text(at, text));
fail:
	close(fd);
	return -1;
}

int net_connect_any(const struct net_addr *to, int n, const struct net_sockopts *opts, uint64_t deadline_ns,
		    net_stop *stop, int *which, struct err *err)
{
	for (int i = 0; i < n; i++) {
		uint64_t now = clock_ns();
		uint64_t left = now < deadline_ns ? deadline_ns - now : 0;
		int fd = net_connect(&to[i], opts, now + left / (uint64_t)(n - i), stop, err);
		if (fd >= 0) {
			*which = i;
			return fd;
		}
		if (err->code == ECANCELED)
			break;
	}
	return -1;
}

/* One listening socket on one address; -1 with errno set. */
static int listen_at(const struct net_addr *at, bool both, const struct net_sockopts *opts, struct err *err)
{
	int family = at->ss.ss_family;
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(err, "socket");
	if (net_sockopts_apply(fd, family, opts, err) < 0 ||
	    opt_int(fd, SOL_SOCKET, SO_REUSEADDR, 1, "reuse", err) < 0 ||
	    (family == AF_INET6 &&
	     opt_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, both ? 0 : 1, "IPv6 only", err) < 0))
		goto fail;
	char text[NET_ADDR_TEXT];
	if (bind(fd, (const struct sockaddr *)&at->ss, at->len) < 0 || listen(fd, 512) < 0) {
		err_sys(err, "listen on %s", net_addr_text(at, text));
		goto fail;
	}
	return fd;
fail:
	close(fd);
	return -1;
}

int net_listen(uint16_t port, const struct net_sockopts *opts, struct err *err)
{
	struct net_addr at[NET_ADDR_MAX];

	if (opts->bind || opts->family != AF_UNSPEC) {
		const char *host = opts->bind ? opts->bind : opts->family == AF_INET6 ? "::" : "0.0.0.0";
		if (net_resolve(host, port, opts->family, clock_ns() + 5 * NS_PER_SEC, NULL, at, err) < 0)
			return err_wrap(err, "listen on %s", host);
		return listen_at(&at[0], false, opts, err);
	}
	if (net_resolve("::", port, AF_INET6, 0, NULL, at, err) > 0) {
		int fd = listen_at(&at[0], true, opts, err);
		if (fd >= 0 || err->code == EADDRINUSE || err->code == EACCES)
			return fd;
	}
	if (net_resolve("0.0.0.0", port, AF_INET, 0, NULL, at, err) < 0)
		return -1;
	return listen_at(&at[0], false, opts, err);
}

static int io_wait(int fd, short events, uint64_t deadline_ns, net_stop *stop, const char *what,
		   struct err *err)
{
	int got = net_wait(fd, events, deadline_ns, stop, err);

	return got < 0 ? -1 : got == 0 ? err_set(err, ETIMEDOUT, "%s in time", what) : 0;
}

int net_read(int fd, void *buf, size_t n, uint64_t deadline_ns, net_stop *stop, struct err *err)
{
	for (size_t got = 0; got < n;) {
		ssize_t r = recv(fd, (char *)buf + got, n - got, 0);
		if (r > 0)
			got += (size_t)r;
		else if (r == 0)
			return err_set(err, ECONNRESET, "the peer closed the connection");
		else if (errno != EAGAIN && errno != EINTR)
			return err_sys(err, "read");
		else if (io_wait(fd, POLLIN, deadline_ns, stop, "no answer", err) < 0)
			return -1;
	}
	return 0;
}

int net_write(int fd, const void *buf, size_t n, uint64_t deadline_ns, net_stop *stop, struct err *err)
{
	for (size_t put = 0; put < n;) {
		ssize_t w = send(fd, (const char *)buf + put, n - put, MSG_NOSIGNAL);
		if (w >= 0)
			put += (size_t)w;
		else if (errno != EAGAIN && errno != EINTR)
			return err_sys(err, "write");
		else if (io_wait(fd, POLLOUT, deadline_ns, stop, "the peer did not read", err) < 0)
			return -1;
	}
	return 0;
}

char *net_addr_host(const struct net_addr *a, char buf[NET_ADDR_TEXT])
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&a->ss;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&a->ss;

	snprintf(buf, NET_ADDR_TEXT, "?");
	if (!a->len)
		return buf;
	if (a->ss.ss_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, buf, NET_ADDR_TEXT);
	else if (a->ss.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], buf, NET_ADDR_TEXT);
	else if (a->ss.ss_family == AF_INET6)
		inet_ntop(AF_INET6, &v6->sin6_addr, buf, NET_ADDR_TEXT);
	return buf;
}

uint16_t net_addr_port(const struct net_addr *a)
{
	if (!a->len)
		return 0;
	/* Both families have the port at the same place. */
	return ntohs(((const struct sockaddr_in *)&a->ss)->sin_port);
}

char *net_addr_text(const struct net_addr *a, char buf[NET_ADDR_TEXT])
{
	char host[NET_ADDR_TEXT];

	net_addr_host(a, host);
	snprintf(buf, NET_ADDR_TEXT, strchr(host, ':') ? "[%.46s]:%u" : "%.46s:%u", host, net_addr_port(a));
	return buf;
}

void net_addr_local(int fd, struct net_addr *a)
{
	a->len = sizeof(a->ss);
	if (getsockname(fd, (struct sockaddr *)&a->ss, &a->len) < 0)
		a->len = 0;
}

void net_addr_peer(int fd, struct net_addr *a)
{
	a->len = sizeof(a->ss);
	if (getpeername(fd, (struct sockaddr *)&a->ss, &a->len) < 0)
		a->len = 0;
}

bool net_peer_is_here(int fd)
{
	struct net_addr local, peer;
	char here[NET_ADDR_TEXT], there[NET_ADDR_TEXT];

	net_addr_local(fd, &local);
	net_addr_peer(fd, &peer);
	if (!local.len || !peer.len)
		return false;
	net_addr_host(&peer, there);
	return strcmp(net_addr_host(&local, here), there) == 0 || strncmp(there, "127.", 4) == 0;
}
