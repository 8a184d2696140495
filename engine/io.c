/* SPDX-License-Identifier: MIT */
#include "engine/io.h"

int io_open(struct io **io, const struct io_config *cfg, struct err *err)
{
	static const struct io_ops *const engines[IOENGINE_NR] = {
		[IOENGINE_LIBAIO] = &io_aio_ops,
		[IOENGINE_SYNC] = &io_sync_ops,
		[IOENGINE_SIM] = &io_sim_ops,
	};

	*io = NULL;
	assert(engines[cfg->engine] && cfg->depth > 0);
	if (engines[cfg->engine]->open(io, cfg, err) < 0)
		return -1;
	(*io)->ops = engines[cfg->engine];
	return 0;
}

void io_close(struct io *io)
{
	if (io)
		io->ops->close(io);
}
