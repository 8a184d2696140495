/* SPDX-License-Identifier: MIT */
#include "aws/limits.h"

#include <stdio.h>
#include <string.h>

#include "engine/units.h"

/*
 * Where the figures come from:
 *
 *  - sizes, IOPS ranges, gp3's throughput range: Amazon EC2 API Reference, CreateVolume (2016-11-15 model, 2026-05-20);
 *  - ratios, gp2's bucket, io1's and io2's throughput, st1, sc1, standard: Amazon EC2 User Guide, "Amazon EBS volume
 *    types", "General purpose", "Provisioned IOPS", "Hard disk volumes", "I/O characteristics" (2023-05-11);
 *  - gp3 up to 80,000 IOPS, 2,000 MiB/s, 64 TiB: Amazon EBS User Guide, "General Purpose SSD volumes" (since 2025-09);
 *  - prices: EBS pricing page and AWS Price List, us-east-1 (2026; unchanged since 2020-12);
 *  - latencies: assumptions of this program for simulated volumes, in line with "single-digit ms" and "average under
 *    500 us for 16 KiB" (io2; Amazon EBS User Guide, "Amazon EBS optimization", 2025).
 *
 * io2 is Block Express throughout: every volume made since 2023-11-21 is.
 */
static const struct limits builtin = {
	.as_of = "2026-08",
	.type = {
		[VOLUME_GP2] = {
			.kind = VOLUME_GP2, .class = CLASS_SIZE, .name = "gp2",
			.source = "EC2 User Guide, General Purpose SSD volumes, 2023-05; EC2 API CreateVolume, 2026-05",
			.size_min = 1, .size_max = 16384, .size_default = 100,
			.iops_min = 100, .iops_max = 16000, .iops_per_gib = 3,
			.iops_burst = 3000, .bucket_ios = 5400000,
			.mibps_max = 250, .mibps_small = 128, .small_gib = 170,
			.io_unit = 256 * KIB, .latency_ms = 1, .usd_gib = 0.10,
		},
		[VOLUME_GP3] = {
			.kind = VOLUME_GP3, .class = CLASS_PROVISIONED, .name = "gp3",
			.source = "EBS User Guide, General Purpose SSD volumes, 2025-09; EC2 API CreateVolume, 2026-05",
			.size_min = 1, .size_max = 65536, .size_default = 100,
			.iops_min = 3000, .iops_max = 80000, .iops_included = 3000, .iops_per_gib = 500,
			.mibps_min = 125, .mibps_max = 2000, .mibps_included = 125, .mibps_per_iops = 0.25,
			.io_unit = 256 * KIB, .latency_ms = 1,
			.usd_gib = 0.08, .usd_iops = { 0.005 }, .iops_free = 3000, .usd_mibps = 0.04, .mibps_free = 125,
		},
		[VOLUME_IO1] = {
			.kind = VOLUME_IO1, .class = CLASS_PROVISIONED, .name = "io1",
			.source = "EC2 User Guide, Provisioned IOPS SSD volumes, 2023-05; EC2 API CreateVolume, 2026-05",
			.size_min = 4, .size_max = 16384, .size_default = 100,
			.iops_min = 100, .iops_max = 64000, .iops_per_gib = 50,
			.mibps_max = 1000, .mibps_per_iops = 0.25, .mibps_low = 500, .low_iops = 32000,
			.mibps_per_iops_high = 16.0 / 1024, .iops_max_xen = 32000, .mibps_max_xen = 500,
			.io_unit = 256 * KIB, .latency_ms = 1, .usd_gib = 0.125, .usd_iops = { 0.065 },
		},
		[VOLUME_IO2] = {
			.kind = VOLUME_IO2, .class = CLASS_PROVISIONED, .name = "io2",
			.source = "EC2 User Guide, Provisioned IOPS SSD volumes, 2023-05; EC2 API CreateVolume, 2026-05",
			.size_min = 4, .size_max = 65536, .size_default = 100,
			.iops_min = 100, .iops_max = 256000, .iops_per_gib = 1000,
			.mibps_max = 4000, .mibps_per_iops = 0.256, .iops_max_xen = 32000, .mibps_max_xen = 500,
			.io_unit = 256 * KIB, .latency_ms = 0.4, .usd_gib = 0.125,
			.usd_iops = { 0.065, 0.0455, 0.03185 }, .iops_tier = { 32000, 64000 },
		},
		[VOLUME_ST1] = {
			.kind = VOLUME_ST1, .class = CLASS_HDD, .name = "st1",
			.source = "EC2 User Guide, Throughput Optimized HDD volumes, 2023-05; EC2 API CreateVolume, 2026-05",
			.size_min = 125, .size_max = 16384, .size_default = 500,
			.base_per_tib = 40, .base_max = 500, .burst_per_tib = 250, .burst_max = 500,
			.io_unit = MIB, .latency_ms = 10, .usd_gib = 0.045,
		},
		[VOLUME_SC1] = {
			.kind = VOLUME_SC1, .class = CLASS_HDD, .name = "sc1",
			.source = "EC2 User Guide, Cold HDD volumes, 2023-05; EC2 API CreateVolume, 2026-05",
			.size_min = 125, .size_max = 16384, .size_default = 500,
			.base_per_tib = 12, .base_max = 192, .burst_per_tib = 80, .burst_max = 250,
			.io_unit = MIB, .latency_ms = 10, .usd_gib = 0.015,
		},
		[VOLUME_STANDARD] = {
			.kind = VOLUME_STANDARD, .class = CLASS_MAGNETIC, .name = "standard",
			.source = "EC2 User Guide, Amazon EBS volume types (previous generation), 2023-05",
			.size_min = 1, .size_max = 1024, .size_default = 100,
			.iops_min = 40, .iops_max = 200, .iops_included = 100, .mibps_min = 40, .mibps_max = 90,
			.latency_ms = 10, .usd_gib = 0.05, .usd_million = 0.05,
		},
	},
	/*
	 * Sizes: Amazon ECS API Reference, RegisterTaskDefinition (2026-05-20). EBS: Amazon ECS Developer Guide,
	 * "Performance of Amazon EBS volumes for Fargate on-demand tasks" (2026 copy, same table since 2024); nothing is
	 * documented below 2 vCPU. The 360 Mbps at 2 vCPU are less than the 75 MiB/s beside them: IOPS and MiB/s count.
	 */
	.task = {
		{ 256, 512, 2048, 512, 0, 0, 0 },
		{ 512, 1024, 4096, 1024, 0, 0, 0 },
		{ 1024, 2048, 8192, 1024, 0, 0, 0 },
		{ 2048, 4096, 16384, 1024, 3000, 75, 360 },
		{ 4096, 8192, 30720, 1024, 5000, 120, 1150 },
		{ 8192, 16384, 61440, 4096, 10000, 250, 2300 },
		{ 16384, 32768, 122880, 8192, 15000, 500, 4500 },
	},
};

const struct limits *limits_builtin(void)
{
	return &builtin;
}

bool limits_stale(const struct limits *l, int64_t unix_seconds)
{
	int year, month, now;

	if (sscanf(l->as_of, "%4d-%2d", &year, &month) != 2)
		return true;
	/* Civil year and month of a day count (days since 0000-03-01, in eras of 400 years). */
	int64_t z = unix_seconds / 86400 + 719468, era = z / 146097, doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;

	now = (int)((yoe + era * 400) * 12 + mp + 2);
	return now - (year * 12 + month - 1) > 12;
}

const struct instance_override *limits_instance(const struct limits *l, const char *name)
{
	for (size_t i = 0; i < l->nr_instances; i++) {
		if (strcmp(l->instance[i].name, name) == 0)
			return &l->instance[i];
	}
	return NULL;
}
