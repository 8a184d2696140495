/* SPDX-License-Identifier: MIT */
#include "tui/dashboard.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"
#include "tui/dump.h"

int screen_size_parse(const char *text, int *w, int *h, struct err *err)
{
	char cols[8];
	uint64_t a, b;
	const char *x = strchr(text, 'x');
	struct err ignored;

	if (x && x - text < (ptrdiff_t)sizeof(cols)) {
		memcpy(cols, text, (size_t)(x - text));
		cols[x - text] = 0;
		if (parse_count(cols, &a, &ignored) == 0 && parse_count(x + 1, &b, &ignored) == 0 && a >= 1 &&
		    b >= 1 && a <= 1000 && b <= 1000) {
			*w = (int)a;
			*h = (int)b;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "'%.40s' is no screen size (COLUMNSxROWS, 1x1 to 1000x1000)", text);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

/* Milliseconds for poll() until @p when (0: never), rounded up so that it is not early. */
static int until(uint64_t when, uint64_t now)
{
	if (when == 0)
		return -1;
	if (when <= now)
		return 0;
	uint64_t ms = (when - now + 999999) / 1000000;
	return ms > 3600000 ? 3600000 : (int)ms;
}

static void drain(int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof(n)) < 0) {
		/* nothing was there: as good */
	}
}

/* poll() until @p when. @return -1 where it can't be waited for: what would be looked at again and again is an end */
static int await(struct pollfd *fds, nfds_t n, uint64_t when, struct err *err)
{
	if (poll(fds, n, until(when, clock_ns())) >= 0 || errno == EINTR)
		return 0;
	return err_sys(err, "wait for keys and news");
}

/* A signal that came in; 0 none. */
static int take_signal(int fd)
{
	struct signalfd_siginfo info;

	return fd >= 0 && read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

static void move_on(struct app *a, const struct dashboard_io *io, bool *dirty)
{
	uint64_t now = clock_ns();

	if (io->pump)
		io->pump(io->ctx, now);
	if (app_tick(a, now))
		*dirty = true;
}

static uint64_t next_due(const struct app *a, const struct dashboard_io *io)
{
	return earlier(app_wakeup(a), io->due ? io->due(io->ctx) : 0);
}

/* --- on a terminal --- */

struct loop {
	struct app *app;
	const struct dashboard_io *io;
	struct screen *screen;
	struct canvas cv;
	bool dirty;       /* something to draw … */
	uint64_t draw_at; /* … not before */
	uint64_t drawn;
};

static void ask_frame(struct loop *l, uint64_t gap)
{
	uint64_t at = l->drawn + gap;

	l->draw_at = l->dirty ? earlier(l->draw_at, at) : at;
	l->dirty = true;
}

static int fit(struct loop *l, struct err *err)
{
	int w, h;

	screen_size(l->screen, &w, &h);
	if (w == l->cv.w && h == l->cv.h)
		return 0;
	if (canvas_resize(&l->cv, w, h, err) < 0)
		return -1;
	app_resize(l->app, w, h);
	return 0;
}

static void colours(struct loop *l)
{
	struct palette p;

	palette_make(&p, &l->app->theme, screen_depth(l->screen));
	screen_palette(l->screen, &p);
	l->app->theme_changed = false;
}

static void draw(struct loop *l)
{
	if (l->app->theme_changed)
		colours(l);
	app_draw(l->app, &l->cv);
	screen_draw(l->screen, &l->cv);
	l->dirty = false;
	l->drawn = clock_ns();
}

/* All keys that are there; @p sig is SIGHUP when the terminal is gone. */
static int take_keys(struct loop *l, int *sig, struct err *err)
{
	struct key k;

	while (!l->app->quit && screen_key(l->screen, &k)) {
		if (k.code == KEYCODE_HANGUP) {
			*sig = SIGHUP;
			return 0;
		}
		if (k.code == KEYCODE_RESIZE) {
			if (fit(l, err) < 0)
				return -1;
			ask_frame(l, KEY_NS);
		} else if (k.code == KEYCODE_CTRL('l')) {
			screen_redraw(l->screen);
			ask_frame(l, KEY_NS);
		} else if (app_key(l->app, k)) {
			ask_frame(l, KEY_NS);
		}
	}
	return 0;
}

static int loop(struct loop *l, int *sig, struct err *err)
{
	struct pollfd fds[4] = { { .fd = screen_key_fd(l->screen), .events = POLLIN },
				 { .fd = screen_size_fd(l->screen), .events = POLLIN },
				 { .fd = l->io->signal_fd, .events = POLLIN },
				 { .fd = l->io->news_fd, .events = POLLIN } };

	draw(l);
	while (!l->app->quit && !*sig) {
		bool news = false;
		/* while a frame waits for its time, more news changes nothing */
		fds[3].fd = l->dirty ? -1 : l->io->news_fd;
		uint64_t when = earlier(next_due(l->app, l->io), l->dirty ? l->draw_at : 0);
		if (await(fds, 4, when, err) < 0)
			return -1;
		*sig = fds[2].revents ? take_signal(l->io->signal_fd) : 0;
		if (*sig)
			return 0;
		if (fds[3].fd >= 0 && fds[3].revents)
			drain(l->io->news_fd);
		if ((fds[0].revents || fds[1].revents) && take_keys(l, sig, err) < 0)
			return -1;
		move_on(l->app, l->io, &news);
		if (news && !l->dirty)
			ask_frame(l, FRAME_NS);
		if (l->dirty && clock_ns() >= l->draw_at && !l->app->quit)
			draw(l);
	}
	return 0;
}

int dashboard_run(struct app *a, const struct dashboard_io *io, enum color_when color, int *sig,
		  struct err *err)
{
	struct loop l = { .app = a, .io = io };
	const char *term = getenv("TERM");
	char notice[160];
	int rc = -1;
	bool ignored;

	*sig = 0;
	if (screen_open(&l.screen, color, notice, sizeof(notice), err) < 0)
		return -1;
	a->ascii = screen_is_ascii(l.screen);
	a->ink = a->ascii ? INK_ASCII : term && strcmp(term, "linux") == 0 ? INK_BLOCKS : INK_BRAILLE;
	a->depth = screen_depth(l.screen);
	if (fit(&l, err) < 0)
		goto out;
	colours(&l);
	move_on(a, io, &ignored);
	if (*notice)
		app_say(a, false, "%s", notice);
	rc = loop(&l, sig, err);
out:
	screen_close(l.screen);
	canvas_release(&l.cv);
	return rc;
}

/* --- without one --- */

/* Until @p when, or (0) until the app is @p done; @p sig is the signal that ended it, 0 none. */
static int wait_for(struct app *a, const struct dashboard_io *io, uint64_t when, bool (*done)(const struct app *), int *sig, struct err *err)
{
	struct pollfd fds[2] = { { .fd = io->signal_fd, .events = POLLIN },
				 { .fd = io->news_fd, .events = POLLIN } };
	bool ignored;

	for (;;) {
		move_on(a, io, &ignored);
		uint64_t now = clock_ns();
		if (when ? now >= when : done(a))
			return 0;
		/* without news to wake it a run that starts is looked after ten times a second */
		uint64_t due = earlier(earlier(next_due(a, io), when), when ? 0 : now + NS_PER_SEC / 10);
		if (await(fds, 2, due, err) < 0)
			return -1;
		*sig = fds[0].revents ? take_signal(io->signal_fd) : 0;
		if (*sig)
			return 0;
		if (fds[1].revents)
			drain(io->news_fd);
	}
}

int dashboard_dump(struct app *a, const struct dashboard_io *io, int w, int h, const struct key_step *step,
		   size_t nr, enum color_when color, bool ansi, FILE *out, int *sig, struct err *err)
{
	struct canvas cv;
	struct palette p;
	bool ignored;

	setlocale(LC_CTYPE, "");
	a->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	a->ink = a->ascii ? INK_ASCII : INK_BRAILLE;
	a->depth = !color_wanted(color) ? DEPTH_MONO : color_true() ? DEPTH_RGB : DEPTH_256;
	*sig = 0;
	app_resize(a, w, h);
	move_on(a, io, &ignored);
	for (size_t i = 0; i < nr && !a->quit && !*sig; i++) {
		bool key = step[i].kind == STEP_KEY; /* what it asked for is there before the next is typed */
		if (key)
			app_key(a, step[i].key);
		if (wait_for(a, io, step[i].kind == STEP_WAIT ? clock_ns() + step[i].wait_ns : 0, key ? app_idle : app_done, sig, err) < 0)
			return -1;
		move_on(a, io, &ignored);
	}
	if (!a->quit && !*sig && wait_for(a, io, 0, app_idle, sig, err) < 0)
		return -1;
	if (*sig || canvas_init(&cv, w, h, err) < 0)
		return *sig ? 0 : -1;
	app_draw(a, &cv);
	palette_make(&p, &a->theme, a->depth);
	int rc = ansi ? dump_ansi(&cv, &p, out) : canvas_dump(&cv, out);
	if (rc < 0 || fflush(out) != 0)
		rc = err_sys(err, "the screen");
	canvas_release(&cv);
	return rc;
}
