/* SPDX-License-Identifier: MIT */
#include "engine/fio_words.h"


#include <string.h>

#include "engine/units.h"

static const char leave_out[] = "leave it out";

#define ALIAS(name, field, said, less) { .words = name, .ours = said, .key = field, .from = less }
#define IDLE(name, said, value) { .words = name, .ours = said, .idle = value }
#define HARMLESS(name, said) { .words = name, .ours = said, .harmless = true }
const struct fio_word fio_words[] = {
	ALIAS("readwrite", "rw", "--rw", 0),
	ALIAS("blocksize", "bs", "--bs", 0),
	ALIAS("timeout", "runtime", "--runtime", 0),
	ALIAS("buffered", "direct", "--direct=0", 1),
	ALIAS("rwmixwrite", "rwmixread", "--rwmixread", 100),
	IDLE("filename,directory", "TARGET stands alone, behind the options", NULL),
	IDLE("blocksize_range,bsrange,bssplit", "one size, --bs", NULL),
	IDLE("filesize,io_size,io_limit", "--size", NULL),
	IDLE("rate,rate_min,rate_iops_min", "--rate_iops, in I/Os a second", "0"),
	IDLE("fsync,fdatasync,end_fsync,fsync_on_close", "--sync=dsync, or --suite dd", "0"),
	IDLE("loops", "--repeat", "1"),
	IDLE("output-format", "--format json, or fio for fio's own document", NULL),
	HARMLESS("write_bw_log,write_iops_log,write_lat_log,bandwidth-log,log_avg_msec", "--format series, or export the recording so"),
	HARMLESS("randrepeat,allrandrepeat", "--randseed"),
	IDLE("offset,offset_increment", "a test begins at the start; --size says how far it goes", "0"),
	IDLE("random_distribution,percentage_random,zonemode,zonesize,zonerange,zoneskip", "all of --size, each block as likely as any", "random"),
	IDLE("thinktime,latency_target", "--rate_iops holds the rate", "0"),
	IDLE("rate_process", "I/Os start evenly, --rate_iops holds the rate", "linear"),
	IDLE("startdelay,start_delay", "a test starts when the one before has ended", "0"),
	IDLE("verify,do_verify,verify_fatal,verify_backlog", "rates are measured here, data is not checked: fio does", "0"),
	IDLE("number_ios,fill_device", "--size, once over it, or --runtime", "0"),
	IDLE("nrfiles", "one file, or several targets with commas", "1"),
	IDLE("wait_for", "stonewall: each job after the one before", NULL),
	IDLE("iodepth_batch,iodepth_batch_submit,iodepth_batch_complete,iodepth_batch_complete_min,iodepth_batch_complete_max,iodepth_low",
	     "a done I/O is followed by the next at once, --iodepth of them", NULL),
	IDLE("cpus_allowed,cpumask,cpus_allowed_policy,numa_cpu_nodes,numa_mem_policy", "taskset or numactl before the command", NULL),
	IDLE("nice,prio,prioclass", "nice or ionice before the command", NULL),
	IDLE("kb_base", "k is 1024, and KiB too", "1024"),
	IDLE("section,showcmd,parse-only,client,server,include,exec_prerun,exec_postrun", "not here", NULL),
	IDLE("allow_mounted_write", "a mounted device is never written", "0"),
	HARMLESS("name,description,group_reporting,new_group,time_based,thread,norandommap,softrandommap,random_generator", leave_out),
	HARMLESS("gtod_reduce,eta,eta-newline,status-interval,minimal,unified_rw_reporting,per_job_logs,disk_util,unit_base", leave_out),
	HARMLESS("percentile_list,lat_percentiles,clat_percentiles,slat_percentiles,disable_lat,disable_clat,disable_slat", leave_out),
	HARMLESS("refill_buffers,scramble_buffers,zero_buffers,buffer_compress_percentage,dedupe_percentage", leave_out),
	HARMLESS("create_on_open,create_serialize,fallocate,fadvise_hint,unlink,file_service_type", leave_out),
	HARMLESS("iomem,mem,iomem_align,mem_align,fixedbufs,registerfiles,userspace_reap,bwavgtime,iopsavgtime", leave_out),
	HARMLESS("exitall,stonewall,wait_for_previous", leave_out),
	{ .words = NULL },
};

const struct fio_word *fio_word_find(const char *name)
{
	for (const struct fio_word *w = fio_words; w->words; w++) {
		if (word_in(w->words, name, strlen(name)))
			return w;
	}
	return NULL;
}

enum ioengine fio_engine(const char *name)
{
	if (!*name || word_in("sync,psync,vsync,pvsync,pvsync2,mmap", name, strlen(name)))
		return IOENGINE_SYNC;
	return strcmp(name, "libaio") == 0 ? IOENGINE_LIBAIO : IOENGINE_AUTO;
}

void fio_defaults(struct workload *wl)
{
	workload_init(wl);
	wl->direct = 0;
	wl->ioengine = fio_engine("");
}
