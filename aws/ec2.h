/* SPDX-License-Identifier: MIT */
#ifndef AWS_EC2_H
#define AWS_EC2_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/config.h"
#include "aws/creds.h"
#include "aws/http.h"
#include "engine/err.h"

/**
 * The EC2 API as far as volumes need it: Query protocol, version 2016-11-15, POST with a signed body. Blocks for up to
 * some attempts of 15 s each: never on a thread that draws. One client is used by one thread at a time.
 *
 * Failures are one line. With UnauthorizedOperation it names the action that the policy lacks; with a signature or
 * time that AWS refuses it compares the clocks. err->code: EACCES not allowed, EKEYEXPIRED, ENOKEY, ENOENT no such
 * volume or instance, EBUSY throttled, ETIMEDOUT, EBADMSG an answer that cannot be read, ECANCELED, ERR_USAGE what
 * AWS refused as a parameter, EREMOTEIO trouble of AWS's own (status 5xx), EIO any other. ec2_code()
 * has AWS's own word for it.
 */
struct ec2;

/** A figure that AWS did not say (st1 has no iops, gp2 no throughput). */
#define EC2_NONE UINT64_MAX

#define EC2_ID 24 /* "vol-0123456789abcdef0" and "i-…", ended by NUL */

struct ec2_tag {
	char *key, *value;
};

struct ec2_attachment {
	char instance_id[EC2_ID]; /**< "" for a task's volume */
	char device[40];	  /**< as asked for: "/dev/sdf" */
	char state[12];		  /**< attaching, attached, detaching, detached, busy */
	bool delete_on_termination;
};

/** One volume. Owned by its list. */
struct ec2_volume {
	char	 id[EC2_ID];
	char	 az[40], type[12];
	char	 state[12]; /**< creating, available, in-use, deleting, deleted, error */
	char	 created[32];
	uint64_t size_gib, iops, mibps; /**< EC2_NONE where AWS says none */
	bool	 encrypted, multi_attach;
	struct ec2_attachment *attachment;
	size_t		       n_attachments;
	struct ec2_tag	      *tag;
	size_t		       n_tags;
};

struct ec2_volumes {
	struct ec2_volume *v;
	size_t		   n;
};
void ec2_volumes_release(struct ec2_volumes *vs);
/** The one with that id, or NULL. */
const struct ec2_volume *ec2_volumes_find(const struct ec2_volumes *vs, const char *id);
/** The value of a tag, or NULL. */
const char *ec2_tag(const struct ec2_volume *v, const char *key);

/** What a modification did or does. */
struct ec2_modification {
	char	 id[EC2_ID];
	char	 state[12]; /**< modifying, optimizing, completed, failed */
	char	 message[160];
	uint64_t progress; /**< percent */
	int64_t	 start;	   /**< when AWS began it, seconds since 1970; -1 not said */
	struct ec2_figures {
		char	 type[12];
		uint64_t size_gib, iops, mibps; /**< EC2_NONE */
	} from, to;
};
struct ec2_modifications {
	struct ec2_modification *m;
	size_t			 n;
};
void ec2_modifications_release(struct ec2_modifications *ms);
/** The newest of that volume, or NULL. */
const struct ec2_modification *ec2_modifications_find(const struct ec2_modifications *ms, const char *id);

#define EC2_DEVICES 128
struct ec2_instance {
	char   id[EC2_ID], type[40], state[20], az[40], root_device[40];
	size_t n_devices; /**< at most EC2_DEVICES are kept */
	struct {
		char device[40], volume_id[EC2_ID];
	} device[EC2_DEVICES];
};

/** What DescribeInstanceTypes says. NAN where it says nothing. */
struct ec2_instance_type {
	double ebs_base_mbps, ebs_max_mbps, ebs_base_iops, ebs_max_iops; /**< Mbit/s of 10^6, 16 KiB I/Os */
};

/** What to create. Texts are borrowed for the call. iops and mibps 0: the type's default. */
struct ec2_create {
	const char *az, *type, *token; /**< token: at most 64 characters, the same one makes no second volume */
	uint64_t    size_gib, iops, mibps;
	bool	    encrypted;
	const struct ec2_tag *tag;
	size_t	    n_tags;
};

/** @param cfg, chain, http borrowed. NULL without memory. */
struct ec2 *ec2_new(const struct aws_config *cfg, struct cred_chain *chain, struct http *http, const atomic_bool *cancel);
void	    ec2_free(struct ec2 *ec2);
/** From now on changes are only asked about (DryRun): 0 then means that it would be done, and nothing is filled in. */
void ec2_dry_run(struct ec2 *ec2, bool on);
/** AWS's code of the last failure ("IncorrectState"), "" where the answer had none. */
const char *ec2_code(const struct ec2 *ec2);
/** The last failure may have come after AWS did it: describe before repeating. */
bool ec2_maybe_done(const struct ec2 *ec2);
const char *ec2_region(const struct ec2 *ec2);

/** What to describe; zeroed for all there are. ids and instance_id exclude each other. */
struct ec2_filter {
	const char *const *ids;
	size_t		   n_ids;
	const char	  *instance_id; /**< attached to it */
	const char	  *tag_key;	/**< having that tag */
	const char	  *tag_value;	/**< with that value; NULL any */
};
/** All pages. @p out is to be released. */
int ec2_describe_volumes(struct ec2 *ec2, const struct ec2_filter *filter, struct ec2_volumes *out, struct err *err);
/** One; ENOENT if there is none. @p out holds it alone. */
int ec2_describe_volume(struct ec2 *ec2, const char *id, struct ec2_volumes *out, struct err *err);
/** Of one volume (none is an empty list), or with NULL of all that are not completed. All pages. */
int ec2_describe_modifications(struct ec2 *ec2, const char *id, struct ec2_modifications *out, struct err *err);
int ec2_describe_instance(struct ec2 *ec2, const char *id, struct ec2_instance *out, struct err *err);
int ec2_describe_instance_type(struct ec2 *ec2, const char *type, struct ec2_instance_type *out, struct err *err);

int ec2_create_volume(struct ec2 *ec2, const struct ec2_create *c, struct ec2_volumes *out, struct err *err);
int ec2_attach_volume(struct ec2 *ec2, const char *volume, const char *instance, const char *device, struct err *err);
int ec2_detach_volume(struct ec2 *ec2, const char *volume, const char *instance, struct err *err);
int ec2_delete_volume(struct ec2 *ec2, const char *volume, struct err *err);
/** Only what differs from 0 or NULL is asked for. */
int ec2_modify_volume(struct ec2 *ec2, const char *volume, const char *type, uint64_t size_gib, uint64_t iops,
		      uint64_t mibps, struct ec2_modification *out, struct err *err);

/** Whether a text is a volume's id: "vol-" and 8 or 17 lower hex digits. */
bool ec2_is_volume_id(const char *text);

/** Likewise of an instance: "i-" and such digits. */
bool ec2_is_instance_id(const char *text);

/* For tests and fuzzing: answers from their text. Those that come in pages are added to @p out, which begins zeroed. */
int ec2_parse_volumes(const char *text, size_t len, struct ec2_volumes *out, char *next_token, size_t size,
		      struct err *err);
int ec2_parse_modifications(const char *text, size_t len, struct ec2_modifications *out, char *next_token, size_t size,
			    struct err *err);
int ec2_parse_instance(const char *text, size_t len, struct ec2_instance *out, struct err *err);
int ec2_parse_instance_type(const char *text, size_t len, struct ec2_instance_type *out, struct err *err);

#endif
