/* SPDX-License-Identifier: MIT */
/* Two pages back to back, as an Identify answer and as log pages to subtract: what a hostile device might say. */
#include <string.h>

#include "aws/nvme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct nvme_log a, b;
	static struct nvme_delta d;
	struct nvme_id id;
	struct err err;

	nvme_id_decode(data, size, &id, &err);
	if (nvme_log_decode(data, size, &a, &err))
		return 0;
	b = a;
	if (size >= 2 * (size_t)NVME_PAGE && nvme_log_decode(data + NVME_PAGE, size - NVME_PAGE, &b, &err))
		return 0;
	b.t_ns = 1000000000;
	nvme_log_sub(&b, &a, &d);
	nvme_log_sub(&a, &b, &d);
	return 0;
}
