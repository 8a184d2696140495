/* SPDX-License-Identifier: MIT */
#include "aws/config.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define SECTION 160 /* room for "profile " and a name; a longer one is in no file that we read */

static const struct service {
	const char *signing;
	const char *env;  /* behind AWS_ENDPOINT_URL_ */
	const char *key;  /* in a services section */
	const char *host; /* before the Region */
} services[AWS_SERVICE_NR] = {
	[AWS_EC2] = { "ec2", "EC2", "ec2", "ec2" },
	[AWS_CLOUDWATCH] = { "monitoring", "CLOUDWATCH", "cloudwatch", "monitoring" },
	[AWS_STS] = { "sts", "STS", "sts", "sts" },
};

/* Domains by the start of a Region's name; the rest is amazonaws.com. */
static const struct {
	const char *prefix, *domain, *dual;
} partitions[] = {
	{ "cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn" },
	{ "eusc-", "amazonaws.eu", "api.amazonwebservices.eu" },
	{ "us-iso-", "c2s.ic.gov", "c2s.ic.gov" },
	{ "us-isob-", "sc2s.sgov.gov", "sc2s.sgov.gov" },
	{ "", "amazonaws.com", "api.aws" },
};

/* A variable that is set and not empty. */
static const char *env(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

static bool env_true(const char *name)
{
	const char *v = env(name);

	return v && !strcasecmp(v, "true");
}

const char *aws_service_signing(enum aws_service s)
{
	return services[s].signing;
}

/* A file of the CLI's: its variable, else in ~/.aws; "~/" in the variable is the home too. */
static void file_path(char *out, size_t size, const char *var, const char *name)
{
	const char *path = env(var), *home = env("HOME");

	if (!home) {
		const struct passwd *pw = getpwuid(getuid());
		home = pw ? pw->pw_dir : "/";
	}
	if (path && strncmp(path, "~/", 2))
		snprintf(out, size, "%s", path);
	else
		snprintf(out, size, "%s/%s", home, path ? path + 2 : name);
}

const char *aws_config_get_credentials(const struct aws_config *c, const char *profile, const char *key)
{
	return ini_get(&c->credentials, profile, key);
}

const char *aws_config_get_config(const struct aws_config *c, const char *profile, const char *key)
{
	char section[SECTION];

	snprintf(section, sizeof(section), "profile %s", profile);
	const char *v = ini_get(&c->config, section, key);
	return v || strcmp(profile, "default") ? v : ini_get(&c->config, "default", key);
}

const char *aws_config_get(const struct aws_config *c, const char *profile, const char *key)
{
	const char *v = aws_config_get_credentials(c, profile, key);

	return v ? v : aws_config_get_config(c, profile, key);
}

bool aws_config_has(const struct aws_config *c, const char *profile)
{
	char section[SECTION];

	snprintf(section, sizeof(section), "profile %s", profile);
	return ini_has(&c->credentials, profile) || ini_has(&c->config, section) ||
	       (!strcmp(profile, "default") && ini_has(&c->config, profile));
}

/* It becomes part of a host name and of what is signed. */
static bool region_ok(const char *r)
{
	size_t n = strspn(r, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n && !r[n] && n < sizeof(((struct aws_config *)0)->region);
}

int aws_config_set_region(struct aws_config *c, const char *region, const char *from, struct err *err)
{
	if (*c->region)
		return 0;
	if (!region_ok(region))
		return err_set(err, ERR_USAGE, "Region \"%.60s\" (%s) is no Region's name, such as us-east-1", region, from);
	snprintf(c->region, sizeof(c->region), "%s", region);
	c->region_from = from;
	return 0;
}

static int load_region(struct aws_config *c, struct err *err)
{
	static const char *const vars[] = { "AWS_REGION", "AWS_DEFAULT_REGION" };
	const char *v;

	for (size_t i = 0; i < 2; i++)
		if ((v = env(vars[i])))
			return aws_config_set_region(c, v, vars[i], err);
	if ((v = aws_config_get_config(c, c->profile, "region")) || (v = aws_config_get_credentials(c, c->profile, "region")))
		return *v ? aws_config_set_region(c, v, "profile", err) : 0;
	return 0;
}

static int find_profile(struct aws_config *c, const char *profile, struct err *err)
{
	const char *name = profile ? profile : env("AWS_PROFILE");

	if (!name)
		name = env("AWS_DEFAULT_PROFILE");
	c->profile_named = profile != NULL;
	if (name && strlen(name) >= sizeof(c->profile))
		return err_set(err, ERR_USAGE, "profile name longer than %zu bytes", sizeof(c->profile) - 1);
	snprintf(c->profile, sizeof(c->profile), "%s", name ? name : "default");
	if (name && strcmp(name, "default") && !aws_config_has(c, c->profile))
		return err_set(err, ERR_USAGE, "profile \"%s\" is in neither ~/.aws/config nor ~/.aws/credentials", name);
	return 0;
}

int aws_config_load(struct aws_config *c, const char *profile, struct err *err)
{
	char path[PATH_MAX];

	*c = (struct aws_config){ .region_from = "", .ca_bundle = "" };
	file_path(path, sizeof(path), "AWS_CONFIG_FILE", ".aws/config");
	if (ini_load(&c->config, path, err))
		goto fail;
	file_path(path, sizeof(path), "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
	if (ini_load(&c->credentials, path, err))
		goto fail;
	if (find_profile(c, profile, err) || load_region(c, err))
		goto fail;
	const char *ca = env("AWS_CA_BUNDLE");
	if (ca || (ca = aws_config_get_config(c, c->profile, "ca_bundle")))
		c->ca_bundle = ca;
	return 0;
fail:
	aws_config_release(c);
	return -1;
}

void aws_config_release(struct aws_config *c)
{
	ini_release(&c->config);
	ini_release(&c->credentials);
	*c = (struct aws_config){ .region_from = "", .ca_bundle = "" };
}

static const char *configured_endpoint(const struct aws_config *c, const struct service *s)
{
	char name[64];
	const char *v;

	if (env_true("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"))
		return NULL;
	snprintf(name, sizeof(name), "AWS_ENDPOINT_URL_%s", s->env);
	if ((v = env(name)) || (v = env("AWS_ENDPOINT_URL")))
		return v;
	const char *section = aws_config_get_config(c, c->profile, "services");
	if (section) {
		char full[160], key[64];
		snprintf(full, sizeof(full), "services %.128s", section);
		snprintf(key, sizeof(key), "%s.endpoint_url", s->key);
		if ((v = ini_get(&c->config, full, key)))
			return v;
	}
	return aws_config_get_config(c, c->profile, "endpoint_url");
}

int aws_config_endpoint(const struct aws_config *c, enum aws_service service, char *url, size_t size, struct err *err)
{
	const struct service *s = &services[service];
	const char *set = configured_endpoint(c, s);
	size_t i = 0;
	int n;

	if (!*c->region)
		return err_set(err, ERR_USAGE, "no Region: set AWS_REGION, or region in ~/.aws/config");
	if (set && strncmp(set, "http://", 7) && strncmp(set, "https://", 8))
		return err_set(err, ERR_USAGE, "endpoint \"%.100s\": must begin with http:// or https://", set);
	if (set) {
		n = snprintf(url, size, "%s%s", set, set[strlen(set) - 1] == '/' ? "" : "/");
	} else {
		while (strncmp(c->region, partitions[i].prefix, strlen(partitions[i].prefix)))
			i++;
		n = snprintf(url, size, "https://%s%s.%s.%s/", s->host, env_true("AWS_USE_FIPS_ENDPOINT") ? "-fips" : "",
			     c->region, env_true("AWS_USE_DUALSTACK_ENDPOINT") ? partitions[i].dual : partitions[i].domain);
	}
	if (n < 0 || (size_t)n >= size)
		return err_set(err, ERR_USAGE, "endpoint longer than %zu bytes", size - 1);
	return 0;
}
