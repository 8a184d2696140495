/* SPDX-License-Identifier: MIT */
#ifndef AWS_ECS_METADATA_H
#define AWS_ECS_METADATA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "aws/http.h"
#include "engine/err.h"

/**
 * What a container learns of its ECS task from the task metadata endpoint, version 4 (ECS Developer Guide, "task
 * metadata v4 JSON response for Fargate", 2025-2026). Plain HTTP on the container's own link; one request, one second.
 */
struct ecs_task {
	bool   fargate;	    /**< LaunchType is FARGATE */
	double vcpu;	    /**< of the task: 0.25 to 16; NAN not limited */
	double memory_mib;  /**< of the task; NAN */
	double cpu_units;   /**< of this container, 1,024 a vCPU; NAN when it has no limit of its own */
	double container_memory_mib; /**< of this container; NAN */
	double ephemeral_mib, ephemeral_used_mib; /**< Fargate's ephemeral storage; NAN */
	char   launch_type[16], region[40], az[40], family[256], revision[16], arn[256], container[256];
};

/** Whether ECS_CONTAINER_METADATA_URI_V4 is set: then this is a task. Asks nobody. */
bool ecs_is_task(void);
/** Ask. ENOENT outside a task. */
int ecs_task_get(struct http *http, const atomic_bool *cancel, struct ecs_task *out, struct err *err);
/** From the text of /task. @param container_id DockerId of our own container, "" unknown: the only one, or none */
int ecs_task_parse(const char *text, size_t len, const char *container_id, struct ecs_task *out, struct err *err);

#endif
