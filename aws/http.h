/* SPDX-License-Identifier: MIT */
#ifndef AWS_HTTP_H
#define AWS_HTTP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

/**
 * One HTTP request over libcurl: signed with libcurl's own SigV4 where it is asked to, bounded in time and in size,
 * TLS always verified, no redirect followed, nothing logged. A handle keeps its connection alive between requests.
 *
 * Signing holds to what every libcurl from 7.86 on signs right: POST to "/", no query, parameters in the body, and of
 * headers of our own only Content-Type, X-Amz-Target and X-Amz-Security-Token, each once.
 */
struct http;

/** A SigV4 identity: borrowed for the call. token may be NULL. */
struct http_auth {
	const char *service; /**< signing name: "ec2", "monitoring" */
	const char *region;
	const char *key_id, *secret, *token;
};

struct http_request {
	const char		*method; /**< "GET", "PUT" or "POST" */
	const char		*url;
	const char *const	*headers; /**< "Name: value", ended by NULL; NULL for none */
	const char		*body;	  /**< NULL for none */
	size_t			 body_len;
	const struct http_auth	*auth;	     /**< NULL: not signed */
	const char		*ca_bundle;  /**< PEM file; NULL or "": the system's */
	long			 connect_ms; /**< 0: 3,000 */
	long			 total_ms;   /**< 0: 15,000 */
	size_t			 max_body;   /**< 0: 8 MiB; a longer answer is an error */
	bool			 direct;     /**< past any proxy: metadata addresses */
	bool			 once;	     /**< on a connection of its own: libcurl repeats what a kept one lost */
	const atomic_bool	*cancel;     /**< NULL, or true ends the request with ECANCELED */
};

struct http_response {
	long	status;	  /**< 0: none came */
	char   *body;	  /**< ended by NUL; NULL when there is none */
	size_t	len;
	int64_t date;	  /**< the server's clock, s since 1970; 0 not said */
	long	retry_ms; /**< how long the server asks to wait; -1 not said */
	bool	maybe_done; /**< on failure: the request may have reached the server */
};

struct http *http_new(void); /**< NULL without memory */
void	     http_free(struct http *h);

/**
 * Send once. Any status is a success: the caller judges it. The answer before must have been released.
 * @return 0; or -1 with ETIMEDOUT, ECONNREFUSED (no connection), ECONNRESET (it broke), EHOSTUNREACH (no such
 *         name), EPROTO (TLS), EMSGSIZE, ECANCELED or EIO. Messages name the host and never a path, header or body.
 */
int http_send(struct http *h, const struct http_request *req, struct http_response *resp, struct err *err);
/** Wipe and free. Accepts the zero state. */
void http_release(struct http_response *resp);

/** How often to try. */
struct http_policy {
	int  attempts; /**< in all; 0: 3 */
	long base_ms;  /**< wait random(0 to 1) * min(base * 2^n, 20 s); 0: 1,000 */
	bool repeatable; /**< doing it twice is no harm: else never after it may have been done */
	bool (*throttled)(const struct http_response *); /**< refused before it was done, on other status than 429/503 */
};

/** Send until it is answered otherwise than by throttling or 5xx, or attempts are used up: then the last outcome. */
int http_send_retrying(struct http *h, const struct http_request *req, const struct http_policy *policy,
		       struct http_response *resp, struct err *err);

/** Sleep @p ms or until *cancel; @return 0 or -1 when cancelled */
int http_wait(long ms, const atomic_bool *cancel);

/** Percent-encode into @p out (3 * strlen(in) + 1 bytes at most): all but A-Z a-z 0-9 - _ . ~ @return its length */
size_t http_encode(const char *in, char *out);

#endif
