/* SPDX-License-Identifier: MIT */
#ifndef TUI_BOARD_H
#define TUI_BOARD_H

#include <stdio.h>

#include "tui/analysis.h"
#include "tui/app.h"
#include "tui/cloud_feed.h"
#include "tui/cmd.h"
#include "tui/dashboard.h"
#include "tui/net_dash.h"
#include "tui/player.h"
#include "tui/session.h"

/**
 * The dashboard and the world: what the app asks for is done here, on runs (engine/run.h, session.h), recordings
 * (player.h) and what is found on this machine. Main thread only; it never waits for I/O but when it ends.
 */
struct board {
	struct app	 *app;
	struct setup	  base;	   /**< from the command line; the form writes over it */
	struct limits	  limits_file;
	const struct limits *limits;
	int		  news_fd, signal_fd;
	double		  speed;   /**< of replays */
	bool		  dump;	   /**< no terminal: a picture, that leaves nothing behind */
	char		  theme[64]; /**< chosen while it ran; "" none */

	struct run	 *run;	   /**< the newest; NULL none */
	struct setup	  setup;   /**< it was started with */
	struct session	  session;
	char		  played[512]; /**< the recording that is replayed; "" none */
	bool		  shown;   /**< the app watches its log */
	bool		  joined;
	bool		  paused;  /**< the app was told to ask whether the rest of the tests goes on */
	struct err	  failed;  /**< why it could not start, or what ended it */

	struct setup	  watch;   /**< what a watch begins with … */
	uint64_t	  watch_due; /**< … at the latest then, when AWS's word is waited for; 0: nothing waits */
	struct limits	  limits_live; /**< with AWS's own figures of the host, for that */
	struct cloud_feed *feed; /**< what AWS says; NULL none */
	struct player	 *player;  /**< NULL: no replay */
	struct reading	 *reading; /**< an earlier run that is being read; NULL none */
	struct net_dash	  net;	   /**< the newest network test */

	struct analysis	  analysis; /**< of what was judged last */
	bool		  judged;
	size_t		  judged_rows, judged_events, judged_outside;
	uint32_t	  judged_test;
	enum run_end	  judged_end;
	const void	 *judged_header;
	bool		  assumed;
};

/** What to open with. */
enum board_start { BOARD_SETUP, BOARD_REPLAY, BOARD_NETWORK, BOARD_VOLUMES, BOARD_TRAIN, BOARD_WATCH };

/**
 * The whole dashboard for a command line: on the terminal, or with --dump a picture on stdout.
 * @param what  BOARD_REPLAY: the recording to play; BOARD_TRAIN: the story to tell at once, NULL: choose one
 * @return           exit status, or -1 with @p err
 */
int board_main(struct cli *cli, enum board_start start, const char *what, struct err *err);

/** The same for a command behind options about the screen: which screen it opens follows from its name. */
int board_command(struct cli *cli, struct err *err);

/* board_judge.c */
/** Of struct app_ops; @p ctx is the board. */
void board_judge(void *ctx, const struct runlog_snap *run, const struct live *live, const struct workload *wl, struct app_judgement *out);
/** The next is made anew. */
void board_forget_judgement(struct board *b);

/* board_knobs.c */
/** Of struct app_ops; @p ctx is the board. */
int board_knob(void *ctx, enum action act, char *said, size_t size, struct err *err);

/* board_lists.c */
/** For Setup: directories that are mounted from disks, block devices, sim:, training; and the newest recordings. */
void board_look_around(struct board *b);
/** The newest recordings in the state directory, newest first, at most @p max; where that is all, then the references. */
void board_find_runs(struct board *b, size_t max);
/** The theme that --theme names, or the one kept from the last time: where that can't be had, the dashboard says so. */
int board_pick_theme(struct board *b, struct cli *cli, struct err *err);
/** Note a theme's name; and at the end, when nothing waits for a disk any longer, keep it for the next time. */
void board_keep_theme(void *ctx, const char *name);
void board_save_theme(const struct board *b);

#endif
