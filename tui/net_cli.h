/* SPDX-License-Identifier: MIT */
#ifndef TUI_NET_CLI_H
#define TUI_NET_CLI_H

#include <stdio.h>

#include "aws/netrun.h"
#include "engine/runlog.h"
#include "tui/cmd.h"

/** The two halves of `ebscope net`. As a command's run(): exit status, or -1 with @p err. */
int net_measure(struct cli *cli, struct err *err);
int net_serve(struct cli *cli, struct err *err);

/** A bit rate as iperf3 takes it: `10M`, `1.5G`, powers of 1000; and `/N`, blocks at once (0 when not said).
 */
int net_parse_rate(const char *text, uint64_t *bps, uint64_t *burst, struct err *err);
/** The options of a test and its target into a setup. @p limits must outlive it. */
int net_setup_from_cli(struct net_setup *s, const struct cli *cli, const struct limits *limits,
		       struct err *err);

/** A net result as people read it. */
void net_table(FILE *f, const struct result *r);

#endif
