/* SPDX-License-Identifier: MIT */
#include "aws/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

#define CONNECT_MS   3000
#define TOTAL_MS     15000
#define MAX_BODY     ((size_t)8 << 20)
#define ATTEMPTS     3
#define BASE_MS	     1000
#define MAX_WAIT_MS  20000
#define STEP_MS	     50 /* how soon a wait notices that it is cancelled */

struct http {
	CURL  *curl;
	CURLM *multi; /* holds the connections */
};

/* What an answer is read into. */
struct sink {
	char  *data;
	size_t len, cap, max;
	bool   over;
};

static void global_init(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

struct http *http_new(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct http *h = calloc(1, sizeof(*h));

	pthread_once(&once, global_init);
	if (h && (!(h->curl = curl_easy_init()) || !(h->multi = curl_multi_init()))) {
		http_free(h);
		return NULL;
	}
	return h;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	curl_easy_cleanup(h->curl);
	curl_multi_cleanup(h->multi);
	free(h);
}

void http_release(struct http_response *resp)
{
	if (resp->body) {
		explicit_bzero(resp->body, resp->len);
		free(resp->body);
	}
	*resp = (struct http_response){ .retry_ms = -1 };
}

/* Answers may hold secrets, so a buffer that was outgrown is wiped: no realloc. */
static int sink_grow(struct sink *s, size_t need)
{
	size_t cap = s->cap ? s->cap : 4096;

	while (cap < need)
		cap *= 2;
	char *data = malloc(cap);
	if (!data)
		return -1;
	if (s->data) {
		memcpy(data, s->data, s->len);
		explicit_bzero(s->data, s->len);
		free(s->data);
	}
	s->data = data;
	s->cap = cap;
	return 0;
}

static size_t sink_write(char *data, size_t size, size_t n, void *arg)
{
	struct sink *s = arg;

	n *= size;
	if (n > s->max - s->len) {
		s->over = true;
		return 0;
	}
	if (s->len + n + 1 > s->cap && sink_grow(s, s->len + n + 1))
		return 0;
	memcpy(s->data + s->len, data, n);
	s->len += n;
	s->data[s->len] = 0;
	return n;
}

static bool is_cancelled(const atomic_bool *cancel)
{
	return cancel && atomic_load_explicit(cancel, memory_order_relaxed);
}

/* scheme://host:port: paths of the container's credentials are secrets themselves. */
static void url_host(const char *url, char *out, size_t size)
{
	const char *host = strstr(url, "://");

	host = host ? host + 3 : url;
	size_t n = strcspn(host, "/?#");
	const char *at = memchr(host, '@', n);
	if (at) {
		n -= (size_t)(at + 1 - host);
		host = at + 1;
	}
	snprintf(out, size, "%.*s", (int)n, host);
}

static int set_err(struct err *err, CURLcode rc, const char *url, const char *detail, const struct sink *s, long ms)
{
	char host[200];

	url_host(url, host, sizeof(host));
	switch (rc) {
	case CURLE_OPERATION_TIMEDOUT:
		return err_set(err, ETIMEDOUT, "%s: no answer within %.3g s", host, (double)ms / 1e3);
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return err_set(err, EHOSTUNREACH, "%s: no such host, or no name server answers", host);
	case CURLE_COULDNT_CONNECT:
		return err_set(err, ECONNREFUSED, "%s: no connection", host);
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CONNECT_ERROR:
		return err_set(err, EPROTO, "%s: TLS: %s", host, *detail ? detail : curl_easy_strerror(rc));
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
		return err_set(err, ECONNRESET, "%s: %s", host, curl_easy_strerror(rc));
	case CURLE_ABORTED_BY_CALLBACK:
		return err_set(err, ECANCELED, "%s: cancelled", host);
	case CURLE_WRITE_ERROR:
		if (s->over)
			return err_set(err, EMSGSIZE, "%s: answer longer than %zu KiB", host, s->max >> 10);
		/* fall through */
	default:
		return err_set(err, EIO, "%s: %s", host, curl_easy_strerror(rc));
	}
}

static void set_auth(CURL *c, const struct http_auth *auth)
{
	char provider[128];

	snprintf(provider, sizeof(provider), "aws:amz:%s:%s", auth->region, auth->service);
	curl_easy_setopt(c, CURLOPT_AWS_SIGV4, provider);
	curl_easy_setopt(c, CURLOPT_USERNAME, auth->key_id);
	curl_easy_setopt(c, CURLOPT_PASSWORD, auth->secret);
}

static void set_request(CURL *c, const struct http_request *req)
{
	curl_easy_setopt(c, CURLOPT_URL, req->url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L); /* a name server that is silent does not hold up the end */
	curl_easy_setopt(c, CURLOPT_USERAGENT, "ebscope");
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, req->connect_ms ? req->connect_ms : CONNECT_MS);
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, req->total_ms ? req->total_ms : TOTAL_MS);
	if (req->once)
		curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
	if (req->direct)
		curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
	if (req->ca_bundle && *req->ca_bundle)
		curl_easy_setopt(c, CURLOPT_CAINFO, req->ca_bundle);
	if (req->auth)
		set_auth(c, req->auth);
	if (strcmp(req->method, "GET")) {
		curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)req->body_len);
		curl_easy_setopt(c, CURLOPT_POSTFIELDS, req->body ? req->body : "");
		if (strcmp(req->method, "POST"))
			curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, req->method);
	}
}

/* To the end or until it is cancelled, which curl_easy_perform() would notice only once a second. */
static CURLcode perform(struct http *h, const atomic_bool *cancel)
{
	CURLcode rc = CURLE_ABORTED_BY_CALLBACK;
	int running = 1, left;
	CURLMsg *msg;

	if (curl_multi_add_handle(h->multi, h->curl) != CURLM_OK)
		return CURLE_FAILED_INIT;
	while (running && !is_cancelled(cancel) && curl_multi_perform(h->multi, &running) == CURLM_OK)
		if (running)
			curl_multi_poll(h->multi, NULL, 0, STEP_MS, NULL);
	while (!running && (msg = curl_multi_info_read(h->multi, &left)))
		if (msg->msg == CURLMSG_DONE)
			rc = msg->data.result;
	curl_multi_remove_handle(h->multi, h->curl);
	return rc;
}

/* The session token is wiped from libcurl's list before the list is freed. */
static void free_headers(struct curl_slist *list)
{
	for (struct curl_slist *l = list; l; l = l->next)
		explicit_bzero(l->data, strlen(l->data));
	curl_slist_free_all(list);
}

static struct curl_slist *make_headers(const struct http_request *req)
{
	struct curl_slist *list = NULL;

	for (size_t i = 0; req->headers && req->headers[i]; i++)
		list = curl_slist_append(list, req->headers[i]);
	if (req->auth && req->auth->token && *req->auth->token) {
		size_t size = strlen(req->auth->token) + 32;
		char *line = malloc(size);
		if (!line)
			return list;
		snprintf(line, size, "X-Amz-Security-Token: %s", req->auth->token);
		list = curl_slist_append(list, line);
		explicit_bzero(line, size);
		free(line);
	}
	return list;
}

static void read_answer(CURL *c, struct http_response *resp)
{
	struct curl_header *h;

	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &resp->status);
	if (curl_easy_header(c, "Date", 0, CURLH_HEADER, -1, &h) == CURLHE_OK) {
		time_t t = curl_getdate(h->value, NULL);
		resp->date = t > 0 ? t : 0;
	}
	if (curl_easy_header(c, "x-amz-retry-after", 0, CURLH_HEADER, -1, &h) == CURLHE_OK) {
		char *end;
		long ms = strtol(h->value, &end, 10);
		if (end != h->value && !*end && ms >= 0)
			resp->retry_ms = ms;
	}
}

/* What a time-out had: until there is a connection the shorter of the two. */
static long waited_ms(const struct http_request *req, bool connected)
{
	long first = req->connect_ms ? req->connect_ms : CONNECT_MS, total = req->total_ms ? req->total_ms : TOTAL_MS;

	return !connected && first < total ? first : total;
}

int http_send(struct http *h, const struct http_request *req, struct http_response *resp, struct err *err)
{
	struct sink sink = { .max = req->max_body ? req->max_body : MAX_BODY };
	char detail[CURL_ERROR_SIZE] = "";
	curl_off_t sent_us = 0;
	CURL *c = h->curl;

	*resp = (struct http_response){ .retry_ms = -1 };
	curl_easy_reset(c); /* options go, the connection stays */
	set_request(c, req);
	struct curl_slist *headers = make_headers(req);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, detail);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, sink_write);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, &sink);
	CURLcode rc = perform(h, req->cancel);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, NULL);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, NULL);
	free_headers(headers);
	resp->body = sink.data;
	resp->len = sink.len;
	if (rc == CURLE_OK) {
		read_answer(c, resp);
		return 0;
	}
	curl_easy_getinfo(c, CURLINFO_PRETRANSFER_TIME_T, &sent_us);
	http_release(resp);
	resp->maybe_done = sent_us > 0;
	return set_err(err, rc, req->url, detail, &sink, waited_ms(req, sent_us > 0));
}

int http_wait(long ms, const atomic_bool *cancel)
{
	for (; ms > 0; ms -= STEP_MS) {
		long step = ms < STEP_MS ? ms : STEP_MS;
		struct timespec ts = { .tv_nsec = step * 1000000 };
		if (is_cancelled(cancel))
			return -1;
		nanosleep(&ts, NULL);
	}
	return is_cancelled(cancel) ? -1 : 0;
}

/* Full jitter: random(0 to 1) * min(base * 2^n, 20 s). */
static long backoff_ms(long base, int n)
{
	uint32_t r = 0;
	long top = base;

	while (n-- > 0 && top < MAX_WAIT_MS)
		top *= 2;
	if (top > MAX_WAIT_MS)
		top = MAX_WAIT_MS;
	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) != sizeof(r))
		r = UINT32_MAX / 2;
	return (long)((uint64_t)top * r >> 32);
}

static bool again(const struct http_policy *p, int rc, const struct http_response *resp, const struct err *err)
{
	if (rc)
		return err->code != ECANCELED && err->code != EMSGSIZE && err->code != EPROTO &&
		       err->code != EHOSTUNREACH && (p->repeatable || !resp->maybe_done);
	if (resp->status == 429 || (p->throttled && p->throttled(resp)))
		return true;
	return resp->status >= 500 && resp->status != 501 && p->repeatable;
}

int http_send_retrying(struct http *h, const struct http_request *req, const struct http_policy *policy,
		       struct http_response *resp, struct err *err)
{
	struct http_request each = *req;
	int attempts = policy->attempts ? policy->attempts : ATTEMPTS;
	long base = policy->base_ms ? policy->base_ms : BASE_MS;

	each.once |= !policy->repeatable;
	for (int n = 0;; n++) {
		struct err failed;
		int rc = http_send(h, &each, resp, &failed);
		if (n + 1 >= attempts || !again(policy, rc, resp, &failed)) {
			if (rc)
				*err = failed;
			return rc;
		}
		long ms = resp->retry_ms >= 0 && resp->retry_ms <= MAX_WAIT_MS ? resp->retry_ms : backoff_ms(base, n);
		http_release(resp);
		if (http_wait(ms, req->cancel))
			return err_set(err, ECANCELED, "cancelled");
	}
}

size_t http_encode(const char *in, char *out)
{
	static const char hex[] = "0123456789ABCDEF";
	char *p = out;

	for (; *in; in++) {
		unsigned char c = (unsigned char)*in;
		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
		    c == '.' || c == '~') {
			*p++ = (char)c;
		} else {
			*p++ = '%';
			*p++ = hex[c >> 4];
			*p++ = hex[c & 15];
		}
	}
	*p = 0;
	return (size_t)(p - out);
}
