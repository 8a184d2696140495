/* SPDX-License-Identifier: MIT */
#include "aws/creds_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aws/creds_process.h"
#include "engine/json.h"

#define CONTAINER_HOST "http://169.254.170.2"
#define CONTAINER_MS   2000
#define ROLE_PATH      "/latest/meta-data/iam/security-credentials/"

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

int creds_fill(struct creds *out, const char *id, const char *secret, const char *token, const char *what,
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

int creds_read_token(const char *what, const char *path, char *out, size_t size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t len = 0;
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, out + len, size - 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		err_sys(err, "%s %s", what, path);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return -1;
	out[len] = 0;
	if (len == size - 1)
		return err_set(err, EINVAL, "%s %s: longer than any token", what, path);
	while (len && strchr(" \t\r\n", out[len - 1]))
		out[--len] = 0;
	if (!len || strlen(out) != len)
		return err_set(err, EINVAL, "%s %s: %s", what, path, len ? "holds no token" : "empty");
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
	rc = creds_fill(out, json_get_text(doc, "AccessKeyId", NULL), json_get_text(doc, "SecretAccessKey", NULL),
		  json_get_text(doc, token_key, NULL), what, err);
out:
	wipe_json(doc);
	return rc;
}

enum found creds_from_env(const struct cred_ask *a, struct creds *out, struct err *err)
{
	const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY");
	const char *token = getenv("AWS_SESSION_TOKEN"), *end = getenv("AWS_CREDENTIAL_EXPIRATION");

	(void)a;
	if ((!id || !*id) && (!secret || !*secret))
		return NOT_HERE;
	out->source = CRED_ENV;
	if (!token || !*token)
		token = getenv("AWS_SECURITY_TOKEN");
	out->expires = end && *end ? creds_parse_time(end) : 0;
	if (out->expires < 0) {
		err_set(err, EINVAL, "AWS_CREDENTIAL_EXPIRATION is no time");
		return BROKEN;
	}
	return creds_fill(out, id, secret, token, "environment", err) ? BROKEN : FOUND;
}

typedef const char *(*lookup)(const struct aws_config *, const char *, const char *);

static enum found from_keys(const struct cred_ask *a, lookup get, enum cred_source source, struct creds *out,
			    struct err *err)
{
	const char *id = get(a->cfg, a->profile, "aws_access_key_id");
	const char *secret = get(a->cfg, a->profile, "aws_secret_access_key");
	char what[200];

	if (!id && !secret)
		return NOT_HERE;
	out->source = source;
	snprintf(what, sizeof(what), "profile \"%s\" in the %s", a->profile, cred_source_name(source));
	return creds_fill(out, id, secret, get(a->cfg, a->profile, "aws_session_token"), what, err) ? BROKEN : FOUND;
}

enum found creds_from_file(const struct cred_ask *a, struct creds *out, struct err *err)
{
	return from_keys(a, aws_config_get_credentials, CRED_FILE, out, err);
}

enum found creds_from_config(const struct cred_ask *a, struct creds *out, struct err *err)
{
	return from_keys(a, aws_config_get_config, CRED_CONFIG, out, err);
}

enum found creds_from_process(const struct cred_ask *a, struct creds *out, struct err *err)
{
	const char *command = aws_config_get(a->cfg, a->profile, "credential_process");
	char *text;
	size_t len;

	if (!command || !*command)
		return NOT_HERE;
	out->source = CRED_PROCESS;
	if (creds_process_run(command, a->cancel, &text, &len, err))
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
		if (creds_read_token("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path, line + len, size - len, err))
			return -1;
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

enum found creds_from_container(const struct cred_ask *a, struct creds *out, struct err *err)
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
	out->source = CRED_CONTAINER;
	if (rel && *rel && *rel != '/') { /* as it would be with @, and the host another one */
		err_set(err, EINVAL, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: is no path");
		return BROKEN;
	}
	if (!(rel && *rel) && !container_url_ok(url)) {
		err_set(err, EINVAL, "AWS_CONTAINER_CREDENTIALS_FULL_URI: neither https nor an address of this machine");
		return BROKEN;
	}
	if (container_header(line, sizeof(line), err))
		goto out;
	const char *const headers[] = { *line ? line : NULL, NULL };
	struct http_request req = { .method = "GET", .url = url, .headers = headers, .connect_ms = CONTAINER_MS,
				    .total_ms = CONTAINER_MS, .max_body = 64 << 10, .direct = true, .cancel = a->cancel };
	struct http_policy policy = { .attempts = 3, .base_ms = 100, .repeatable = true };
	if (http_send_retrying(a->http, &req, &policy, &resp, err)) {
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

enum found creds_from_imds(const struct cred_ask *a, struct creds *out, struct err *err)
{
	struct http_response resp;
	struct err why;
	char path[256];

	if (!a->im)
		return NOT_HERE;
	out->source = CRED_IMDS;
	if (imds_get(a->im, ROLE_PATH, &resp, &why)) {
		if (!*a->im->token || why.code == ENOENT || why.code == ENODEV)
			return NOT_HERE; /* no such service, or no role */
		*err = why;
		err_wrap(err, "instance role");
		return BROKEN;
	}
	size_t n = strspn(resp.body, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+=,.@_-");
	int rc = n && n < 128 ? snprintf(path, sizeof(path), ROLE_PATH "%.*s", (int)n, resp.body) : -1;
	http_release(&resp);
	if (rc < 0)
		return NOT_HERE;
	if (imds_get(a->im, path, &resp, err))
		return BROKEN;
	rc = creds_parse_json(resp.body, resp.len, "Token", "instance role", out, err);
	http_release(&resp);
	return rc ? BROKEN : FOUND;
}
