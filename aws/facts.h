/* SPDX-License-Identifier: MIT */
#ifndef AWS_FACTS_H
#define AWS_FACTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/cloudwatch.h"
#include "aws/creds.h"
#include "aws/ec2.h"
#include "aws/ecs_metadata.h"
#include "aws/host.h"
#include "aws/imds.h"
#include "aws/volume.h"
#include "engine/err.h"

/**
 * What is known of where we run and of the volumes, found out behind everybody's back: a thread asks (metadata first,
 * then, with credentials, EC2 and CloudWatch) and publishes one immutable struct facts after another. Nobody waits for
 * it: the first picture is drawn with none. An eventfd tells of news.
 *
 * It asks no more than it must: nobody but the metadata without credentials, no volumes off EC2 unless some are named
 * or all are wanted, CloudWatch (which is charged) only where it is wanted.
 */

enum facts_place { PLACE_ASKING, PLACE_NONE, PLACE_EC2, PLACE_FARGATE, PLACE_ECS };

/** Lists that several readings share. */
struct facts_volumes {
	_Atomic unsigned	 refs;
	struct ec2_volumes	 volumes;
	struct ec2_modifications modifications; /**< of named volumes each one's newest, else all in progress or failed */
};
struct facts_series {
	_Atomic unsigned refs;
	size_t		 n;
	struct cw_series s[];
};

/** One state of knowledge. Const for everyone; hold a reference while looking. Notes say in a line why not: "" fine. */
struct facts {
	_Atomic unsigned refs;
	unsigned	 serial; /**< 1 and up */
	int64_t		 at;	 /**< s since 1970 */
	enum facts_place place;
	char		 place_note[256];
	struct imds_identity self; /**< PLACE_EC2 */
	struct ecs_task	 task;	   /**< PLACE_FARGATE, PLACE_ECS */
	char		 region[40];
	enum cred_source creds; /**< CRED_NONE: none (yet) */
	char		 creds_note[256];
	bool		 has_type; /**< DescribeInstanceTypes answered: beats the catalogue */
	struct ec2_instance_type type;
	struct facts_volumes *volumes; /**< NULL not known */
	char		      volumes_note[256];
	struct facts_series  *series; /**< NULL not asked */
	char		      series_note[256];
};

#define FACTS_IDS 32
/** What to find out. A plain value; texts are copied. */
struct facts_wants {
	char	 profile[128], region[40]; /**< "" as the environment says */
	char	 id[FACTS_IDS][EC2_ID];	   /**< volumes by name, wherever they are attached */
	size_t	 n_ids;
	bool	 all_volumes; /**< of the Region, for a list; else those of this instance */
	bool	 cloudwatch;
	unsigned every_s; /**< volumes again after so long; 0: 30. CloudWatch no more than once a minute. */
};

struct facts_fetcher;

/** Start asking. @param news_fd  an eventfd of the caller's that is written too; -1 none. @return NULL with err */
struct facts_fetcher *facts_start(const struct facts_wants *wants, int news_fd, struct err *err);
/** Cancel what is under way, wait for the thread (some 50 ms), free. Accepts NULL. */
void facts_stop(struct facts_fetcher *f);
/** Readable when something newer than the last facts_get() is there. Its owner is the fetcher. */
int facts_fd(const struct facts_fetcher *f);
/** The newest, a reference more; NULL before the first. Clears the descriptor. Any thread. */
struct facts *facts_get(struct facts_fetcher *f);
void	      facts_unref(struct facts *facts);
/** Ask again now, with other wants if not NULL. */
void facts_refresh(struct facts_fetcher *f, const struct facts_wants *wants);

/** "on EC2: m5.large in eu-west-1a", "Fargate task, 0.25 vCPU, 512 MiB", "not on EC2 (or unreachable)". @return buf */
char *facts_place_text(const struct facts *facts, char *buf, size_t size);
/** The host for the model: instance (live figures over the catalogue's) or task. HOST_NONE where it is neither. */
int facts_host(const struct facts *facts, const struct limits *l, struct host *out, struct err *err);
/** A volume as it is, for the model. @return 0, or -1 where its type is not known */
int facts_volume(const struct ec2_volume *v, const struct limits *l, struct volume *out);
/** A series that was asked for, or NULL: then it was not; with n == 0 it does not exist. */
const struct cw_series *facts_series_find(const struct facts *facts, enum cw_metric metric, const char *id);
/** Why a volume has no BurstBalance: "does not burst (baseline above 3,000)" and the like; NULL where it should have. */
const char *facts_no_balance(const struct ec2_volume *v);

#endif
