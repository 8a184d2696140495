/* SPDX-License-Identifier: MIT */
#ifndef AWS_CONFIG_H
#define AWS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "aws/ini.h"
#include "engine/err.h"

/**
 * What the environment and the files of the AWS CLI say: profile, Region, endpoints, CA bundle. In the order of
 * botocore 1.43.11 (20 May 2026); AWS_REGION before AWS_DEFAULT_REGION, as AWS CLI v2 has it.
 */
struct aws_config {
	char	   profile[128];
	bool	   profile_named; /**< by an option: then credentials in the environment are not used */
	struct ini config;	  /**< ~/.aws/config or AWS_CONFIG_FILE */
	struct ini credentials;	  /**< ~/.aws/credentials or AWS_SHARED_CREDENTIALS_FILE */
	char	   region[40];	  /**< "" not known: ask the metadata, then aws_config_set_region() */
	const char *region_from;  /**< "AWS_REGION", "profile default", "instance metadata"; "" */
	const char *ca_bundle;	  /**< AWS_CA_BUNDLE, or ca_bundle of the profile; "" the system's. Borrowed. */
};

enum aws_service { AWS_EC2, AWS_CLOUDWATCH, AWS_STS, AWS_SERVICE_NR };
/** The name that is signed: "ec2", "monitoring", "sts". */
const char *aws_service_signing(enum aws_service s);

/**
 * Read all of it. Files that do not exist are empty; one that cannot be read is an error, and so is a profile that was
 * named (by @p profile or AWS_PROFILE) and is in neither file. @param profile NULL: AWS_PROFILE, else "default"
 */
int aws_config_load(struct aws_config *c, const char *profile, struct err *err);
/** Wipe and free. Accepts the zero state. */
void aws_config_release(struct aws_config *c);

/** A key of a profile: the credentials file's, else the config file's; NULL. Borrowed. */
const char *aws_config_get(const struct aws_config *c, const char *profile, const char *key);
/** As above from one file only. */
const char *aws_config_get_credentials(const struct aws_config *c, const char *profile, const char *key);
const char *aws_config_get_config(const struct aws_config *c, const char *profile, const char *key);
/** Whether either file has that profile. */
bool aws_config_has(const struct aws_config *c, const char *profile);

/** Where none is set: take this one. Refused (ERR_USAGE) if it is no Region's name. @param from static text */
int aws_config_set_region(struct aws_config *c, const char *region, const char *from, struct err *err);

/**
 * The URL of a service: AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL, the profile's services section, its endpoint_url
 * (none of them with AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true); else AWS's own for the Region, FIPS and dual-stack as
 * asked. Ends in "/". Without a Region: ERR_USAGE.
 */
int aws_config_endpoint(const struct aws_config *c, enum aws_service s, char *url, size_t size, struct err *err);

#endif
