/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IPERF_SESSION_H
#define ENGINE_IPERF_SESSION_H

#include <sys/resource.h>

#include "engine/iperf_server.h"
#include "engine/netflow.h"

/**
 * One client's test on the server, as a state machine without a wait: the server's loop polls its control
 * connection and calls it with what happened. Not for use outside the server.
 */

enum session_state {
	SESSION_FREE,    /**< no client */
	SESSION_PARAMS,  /**< its parameters are due */
	SESSION_STREAMS, /**< its data connections are due */
	SESSION_RUN,     /**< data flows */
	SESSION_RESULTS, /**< its results are due */
	SESSION_DONE,    /**< its IPERF_DONE or its close is due */
	SESSION_OVER,    /**< session_release() is due */
};

struct session {
	const struct iperf_server_opts *opts; /* with defaults filled in */
	const struct iperf_server_hooks *hooks;
	enum session_state state;
	int fd; /**< control connection */
	char cookie[IPERF_COOKIE];
	struct net_addr peer;
	struct iperf_params params;
	uint64_t deadline_ns; /**< of the state */
	/* control input: a frame, or one byte at a time */
	unsigned char head[4];
	size_t head_got, body_got, body_len;
	char *body;
	/* control output not yet taken by the kernel */
	char *out;
	size_t out_len, out_put;
	/* data */
	unsigned n, accepted;
	int udp_listener; /**< where the next stream's greeting comes; -1 none is due */
	struct netflow *flow;
	struct netflow_set *set;
	struct {
		uint64_t acked; /* when it began */
		uint64_t bytes, retransmits, packets, lost; /* when the omitted seconds were over */
	} *base;
	uint64_t start_ns, base_ns[2], tick_ns, moved_ns, tick_sent, tick_received;
	bool based[2]; /* the omitted seconds are over; [1]: of the streams that we send on, as in base_ns */
	struct rusage usage;
	/* outcome */
	struct iperf_results ours, peers;
	struct iperf_served served;
};

/** Take over a client whose cookie has come. */
void session_begin(struct session *s, int fd, const char cookie[IPERF_COOKIE], const struct net_addr *peer,
		   uint64_t now);
/** A connection with the session's cookie: one of its streams. The session owns @p fd, also when it has no
 * use for it. */
void session_stream(struct session *s, int fd);
/** A datagram is there while streams are due: a stream, if it is the client's greeting. */
void session_greeted(struct session *s);
short session_events(const struct session *s);
void session_io(struct session *s, short revents, uint64_t now);
/** When session_time() wants to be called; UINT64_MAX never. */
uint64_t session_next(const struct session *s);
void session_time(struct session *s, uint64_t now);
/** End it from our side, with SERVER_TERMINATE. */
void session_terminate(struct session *s);
/** Tell hooks.served, close and free everything; FREE again. */
void session_release(struct session *s);
/** Seconds until its test ends, as far as the parameters tell; NAN when they do not. */
double session_remaining(const struct session *s, uint64_t now);

/*
 * Between its two halves. iperf_session_data.c moves data and takes figures:
 */
/** All streams are there: move data. */
void session_run_begin(struct session *s);
/** The omitted seconds of one direction are over. */
void session_take_base(struct session *s, bool sends, uint64_t now);
/** A second has passed. */
void session_progress(struct session *s, uint64_t now);
/** The client has ended a test of so many bytes: let come what is still on its way. Waits 0.2 s for a byte at most. */
void session_await_rest(struct session *s);
/** Stop the data, take our figures, close the data connections. */
void session_run_end(struct session *s);
/* iperf_session.c talks: */
void session_say(struct session *s, const void *bytes, size_t n);
void session_say_error(struct session *s, int32_t number, int32_t errnum);
void session_enter(struct session *s, enum session_state state, uint64_t deadline_ns);
/** The session ends; the first reason stays. */
void session_over(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
