/* SPDX-License-Identifier: MIT */
#include "aws/creds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "aws/creds_process.h"
#include "engine/json.h"

#define RENEW_S	       (15 * 60)
#define LAST_USE_S     60
#define AGAIN_S	       60 /* a source that gives short-lived ones is not asked for every request */
#define CONTAINER_HOST "http://169.254.170.2"
#define CONTAINER_MS   2000
#define ROLE_PATH      "/latest/meta-data/iam/security-credentials/"

/** What a source answers. */
enum found { NOT_HERE, FOUND, BROKEN };

struct cred_chain {
	const struct aws_config *cfg;
	struct http		*http;
	struct imds		*im;
	const atomic_bool	*cancel;
	struct creds		 now;
	int64_t			 tried; /* when they were asked for last */
	struct rlimit		 core; /* as it was */
	bool			 core_off;
};

const char *cred_source_name(enum cred_source s)
{
	static const char *const name[CRED_SOURCE_NR] = {
		"none", "environment", "credentials file", "credential_process", "config file", "container", "instance role",
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

static void core_off(struct cred_chain *c)
{
	if (c->core_off || getrlimit(RLIMIT_CORE, &c->core))
		return;
	creds_no_core();
	c->core_off = c->core.rlim_cur != 0;
}

struct cred_chain *cred_chain_new(const struct aws_config *cfg, struct http *http, struct imds *im,
				  const atomic_bool *cancel)
{
	struct cred_chain *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct cred_chain){ .cfg = cfg, .http = http, .im = im, .cancel = cancel };
	core_off(c); /* before the first secret is read */
	return c;
}

void cred_chain_free(struct cred_chain *c)
{
	if (!c)
		return;
	explicit_bzero(&c->now, sizeof(c->now));
	if (c->core_off && !creds_in_env()) {
		setrlimit(RLIMIT_CORE, &c->core);
		write_filter("0x33"); /* the kernel's default */
	}
	free(c);
}

int64_t creds_parse_time(const char *text)
{
	struct tm tm = { 0 };
	int sign, h, m;
	const char *p = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	if (!p)
		return -1;
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	int64_t t = timegm(&tm);
	if (!strcmp(p, "Z") || !*p)
		return t;
	sign = *p == '+' ? 1 : *p == '-' ? -1 : 0;
	if (!sign || (sscanf(p + 1, "%2d:%2d", &h, &m) != 2 && sscanf(p + 1, "%2d%2d", &h, &m) != 2))
		return -1;
	return t - sign * (h * 3600 + m * 60);
}

/* Printable, no blanks: what may stand in a header and is what AWS gives. */
static bool clean(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s > '~')
			return false;
	return true;
}

static int fill(struct creds *out, const char *id, const char *secret, const char *token, const char *what,
		struct err *err)
{
	if (!id || !*id || !secret || !*secret)
		return err_set(err, EINVAL, "%s: has only one of access key id and secret", what);
	if (!token)
		token = "";
	if (strlen(id) >= sizeof(out->key_id) || strlen(secret) >= sizeof(out->secret) ||
	    strlen(token) >= sizeof(out->token) || !clean(id) || !clean(secret) || !clean(token))
		return err_set(err, EINVAL, "%s: the access key, secret or token is malformed", what);
	strcpy(out->key_id, id);
	strcpy(out->secret, secret);
	strcpy(out->token, token);
	return 0;
}

/* jansson frees its strings without wiping: do it before. */
static void wipe_json(json_t *doc)
{
	const char *key;
	json_t *v;

	json_object_foreach(doc, key, v)
		if (json_is_string(v))
			explicit_bzero((char *)(uintptr_t)json_string_value(v), json_string_length(v));
	json_decref(doc);
}

int creds_parse_json(const char *text, size_t len, const char *token_key, const char *what, struct creds *out,
		     struct err *err)
{
	json_t *doc = json_loadb(text, len, 0, NULL);
	bool process = !strcmp(token_key, "SessionToken");
	int rc = -1;

	if (!json_is_object(doc)) {
		err_set(err, EBADMSG, "%s: answer is not a JSON object", what);
		goto out;
	}
	const char *code = json_get_text(doc, "Code", "Success");
	if (strcmp(code, "Success")) {
		err_set(err, EACCES, "%s: %.80s", what, code);
		goto out;
	}
	if (process && json_get_u64(doc, "Version", 0) != 1) {
		err_set(err, EBADMSG, "%s: Version is not 1", what);
		goto out;
	}
	const char *end = json_get_text(doc, "Expiration", NULL);
	out->expires = end ? creds_parse_time(end) : 0;
	if (out->expires < 0) {
		err_set(err, EBADMSG, "%s: Expiration is no time", what);
		goto out;
	}
	rc = fill(out, json_get_text(doc, "AccessKeyId", NULL), json_get_text(doc, "SecretAccessKey", NULL),
		  json_get_text(doc, token_key, NULL), what, err);
out:
	wipe_json(doc);
	return rc;
}

static enum found from_env(struct cred_chain *c, struct creds *out, struct err *err)
{
	const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY");
	const char *token = getenv("AWS_SESSION_TOKEN"), *end = getenv("AWS_CREDENTIAL_EXPIRATION");

	if (c->cfg->profile_named || ((!id || !*id) && (!secret || !*secret)))
		return NOT_HERE;
	if (!token || !*token)
		token = getenv("AWS_SECURITY_TOKEN");
	out->expires = end && *end ? creds_parse_time(end) : 0;
	if (out->expires < 0) {
		err_set(err, EINVAL, "AWS_CREDENTIAL_EXPIRATION is no time");
		return BROKEN;
	}
	return fill(out, id, secret, token, "environment", err) ? BROKEN : FOUND;
}

typedef const char *(*lookup)(const struct aws_config *, const char *);

static enum found from_keys(const struct aws_config *cfg, lookup get, const char *file, struct creds *out,
			    struct err *err)
{
	const char *id = get(cfg, "aws_access_key_id"), *secret = get(cfg, "aws_secret_access_key");
	char what[200];

	if (!id && !secret)
		return NOT_HERE;
	snprintf(what, sizeof(what), "profile \"%s\" in the %s file", cfg->profile, file);
	return fill(out, id, secret, get(cfg, "aws_session_token"), what, err) ? BROKEN : FOUND;
}

static enum found from_file(struct cred_chain *c, struct creds *out, struct err *err)
{
	static const char *const unsupported[] = { "role_arn", "sso_session", "sso_account_id", "login_session" };

	for (size_t i = 0; i < sizeof(unsupported) / sizeof(*unsupported); i++)
		if (aws_config_get(c->cfg, unsupported[i])) {
			err_set(err, ENOTSUP, "profile \"%s\" uses %s: give its credentials by credential_process, or: "
				"eval \"$(aws configure export-credentials --profile %s --format env)\"",
				c->cfg->profile, unsupported[i], c->cfg->profile);
			return BROKEN;
		}
	return from_keys(c->cfg, aws_config_get_credentials, "credentials", out, err);
}

static enum found from_config(struct cred_chain *c, struct creds *out, struct err *err)
{
	return from_keys(c->cfg, aws_config_get_config, "config", out, err);
}

static enum found from_process(struct cred_chain *c, struct creds *out, struct err *err)
{
	const char *command = aws_config_get(c->cfg, "credential_process");
	char *text;
	size_t len;

	if (!command || !*command)
		return NOT_HERE;
	if (creds_process_run(command, c->cancel, &text, &len, err))
		return BROKEN;
	int rc = creds_parse_json(text, len, "SessionToken", "credential_process", out, err);
	explicit_bzero(text, len);
	free(text);
	return rc ? BROKEN : FOUND;
}

/* Plain HTTP only where it stays on this machine. */
static bool container_url_ok(const char *url)
{
	static const char *const hosts[] = { "localhost", "127.", "[::1]", "169.254.170.2", "169.254.170.23",
					     "[fd00:ec2::23]" };

	if (!strncmp(url, "https://", 8))
		return true;
	if (strncmp(url, "http://", 7))
		return false;
	const char *host = url + 7;
	size_t len = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?#");
	if (memchr(host, '@', strcspn(host, "/?#")))
		return false;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		size_t n = strlen(hosts[i]);
		if (hosts[i][n - 1] == '.' ? len > n && !strncmp(host, hosts[i], n) &&
						     strspn(host, "0123456789.") == len :
					     len == n && !strncmp(host, hosts[i], n))
			return true;
	}
	return false;
}

/* "Authorization: TOKEN" into line: from the file, else the variable. "" when there is neither. */
static int container_header(char *line, size_t size, struct err *err)
{
	const char *path = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	const char *value = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN");
	int n = snprintf(line, size, "Authorization: ");
	size_t len = (size_t)n;

	if (path && *path) {
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		ssize_t got = fd < 0 ? -1 : read(fd, line + len, size - len - 1);
		if (got < 0)
			err_sys(err, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE %s", path);
		if (fd >= 0)
			close(fd);
		if (got < 0)
			return -1;
		len += (size_t)got;
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			len--;
		line[len] = 0;
	} else if (value && *value) {
		if (strlen(value) >= size - len)
			return err_set(err, EINVAL, "AWS_CONTAINER_AUTHORIZATION_TOKEN is too long");
		strcpy(line + len, value);
	} else {
		*line = 0;
	}
	for (const char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return err_set(err, EINVAL, "the container's authorization token holds a line end");
	return 0;
}

static enum found from_container(struct cred_chain *c, struct creds *out, struct err *err)
{
	const char *rel = getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *full = getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	char url[1024], line[8192];
	struct http_response resp = { 0 };
	enum found found = BROKEN;

	if (rel && *rel)
		snprintf(url, sizeof(url), CONTAINER_HOST "%s", rel);
	else if (full && *full)
		snprintf(url, sizeof(url), "%s", full);
	else
		return NOT_HERE;
	if (!(rel && *rel) && !container_url_ok(url)) {
		err_set(err, EINVAL, "AWS_CONTAINER_CREDENTIALS_FULL_URI: neither https nor an address of this machine");
		return BROKEN;
	}
	if (container_header(line, sizeof(line), err))
		goto out;
	const char *const headers[] = { *line ? line : NULL, NULL };
	struct http_request req = { .method = "GET", .url = url, .headers = headers, .connect_ms = CONTAINER_MS,
				    .total_ms = CONTAINER_MS, .max_body = 64 << 10, .direct = true, .cancel = c->cancel };
	struct http_policy policy = { .attempts = 3, .base_ms = 100, .repeatable = true };
	if (http_send_retrying(c->http, &req, &policy, &resp, err)) {
		err_wrap(err, "container credentials");
		goto out;
	}
	if (resp.status != 200 || !resp.body)
		err_set(err, EACCES, "container credentials: status %ld", resp.status);
	else if (!creds_parse_json(resp.body, resp.len, "Token", "container credentials", out, err))
		found = FOUND;
out:
	explicit_bzero(line, sizeof(line));
	http_release(&resp);
	return found;
}

static enum found from_imds(struct cred_chain *c, struct creds *out, struct err *err)
{
	struct http_response resp;
	struct err why;
	char path[256];

	if (!c->im || imds_get(c->im, ROLE_PATH, &resp, &why))
		return NOT_HERE;
	size_t n = strspn(resp.body, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+=,.@_-");
	int rc = n && n < 128 ? snprintf(path, sizeof(path), ROLE_PATH "%.*s", (int)n, resp.body) : -1;
	http_release(&resp);
	if (rc < 0)
		return NOT_HERE;
	if (imds_get(c->im, path, &resp, err))
		return BROKEN;
	rc = creds_parse_json(resp.body, resp.len, "Token", "instance role", out, err);
	http_release(&resp);
	return rc ? BROKEN : FOUND;
}

static const struct {
	enum cred_source source;
	enum found (*get)(struct cred_chain *, struct creds *, struct err *);
} sources[] = {
	{ CRED_ENV, from_env },	      { CRED_FILE, from_file },		  { CRED_PROCESS, from_process },
	{ CRED_CONFIG, from_config }, { CRED_CONTAINER, from_container }, { CRED_IMDS, from_imds },
};

static int find(struct cred_chain *c, struct creds *out, struct err *err)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		enum found f = sources[i].get(c, out, err);
		if (f == BROKEN)
			return -1;
		out->source = sources[i].source;
		if (f == FOUND)
			return 0;
	}
	return err_set(err, ENOKEY, "no AWS credentials: none in the environment, in profile \"%s\", from a container or an "
		       "instance role", c->cfg->profile);
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
		if (fresh.expires && fresh.expires <= now)
			err_set(&why, EKEYEXPIRED, "credentials from the %s expired %lld min ago",
				cred_source_name(fresh.source), (long long)(now - fresh.expires) / 60);
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
