/* SPDX-License-Identifier: MIT */
#include "aws/creds.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "aws/creds_role.h"
#include "aws/creds_source.h"

#define RENEW_S	       (15 * 60)
#define LAST_USE_S     60
#define AGAIN_S	       60 /* a source that gives short-lived ones is not asked for every request */

struct cred_chain {
	const struct aws_config *cfg;
	struct http		*http;
	struct imds		*im;
	const atomic_bool	*cancel;
	struct creds		 now;
	int64_t			 tried; /* when they were asked for last */
};

/* Core limit and dump filter are the process's, and chains there are several: the last one that goes puts them back. */
static struct {
	pthread_mutex_t lock;
	unsigned	chains;
	struct rlimit	core; /* as it was before the first */
} held = { .lock = PTHREAD_MUTEX_INITIALIZER };

const char *cred_source_name(enum cred_source s)
{
	static const char *const name[CRED_SOURCE_NR] = {
		"none", "environment", "assumed role", "web identity", "credentials file", "credential_process",
		"config file", "container", "instance role",
	};

	return name[s];
}

/* A core handler behind a pipe gets a dump whatever the limit: so memory is left out of it as well. */
static void write_filter(const char *mask)
{
	int fd = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, mask, strlen(mask)) < 0) {
		/* the limit still stands */
	}
	close(fd);
}

void creds_no_core(void)
{
	struct rlimit none;

	if (!getrlimit(RLIMIT_CORE, &none)) {
		none.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &none);
	}
	write_filter("0");
}

static void core_off(void)
{
	pthread_mutex_lock(&held.lock);
	if (!held.chains++) {
		if (getrlimit(RLIMIT_CORE, &held.core))
			held.core.rlim_cur = 0;
		creds_no_core();
	}
	pthread_mutex_unlock(&held.lock);
}

static void core_back(void)
{
	pthread_mutex_lock(&held.lock);
	if (!--held.chains && held.core.rlim_cur && !creds_in_env()) {
		setrlimit(RLIMIT_CORE, &held.core);
		write_filter("0x33"); /* the kernel's default */
	}
	pthread_mutex_unlock(&held.lock);
}

struct cred_chain *cred_chain_new(const struct aws_config *cfg, struct http *http, struct imds *im,
				  const atomic_bool *cancel)
{
	struct cred_chain *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct cred_chain){ .cfg = cfg, .http = http, .im = im, .cancel = cancel };
	core_off(); /* before the first secret is read */
	return c;
}

void cred_chain_free(struct cred_chain *c)
{
	if (!c)
		return;
	explicit_bzero(&c->now, sizeof(c->now));
	core_back();
	free(c);
}

static int find(const struct cred_chain *c, struct creds *out, struct err *err)
{
	static enum found (*const sources[])(const struct cred_ask *, struct creds *, struct err *) = {
		creds_from_env, creds_from_role, creds_from_profile, creds_from_container, creds_from_imds,
	};
	struct cred_ask ask = { .cfg = c->cfg, .http = c->http, .im = c->im, .cancel = c->cancel,
				.profile = c->cfg->profile, .env = !c->cfg->profile_named };

	for (size_t i = ask.env ? 0 : 1; i < sizeof(sources) / sizeof(*sources); i++) {
		enum found f = sources[i](&ask, out, err);
		if (f != NOT_HERE)
			return f == FOUND ? 0 : -1;
	}
	return err_set(err, ENOKEY, "no AWS credentials: none in the environment, in profile \"%s\", from a container or an "
		       "instance role: %s", c->cfg->profile, c->im && c->im->late ?
		       "in a container on EC2 set HttpPutResponseHopLimit to 2; elsewhere `aws configure` sets them up" :
		       "`aws configure` sets them up, or give the instance a role");
}

static void expired(const struct creds *c, int64_t now, struct err *err)
{
	time_t end = (time_t)c->expires;
	char text[40] = "";
	struct tm tm;

	if (gmtime_r(&end, &tm))
		strftime(text, sizeof(text), " on %Y-%m-%d at %H:%M UTC", &tm);
	err_set(err, EKEYEXPIRED, "credentials from the %s %s%s", cred_source_name(c->source),
		c->expires > now ? "end" : "expired", text);
}

const struct creds *cred_chain_get(struct cred_chain *c, struct err *err)
{
	int64_t now = time(NULL), left = c->now.expires - now;
	struct creds fresh = { 0 };
	struct err why;

	if (c->now.source && (!c->now.expires || left > RENEW_S || (left > LAST_USE_S && now - c->tried < AGAIN_S)))
		return &c->now;
	c->tried = now;
	if (!find(c, &fresh, &why)) {
		if (fresh.expires && fresh.expires - now <= LAST_USE_S)
			expired(&fresh, now, &why);
		else
			c->now = fresh;
	}
	explicit_bzero(&fresh, sizeof(fresh));
	left = c->now.expires - now;
	if (c->now.source && (!c->now.expires || left > LAST_USE_S))
		return &c->now;
	explicit_bzero(&c->now, sizeof(c->now));
	*err = why;
	return NULL;
}
