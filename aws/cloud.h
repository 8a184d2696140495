/* SPDX-License-Identifier: MIT */
#ifndef AWS_CLOUD_H
#define AWS_CLOUD_H

#include <stdatomic.h>

#include "aws/config.h"
#include "aws/creds.h"
#include "aws/ec2.h"
#include "aws/http.h"
#include "aws/imds.h"
#include "engine/err.h"

/**
 * All that it takes to talk to AWS, opened and closed as one: configuration, connection, metadata, credentials, EC2.
 * For one thread that may wait. Zero state is closed.
 */
struct cloud {
	struct aws_config     cfg;
	struct http	     *http;
	struct imds	      imds;
	struct cred_chain    *chain;
	struct ec2	     *ec2;
	const atomic_bool    *cancel;
	struct imds_identity  self;	 /**< of this instance, once cloud_self() was asked */
	bool		      self_known;
};

/**
 * Read configuration; asks nobody yet. @param profile, region  of options; NULL: as the environment and files say
 * @param cancel NULL, or true ends whatever is under way
 */
int cloud_open(struct cloud *c, const char *profile, const char *region, const atomic_bool *cancel, struct err *err);
void cloud_close(struct cloud *c);

/** This instance, by its metadata, asked once. ENODEV etc. where it is none. */
int cloud_self(struct cloud *c, struct err *err);
/** See that a Region is known: the task's or the instance's where neither environment nor files name one. */
int cloud_need_region(struct cloud *c, struct err *err);

#endif
