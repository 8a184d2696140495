/* SPDX-License-Identifier: MIT */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/runlog.h"
#include "tui/frame.h"
#include "tui/reading.h"
#include "tui/theme.h"

/**
 * The dashboard's state and what keys and time do to it. No terminal, no clock, no I/O: keys and the time are handed
 * in, whatever acts on the world goes through struct app_ops. So every screen is tested, and dumped, without a
 * terminal. Main thread only.
 */

/** What the app knows of a run beside its log: worked out by whoever can ask AWS's model for it. */
struct app_judgement {
	bool	    known;	  /**< expect is filled */
	struct expectation expect; /**< for the workload as the knobs stand */
	int	    optimizing;	  /**< percent of a modification that was under way when the run began */
	struct rate before, after; /**< then: what the volume alone gives in the long run, without and with it; iops 0: none was */
	bool	    assumed;	  /**< the credits' start was assumed full */
	enum verdict verdict;	  /**< so far */
};

/** What acts on the world. Each may be NULL: then its key says that it can't be done here. */
struct app_ops {
	/** Begin what the form says; app_watch() or app_failed() follows, now or later. @p typed: the device name typed, or "". */
	int (*start)(void *ctx, const struct setup_form *s, const char *typed, struct err *err);
	/** What it would write destroys something: true with the name to type and a sentence of what is lost. */
	bool (*destroys)(void *ctx, const struct setup_form *s, char *name, size_t name_size, char *text, size_t text_size);
	/** What would begin: asked when the form has changed. */
	void (*outline)(void *ctx, const struct setup_form *s, struct outline *out);
	/** Begin the network test that the form of the Network screen says; as start(). */
	int (*net_start)(void *ctx, const struct net_form *s, struct err *err);
	void (*stop)(void *ctx);
	/** End the test in hand; the run then pauses (app_paused()) until go_on() or stop(). */
	void (*skip)(void *ctx);
	void (*go_on)(void *ctx);
	/** Turn a knob (ACT_DEPTH_UP, …) or fill the credits; @p said: what it did, for the message line. */
	int (*knob)(void *ctx, enum action act, char *said, size_t size, struct err *err);
	void (*mark)(void *ctx);
	/** Play a recording; app_watch() follows from inside. */
	int (*open)(void *ctx, const char *path, struct err *err);
	/**
	 * Begin to read a recording or a reference: for a ghost, or to lay it beside the run in hand. app_read() follows,
	 * now or later, but for what was left before. @p name: what to call it.
	 */
	int (*read)(void *ctx, enum reading_what what, const char *path, const char *name, struct err *err);
	/** Nothing is wanted any longer of what is being read. */
	void (*leave)(void *ctx);
	/** Cheap and pure: asked once a frame. */
	void (*judge)(void *ctx, const struct runlog_snap *run, const struct live *live, const struct workload *wl,
		      struct app_judgement *out);
	/** Do what was asked for on the Volumes screen, and was confirmed; volumes_screen_job() tells how it goes. */
	int (*volumes)(void *ctx, const struct volume_request *req, struct err *err);
	/** Ask AWS again; volumes_screen_facts() follows. */
	void (*volumes_refresh)(void *ctx);
	/** Another theme was chosen. */
	void (*theme)(void *ctx, const char *name);
	/** A screen was opened: refresh its lists (app->results, app->setup) if that is quick. */
	void (*opened)(void *ctx, enum screen_id screen);
};

struct app {
	const struct app_ops *ops;
	void		*ctx;
	struct setup_form setup;
	struct outline	 outline; /**< of the form as it is */
	bool		 outlined;
	struct net_form	 net;
	struct results	 results;
	struct beside	 beside;
	struct volumes_screen volumes;
	struct volume_request volume_request; /**< what the dialog asks about */
	struct dialog	 dialog;
	bool		 asking; /**< the dialog is open */
	enum screen_id	 screen, before_help;
	int		 help_scroll;
	int		 w, h;
	bool		 ascii;
	enum ink	 ink;
	enum depth	 depth; /**< what the terminal can show; set with `ink` */
	struct theme	 theme;
	bool		 theme_changed; /**< the palette must be made anew; whoever does so clears it */
	bool		 quit;

	struct runlog	*log; /**< borrowed: of app_watch() */
	bool		 replay;
	double		 speed;
	struct runlog_snap snap;
	bool		 has_run;
	bool		 starting; /**< ops->start() was fine, and app_watch() or app_failed() is yet to come */
	struct live	 live;
	struct net_live	 net_live;
	struct workload	 wl; /**< of the test in hand, as the knobs stand */
	struct app_judgement judgement;
	bool		 frozen;
	bool		 paused; /**< of app_paused() */
	int		 span;

	struct bins	 result_rate; /**< of the test chosen in Results */
	double		 result_start_s;

	struct ghost	 ghost;
	char		 reading[120]; /**< what is being read, for the message line; "" nothing */

	char		 recordings[512], own_files[512]; /**< where they are, as help says it */

	char		 message[200];
	bool		 message_bad;
	bool		 news;	/**< of app_news() */
	uint64_t	 message_until; /**< 0: stays until the next key */
	uint64_t	 now_ns;
};

/** A new app at the setup screen, 80x24, default theme. NULL without memory. @p ops may be NULL (nothing acts). */
struct app *app_new(const struct app_ops *ops, void *ctx, const struct limits *limits);
void app_free(struct app *a);

/** The screen's size. */
void app_resize(struct app *a, int w, int h);
/** Show this run on Live from now on (NULL: none). Borrowed until the next app_watch() or app_free(). */
void app_watch(struct app *a, struct runlog *log, bool replay, double speed);
/** What was started could not begin: back to Setup with the reason. */
void app_failed(struct app *a, const char *why);
/** A test was ended by hand and others follow: ask whether they do. */
void app_paused(struct app *a);
/** What was asked for by ops->read() is there, or is not to be had; what it holds is taken over. */
void app_read(struct app *a, struct reading_result *r);
/** What was asked for is there, or is not to be had: nothing is being read or started. */
bool app_idle(const struct app *a);
/** Something that is drawn changed from outside: the next app_tick() says so. */
void app_news(struct app *a);
/** A line over the key bar, for some seconds; bad ones until the next key. */
void app_say(struct app *a, bool bad, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** One key. @return true: something to draw */
bool app_key(struct app *a, struct key k);
/** Time passed, or there is news. @return true: something to draw */
bool app_tick(struct app *a, uint64_t now_ns);
/** When app_tick() wants to be called though nothing happens, ns on the same clock; 0: never. */
uint64_t app_wakeup(const struct app *a);
/** A run of ours is live. */
bool app_running(const struct app *a);
/** The run on the screen has ended, or there is none and none is starting: `until:done`. */
bool app_done(const struct app *a);

/** Draw into @p cv (of the app's size). */
void app_draw(struct app *a, struct canvas *cv);
/** What is drawn, for tests: borrowed until the next call on @p a. */
void app_frame(const struct app *a, struct frame *f);

#endif
