/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LOOPBACK_H
#define TESTS_LOOPBACK_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/**
 * A little HTTP server on 127.0.0.1 for one test: it keeps what was asked and answers from a function. Connections are
 * closed after each answer, so requests are served one after the other.
 */
#define LOOPBACK_MAX 64

struct loopback {
	int	  fd;
	int	  port;
	pthread_t thread;
	char	 *request[LOOPBACK_MAX]; /**< head and body, as they came */
	int	  n;
	/** Write the whole answer into @p reply. Return false to close without one. */
	bool (*answer)(struct loopback *lb, const char *request, char *reply, size_t size);
	void *arg;
};

static inline long loopback_length(const char *head)
{
	const char *p = strcasestr(head, "\r\ncontent-length:");

	return p ? strtol(p + 17, NULL, 10) : 0;
}

static inline void loopback_serve(struct loopback *lb, int c)
{
	size_t cap = 1 << 20, len = 0;
	char *buf = calloc(1, cap), *reply = calloc(1, cap), *end = NULL;
	ssize_t n;

	while (len < cap - 1 && (n = read(c, buf + len, cap - 1 - len)) > 0) {
		len += (size_t)n;
		end = strstr(buf, "\r\n\r\n");
		if (end && len >= (size_t)(end + 4 - buf) + (size_t)loopback_length(buf))
			break;
	}
	if (len && lb->n < LOOPBACK_MAX) {
		lb->request[lb->n++] = buf;
		if (lb->answer(lb, buf, reply, cap) && write(c, reply, strlen(reply)) < 0)
			perror("loopback");
	} else {
		free(buf);
	}
	free(reply);
	close(c);
}

static inline void *loopback_main(void *arg)
{
	struct loopback *lb = arg;
	int c;

	while ((c = accept(lb->fd, NULL, NULL)) >= 0)
		loopback_serve(lb, c);
	return NULL;
}

static inline void loopback_start(struct loopback *lb,
				  bool (*answer)(struct loopback *, const char *, char *, size_t))
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);

	*lb = (struct loopback){ .answer = answer };
	lb->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(lb->fd, (struct sockaddr *)&a, len) || listen(lb->fd, 8) ||
	    getsockname(lb->fd, (struct sockaddr *)&a, &len))
		abort();
	lb->port = ntohs(a.sin_port);
	if (pthread_create(&lb->thread, NULL, loopback_main, lb))
		abort();
}

/** No request is served after this; what was asked can be read until loopback_free(). */
static inline void loopback_stop(struct loopback *lb)
{
	shutdown(lb->fd, SHUT_RDWR);
	pthread_join(lb->thread, NULL);
	close(lb->fd);
}

static inline void loopback_free(struct loopback *lb)
{
	for (int i = 0; i < lb->n; i++)
		free(lb->request[i]);
}

static inline void loopback_reply(char *reply, size_t size, int status, const char *body)
{
	snprintf(reply, size, "HTTP/1.1 %d X\r\nDate: Wed, 20 May 2026 12:00:00 GMT\r\nContent-Length: %zu\r\n"
		 "Connection: close\r\n\r\n%s", status, strlen(body), body);
}

#endif
