/* SPDX-License-Identifier: MIT */
#ifndef AWS_HOST_H
#define AWS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aws/limits.h"
#include "engine/err.h"

/**
 * Where the volumes are attached, and what AWS documents of it: an instance type (EBS baseline and maximum, the
 * maximum for 30 minutes at least once in 24 hours), a Fargate task size, a Lambda function (network only).
 */

enum host_kind { HOST_NONE, HOST_INSTANCE, HOST_TASK, HOST_LAMBDA };
enum hypervisor { HYPER_NITRO, HYPER_XEN, HYPER_METAL };

/** A host. A plain value. Figures that no document gives are NAN. */
struct host {
	enum host_kind	kind;
	char		name[32];    /**< "m5.large", "2:4" or "0.25:512MiB" (as one types it), "1769 MiB" */
	double		vcpu;
	uint64_t	mem_mib;
	enum hypervisor hyper;
	bool		current;     /**< AWS calls it current generation */
	bool		burst_cpu;   /**< t-types: the CPU has credits too */
	bool		ebs_optional;/**< EBS optimisation must be switched on; the figures hold only then */
	unsigned	ebs_cards;   /**< a volume uses one of them: it can have 1 / ebs_cards of the figures */
	double		iops_base, iops_max; /**< 16 KiB I/O */
	double		bw_base, bw_max;     /**< bytes per second, both directions together */
	bool		floor;	     /**< a figure to plan with, that may be exceeded (tasks) */
	double		net_base, net_peak;  /**< bits per second, each direction */
	double		net_burst_s;	     /**< measured length of the burst; NAN not known */
	bool		net_measured;	     /**< not documented, but measured by others */
	char		net_label[32];	     /**< AWS's words: "Up to 10 Gigabit" */
	const char     *source;	     /**< document and date */
};

/** Seconds at the maximum from full (EC2 User Guide, "Amazon EBS-optimized instances", 2023-05). */
#define HOST_BURST_SECONDS 1800.0

/** An instance type; an unknown one is an error with the closest names. */
int host_instance(struct host *h, const struct limits *l, const char *name, struct err *err);
/** `VCPU:MEMORY`: `0.25:1`, `2:6GB`, `0.25:512MiB`. GiB unless it says MB or MiB (both MiB). */
int host_task(struct host *h, const struct limits *l, const char *text, struct err *err);
/** As above, from CPU units (1024 a vCPU) and MiB. */
int host_task_size(struct host *h, const struct limits *l, double cpu_units, uint64_t mem_mib, struct err *err);
/** `--lambda MIB`: 128 to 10,240. */
int host_lambda(struct host *h, const char *text, struct err *err);
/** Legal memory of a task size (a row of the tables): the @p i-th in MiB, 0 behind the last. */
uint64_t task_memory(const struct task_size *t, size_t i);

/** Walk the catalogue: start with NULL; NULL behind the last. The text of the row; instance_row() reads it. */
const char *instance_next(const char *row);
void instance_row(const char *row, struct host *h);

static inline bool host_nitro(const struct host *h) { return !h || h->hyper != HYPER_XEN; }
/** EBS burst: the maximum is over the baseline. */
static inline bool host_bursts(const struct host *h) { return h->iops_max > h->iops_base || h->bw_max > h->bw_base; }
/** "m5.large", "task 2 vCPU, 4 GiB", "none". @return buf */
char *host_text(const struct host *h, char *buf, size_t size);
/** The same as one would type it: "m5.large", "2:4", "0.25:512MiB", "lambda:1769", "". @return buf */
char *host_typed(const struct host *h, char *buf, size_t size);

/** What the containers blog measured on Fargate (February 2023, us-west-2): an observation, no promise. */
struct task_observation {
	enum volume_kind volume;
	double cpu_min, cpu_max; /**< CPU units that it is about */
	const char *text;
};
/** One sentence on that volume type at that task size, or NULL. */
const char *task_observed(double cpu_units, enum volume_kind volume);

#endif
