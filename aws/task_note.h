/* SPDX-License-Identifier: MIT */
#ifndef AWS_TASK_NOTE_H
#define AWS_TASK_NOTE_H

#include "aws/host.h"
#include "aws/volume.h"
#include "engine/json.h"

/**
 * What there is to know about EBS on a Fargate task of one size, each as what it is: the baseline that AWS documents (a
 * figure to plan with, which may be exceeded; none up to 1 vCPU), and what the containers blog measured once.
 */

/**
 * {"size","baseline":{"iops","bw_bytes","source"}|null,"observed":{"text","source"}|null}. New reference; NULL where the
 * host is no task.
 */
json_t *task_note_json(const struct host *h, const struct volumes *vs);
/** The same as a sentence or two, from that object. @return buf, "" where there is none */
char *task_note_text(const json_t *note, char *buf, size_t size);

#endif
