/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_IPERF_PROTO_H
#define ENGINE_IPERF_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/json.h"
#include "engine/netio.h"

/**
 * iperf3's wire protocol for TCP and UDP tests, as versions 3.1 to 3.21 speak it: state bytes, cookie, JSON frames.
 *
 *     client                                server
 *     connect, cookie          ->
 *                              <-           PARAM_EXCHANGE
 *     parameters (frame)       ->
 *                              <-           CREATE_STREAMS
 *     connect, cookie, a time each stream
 *                              <-           TEST_START, TEST_RUNNING
 *     ... data, one way or both ...
 *     TEST_END                 ->
 *                              <-           EXCHANGE_RESULTS, data connections closed
 *     results (frame)          ->
 *                              <-           results (frame), DISPLAY_RESULTS
 *     IPERF_DONE, close        ->
 *
 * The streams of a UDP test have no connection: for each the client sends a datagram of four bytes to the server's
 * port, and the server answers with one from a socket of that stream's own. The datagrams of data: netudp.h.
 *
 * A frame is a big-endian u32 length and that many bytes of JSON. Everything here is about bytes and values:
 * whoever calls decides when. Parsers take hostile bytes. Any thread.
 */

#define IPERF_PORT        5201
#define IPERF_COOKIE      37     /**< 36 characters and a NUL */
#define IPERF_LEN         131072 /**< bytes of a block by default */
#define IPERF_LEN_MAX     1048576
#define IPERF_UDP_LEN     1460  /**< bytes of a datagram where the control connection's segment is not known */
#define IPERF_UDP_LEN_MIN 16
#define IPERF_UDP_LEN_MAX 65507
#define IPERF_UDP_HELLO   0x36373839u /**< a stream's first datagram, host's byte order; any four bytes do … */
#define IPERF_UDP_ANSWER  0x39383736u /**< … and the answer, which an iperf3 client looks for */
#define IPERF_UDP_RATE    1048576 /**< bits per second of a UDP stream, unless it is said */
#define IPERF_WINDOW_MAX  536870912
#define IPERF_MSS_MIN     88
#define IPERF_MSS_MAX     32767
#define IPERF_STREAMS_MAX 128  /**< in one direction */
#define IPERF_PARAMS_MAX  8192 /**< bytes of a parameter frame; servers from 3.18 refuse longer ones */
#define IPERF_RESULTS_MAX                                                                                    \
	1048576              /**< bytes of a result frame that are accepted; 128 streams need about 30,000 */
#define IPERF_TIME_MAX 86400 /**< s */
#define IPERF_OMIT_MAX 600   /**< s */
/** A counter that the sender does not know (iperf3 sends -1, older ones 2^64 - 1). */
#define IPERF_UNKNOWN UINT64_MAX

enum iperf_state {
	IPERF_NONE = 0,
	IPERF_TEST_START = 1,
	IPERF_TEST_RUNNING = 2,
	IPERF_TEST_END = 4,
	IPERF_PARAM_EXCHANGE = 9,
	IPERF_CREATE_STREAMS = 10,
	IPERF_SERVER_TERMINATE = 11,
	IPERF_CLIENT_TERMINATE = 12,
	IPERF_EXCHANGE_RESULTS = 13,
	IPERF_DISPLAY_RESULTS = 14,
	IPERF_DONE = 16,
	/** Ours: "you wait for your turn", with a frame that says for whom. Sent only to a cookie of ours. */
	IPERF_QUEUED = 101,
	IPERF_ACCESS_DENIED = -1, /**< busy */
	IPERF_SERVER_ERROR = -2,  /**< followed by two big-endian i32: iperf3's error number, errno */
};

/** Numbers of iperf3's that a server of ours sends. */
enum iperf_errno {
	IPERF_EBADPARAM = 114,
	IPERF_EBADRESULT = 117,
	IPERF_ENODATA = 144,
	IPERF_EDURATION = 160,
	IPERF_EACCEPT = 204,
};

/** "PARAM_EXCHANGE", or "state 77" for what is none. @return buf or a constant */
const char *iperf_state_name(int state, char buf[24]);
/** What iperf3's error number means, NULL if we do not know it. */
const char *iperf_error_text(int32_t number);

/** A random cookie with a mark in it, so that a server of ours may tell this client more than iperf3 has
 * words for. */
void iperf_cookie_make(char cookie[IPERF_COOKIE]);
/** Printable characters and one NUL at the end: what any iperf3 sends. */
bool iperf_cookie_valid(const char cookie[IPERF_COOKIE]);
/** Made by iperf_cookie_make(). */
bool iperf_cookie_ours(const char cookie[IPERF_COOKIE]);

/** The number of the i-th stream made, from 0: 1, 3, 4, 5 … (2 is skipped in every iperf3). */
static inline int iperf_stream_id(unsigned i)
{
	return i ? (int)i + 2 : 1;
}

/**
 * When the omitted seconds end, ns since the data began to flow: a little early where we send, a little late
 * where we receive. The two sides' clocks start apart, and bytes are under way; so the sender's time encloses
 * the receiver's and nothing can have been received that was not sent. Either side's rate is over its own
 * time.
 */
static inline uint64_t iperf_omit_end(uint64_t omit_s, bool sends)
{
	return omit_s ? omit_s * 1000000000ULL - (sends ? 100000000ULL : 0) + (sends ? 0 : 200000000ULL) : 0;
}

/** What the two sides agree on. Rates are bits per second, sizes bytes, times whole seconds. Zero: not set.
 */
struct iperf_params {
	uint64_t time_s, omit_s;
	uint64_t num, blockcount; /**< end after so many bytes or blocks instead of a time */
	uint64_t parallel;
	uint64_t len; /**< of a client's UDP test 0: a segment of the control connection, see iperf_params_udp_len() */
	uint64_t mss, window;
	uint64_t bandwidth, fqrate; /**< of each stream */
	uint64_t burst;             /**< blocks sent at once under a bandwidth */
	uint64_t tos;
	bool reverse, bidir, nodelay;
	bool udp;
	bool wide_numbers; /**< of datagrams: 64 bits */
	bool skip_rx_copy; /**< receivers throw the bytes away without copying them */
	char congestion[16];
	char version[32]; /**< of the client, as it says */
};

/** iperf3's defaults: 10 s, one stream, 128 KiB blocks, client sends. */
void iperf_params_init(struct iperf_params *p);
/** Ranges and what excludes what. @p err names iperf3's option letter and what is allowed (ERR_USAGE). */
int iperf_params_check(const struct iperf_params *p, struct err *err);
/** How many data connections the test has: twice parallel in both directions. */
unsigned iperf_params_streams(const struct iperf_params *p);
/** Does the client write on the i-th connection? In both directions the first half does. */
bool iperf_params_client_sends(const struct iperf_params *p, unsigned i);
/** The document, keys in iperf3's order. New reference. */
json_t *iperf_params_to_json(const struct iperf_params *p);
/** The datagrams of a UDP test without a length of their own: they fill a packet of the path, as a segment does.
 * @param mss of the control connection, 0 not known */
uint64_t iperf_params_udp_len(unsigned mss);
/** From the bytes of a frame. Refuses what is neither TCP nor UDP and what is out of range (EPROTO). */
int iperf_params_parse(struct iperf_params *p, const char *text, size_t n, struct err *err);

/** One stream as one side counted it. */
struct iperf_stream_result {
	int id;
	uint64_t bytes;
	uint64_t retransmits; /**< IPERF_UNKNOWN at a receiver */
	double jitter_s;      /**< this and the rest: of datagrams */
	uint64_t packets, lost; /**< with the omitted seconds' */
	uint64_t omitted_packets, omitted_lost; /**< IPERF_UNKNOWN: before 3.14 a peer does not say */
	double start_s, end_s;
};

/** What one side counted. Owns `stream`; the zero value owns nothing. */
struct iperf_results {
	double cpu_total, cpu_user, cpu_system; /**< percent of one core */
	int has_retransmits;                    /**< 1, 0, or -1 */
	char congestion[16];
	char version[48]; /**< of the server, if it is ours; "" from iperf3 */
	unsigned n;
	struct iperf_stream_result *stream;
};

json_t *iperf_results_to_json(const struct iperf_results *r);
/** From the bytes of a frame; each of the four required top figures and the required stream figures must be
 * there. */
int iperf_results_parse(struct iperf_results *r, const char *text, size_t n, struct err *err);
/** The stream of that id, NULL if the peer did not report it. */
const struct iperf_stream_result *iperf_results_find(const struct iperf_results *r, int id);
void iperf_results_release(struct iperf_results *r);

/** The object in the bytes of a frame; numbers are reals, exact up to 2^53. New reference, or NULL (EPROTO).
 */
json_t *iperf_load(const char *text, size_t n, struct err *err);
/** A document as the bytes of a frame, length in front. @return malloc'ed, or NULL without memory */
char *iperf_frame(const json_t *doc, size_t *size);
/** The length in the first four bytes of a frame. */
static inline uint32_t iperf_frame_length(const unsigned char head[4])
{
	return (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 | (uint32_t)head[2] << 8 | head[3];
}

/** Read one frame of at most @p max bytes; NUL-terminated for convenience. @return malloc'ed, or NULL */
char *iperf_frame_read(int fd, size_t max, size_t *size, uint64_t deadline_ns, net_stop *stop,
		       struct err *err);
int iperf_frame_write(int fd, const json_t *doc, uint64_t deadline_ns, net_stop *stop, struct err *err);
int iperf_state_read(int fd, int *state, uint64_t deadline_ns, net_stop *stop, struct err *err);
int iperf_state_write(int fd, int state, uint64_t deadline_ns, net_stop *stop, struct err *err);

#endif
