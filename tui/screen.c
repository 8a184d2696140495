/* SPDX-License-Identifier: MIT */
#include "tui/screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "engine/clock.h"

struct pair {
	int32_t fg, bg;
};

struct screen {
	SCREEN *term;
	enum depth depth;
	bool ascii;
	bool lost; /* the terminal is gone */
	struct palette palette;
	int pair[STYLE_ALL][SHADE_NR]; /* ncurses' number of each paint's colours */
	struct pair *pairs;            /* what has a number so far: [1, nr_pairs] */
	int nr_pairs, pairs_room;
	struct canvas shown; /* what the terminal has */
	bool anew;
	cchar_t *row; /* room for one row */
	int row_cap;
	struct sigaction old_winch;
	bool pasting;	   /* between the two marks of a paste … */
	uint64_t pasted_at; /* … and when its last part came */
	bool cursor_stays; /* it can't be hidden */
};

/*
 * A signal handler reaches nothing but globals: the descriptor that wakes the loop, and the way back to a
 * terminal that is usable after a crash.
 */
static int winch_fd = -1;
static struct {
	volatile sig_atomic_t armed;
	struct termios tio;
	char bytes[128];
	size_t len;
} way_back;

static void on_winch(int sig)
{
	int saved = errno;
	uint64_t one = 1;

	(void)sig;
	if (write(winch_fd, &one, sizeof(one)) < 0) {
		/* full: it wakes up anyway */
	}
	errno = saved;
}

static void on_crash(int sig)
{
	if (way_back.armed) {
		way_back.armed = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &way_back.tio);
		if (write(STDOUT_FILENO, way_back.bytes, way_back.len) < 0) {
			/* nothing left to do */
		}
	}
	raise(sig); /* SA_RESETHAND: this time it ends the program */
}

static void arm_way_back(void)
{
	static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
	const char *leave = tigetstr("rmcup"), *show = tigetstr("cnorm");
	struct sigaction sa = { .sa_handler = on_crash, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };

	way_back.len = (size_t)snprintf(
		way_back.bytes, sizeof(way_back.bytes), "\033[?1000l\033[?1006l\033[?2004l\033[0m%.40s%.40s\r\n",
		leave && leave != (char *)-1 ? leave : "", show && show != (char *)-1 ? show : "");
	if (way_back.len >= sizeof(way_back.bytes))
		way_back.len = sizeof(way_back.bytes) - 1;
	way_back.armed = 1;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++) {
		struct sigaction old;
		if (sigaction(crashes[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(crashes[i], &sa, NULL);
	}
}

/* The description exists and can place the cursor; what else it can is left in *colors and *rgb. */
static bool describe(const char *term, int *colors, bool *rgb)
{
	int status;

	if (!term || !*term || setupterm(term, STDOUT_FILENO, &status) != OK)
		return false;
	const char *cup = tigetstr("cup");
	*colors = tigetnum("colors");
	*rgb = tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || *colors >= 1 << 24;
	bool usable = cup && cup != (char *)-1;
	del_curterm(cur_term);
	return usable;
}

const char *screen_direct_name(const char *term, char *buf, size_t size)
{
	const char *tail = strstr(term, "-256color");
	int stem = tail && tail[9] == 0 ? (int)(tail - term) : (int)strlen(term);

	snprintf(buf, size, "%.*s-direct", stem, term);
	return buf;
}

int32_t screen_direct_color(int32_t rgb)
{
	return rgb >= 0 && rgb < 8 ? 8 : rgb;
}

/* Which description to use: TERM's own, its truecolor sister, or the nearest that the machine has. */
static int choose_term(char *out, size_t size, bool truecolor, char *notice, size_t notice_size,
		       struct err *err)
{
	static const char *const known[] = { "xterm-256color", "xterm", "screen", "linux", "vt100", "ansi" };
	const char *term = getenv("TERM");
	char direct[128];
	int colors;
	bool rgb;

	*notice = 0;
	if (describe(term, &colors, &rgb)) {
		snprintf(out, size, "%s", term);
		if (truecolor && !rgb &&
		    describe(screen_direct_name(term, direct, sizeof(direct)), &colors, &rgb) && rgb)
			snprintf(out, size, "%s", direct);
		return 0;
	}
	if (term && strcmp(term, "dumb") == 0)
		return err_set(err, ENOTTY,
			       "TERM=dumb cannot place the cursor: set TERM to what the terminal is "
			       "(TERM=xterm), or use `ebscope run`");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!describe(known[i], &colors, &rgb))
			continue;
		snprintf(out, size, "%s", known[i]);
		snprintf(notice, notice_size, "TERM=%.40s is not known on this machine: drawing as %s",
			 term ? term : "", known[i]);
		return 0;
	}
	return err_set(err, ENOTTY,
		       "no terminal description for TERM=%.40s, nor any other: install ncurses-base (Debian, "
		       "Ubuntu) or "
		       "ncurses-base/ncurses (Amazon Linux), or use `ebscope run`",
		       term ? term : "");
}

static enum depth find_depth(bool color)
{
	if (!color || !has_colors())
		return DEPTH_MONO;
	if (tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || COLORS >= 1 << 24)
		return DEPTH_RGB;
	return COLORS >= 256 ? DEPTH_256 : COLORS >= 16 ? DEPTH_16 : COLORS >= 8 ? DEPTH_8 : DEPTH_MONO;
}

static void watch_size(struct screen *s)
{
	struct sigaction sa = { .sa_handler = on_winch, .sa_flags = SA_RESTART };

	sigaction(SIGWINCH, &sa, &s->old_winch);
}

/* Codes of our own, above ncurses': what stands between them was pasted. */
enum { PASTE_BEGINS = KEY_MAX + 1, PASTE_ENDS };

/* A terminal that reports the mouse takes private modes; the others would not know what is meant. */
static void bracket_pastes(bool on)
{
	const char *text = on ? "\033[?2004h" : "\033[?2004l";

	if (!has_mouse())
		return;
	if (on) {
		define_key("\033[200~", PASTE_BEGINS);
		define_key("\033[201~", PASTE_ENDS);
	}
	if (write(STDOUT_FILENO, text, strlen(text)) < 0) {
		/* then pastes are typed */
	}
}

static int start_curses(struct screen *s, const char *term, bool color, struct err *err)
{
	set_escdelay(25);
	use_tioctl(TRUE);
	s->term = newterm(term, stdout, stdin);
	if (!s->term)
		return err_set(err, ENOTTY,
			       "TERM=%s: this terminal cannot be used for the dashboard (try TERM=xterm)",
			       term);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	intrflush(stdscr, FALSE);
	s->cursor_stays = curs_set(0) == ERR;
	if (color && has_colors()) {
		start_color();
		use_default_colors();
	}
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	bracket_pastes(true);
	s->depth = find_depth(color);
	s->pairs_room = s->depth == DEPTH_MONO ? 0 : COLOR_PAIRS - 1 > 4096 ? 4096 : COLOR_PAIRS - 1;
	return 0;
}

bool color_wanted(enum color_when when)
{
	const char *no_color = getenv("NO_COLOR");

	return when == COLOR_ALWAYS || (when == COLOR_AUTO && !(no_color && *no_color));
}

bool color_true(void)
{
	const char *colorterm = getenv("COLORTERM");

	return colorterm && (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0);
}

int screen_open(struct screen **out, enum color_when when, char *notice, size_t size, struct err *err)
{
	bool color = color_wanted(when), truecolor = color && color_true();
	char term[128];

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ENOTTY, "the dashboard needs a terminal: use `ebscope run`");
	struct screen *s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(err, ENOMEM, "screen: out of memory");
	tcgetattr(STDIN_FILENO, &way_back.tio);
	setlocale(LC_CTYPE, "");
	s->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	winch_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (winch_fd < 0) {
		err_sys(err, "eventfd");
		goto fail;
	}
	watch_size(s); /* before newterm(), which would take SIGWINCH for itself */
	if (choose_term(term, sizeof(term), truecolor, notice, size, err) < 0 ||
	    start_curses(s, term, color, err) < 0)
		goto fail;
	s->pairs = calloc((size_t)s->pairs_room + 1, sizeof(*s->pairs));
	if (!s->pairs) {
		err_set(err, ENOMEM, "screen: out of memory");
		goto fail;
	}
	arm_way_back();
	*out = s;
	return 0;
fail:
	screen_close(s);
	return -1;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	if (s->term) {
		if (!s->lost) {
			bracket_pastes(false);
			endwin();
		}
		delscreen(s->term);
	}
	way_back.armed = 0;
	if (s->old_winch.sa_handler || winch_fd >= 0)
		sigaction(SIGWINCH, &s->old_winch, NULL);
	if (winch_fd >= 0)
		close(winch_fd);
	winch_fd = -1;
	canvas_release(&s->shown);
	free(s->pairs);
	free(s->row);
	free(s);
}

enum depth screen_depth(const struct screen *s)
{
	return s->depth;
}

bool screen_is_ascii(const struct screen *s)
{
	return s->ascii;
}

int screen_key_fd(const struct screen *s)
{
	(void)s;
	return STDIN_FILENO;
}

int screen_size_fd(const struct screen *s)
{
	(void)s;
	return winch_fd;
}

void screen_size(struct screen *s, int *w, int *h)
{
	struct winsize ws;

	(void)s;
	getmaxyx(stdscr, *h, *w);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0 && ws.ws_row > 0) {
		*w = ws.ws_col;
		*h = ws.ws_row;
	}
}

void screen_redraw(struct screen *s)
{
	s->anew = true;
	clearok(curscr, TRUE);
}

/* The number of a pair of colours; new ones get the next. When all are taken: the terminal's own colours. */
static int pair_number(struct screen *s, int32_t fg, int32_t bg)
{
	for (int i = 1; i <= s->nr_pairs; i++)
		if (s->pairs[i].fg == fg && s->pairs[i].bg == bg)
			return i;
	if (s->nr_pairs >= s->pairs_room)
		return 0;
	s->pairs[++s->nr_pairs] = (struct pair){ fg, bg };
	if (s->depth == DEPTH_RGB) {
		fg = screen_direct_color(fg);
		bg = screen_direct_color(bg);
	}
	init_extended_pair(s->nr_pairs, fg, bg);
	return s->nr_pairs;
}

void screen_palette(struct screen *s, const struct palette *p)
{
	s->palette = *p;
	s->nr_pairs = 0;
	for (int style = 0; style < STYLE_ALL; style++)
		for (int shade = 0; shade < SHADE_NR; shade++)
			s->pair[style][shade] = s->pairs_room ? pair_number(s, p->paint[style][shade].fg,
									    p->paint[style][shade].bg)
							      : 0;
	screen_redraw(s);
}

static attr_t attributes(uint8_t attr)
{
	return (attr & ATTR_BOLD ? A_BOLD : 0) | (attr & ATTR_DIM ? A_DIM : 0) |
	       (attr & ATTR_REVERSE ? A_REVERSE : 0) | (attr & ATTR_UNDERLINE ? A_UNDERLINE : 0);
}

/* Give ncurses the cells [x0, x1) of a row. */
static void put_run(struct screen *s, const struct cell *row, int y, int x0, int x1)
{
	int n = 0;

	for (int x = x0; x < x1; x++) {
		if (row[x].ch == 0)
			continue;
		wchar_t text[2] = { (wchar_t)row[x].ch, 0 };
		int pair = s->pair[row[x].style][row[x].shade];
		setcchar(&s->row[n++], text, attributes(s->palette.paint[row[x].style][row[x].shade].attr), 0,
			 &pair);
	}
	mvadd_wchnstr(y, x0, s->row, n);
}

static bool same(struct cell a, struct cell b)
{
	return a.ch == b.ch && a.style == b.style && a.shade == b.shade;
}

static bool make_room(struct screen *s, const struct canvas *cv)
{
	struct err ignored;

	if (s->row_cap < cv->w) {
		cchar_t *row = realloc(s->row, (size_t)cv->w * sizeof(*row));
		if (!row)
			return false;
		s->row = row;
		s->row_cap = cv->w;
	}
	if (s->shown.w != cv->w || s->shown.h != cv->h) {
		s->anew = true;
		if (resizeterm(cv->h, cv->w) != OK || canvas_resize(&s->shown, cv->w, cv->h, &ignored) < 0)
			return false;
	}
	return true;
}

void screen_draw(struct screen *s, const struct canvas *cv)
{
	if (s->lost || !make_room(s, cv))
		return;
	for (int y = 0; y < cv->h; y++) {
		const struct cell *now = cv->cell + y * cv->w, *then = s->shown.cell + y * cv->w;
		int x0 = 0, x1 = cv->w;
		if (!s->anew) {
			while (x0 < x1 && same(now[x0], then[x0]))
				x0++;
			while (x1 > x0 && same(now[x1 - 1], then[x1 - 1]))
				x1--;
		}
		while (x0 > 0 && x0 < x1 && now[x0].ch == 0)
			x0--;
		if (x0 < x1)
			put_run(s, now, y, x0, x1);
	}
	memcpy(s->shown.cell, cv->cell, (size_t)cv->w * (size_t)cv->h * sizeof(*cv->cell));
	s->anew = false;
	if (s->cursor_stays) /* where it can't be hidden: out of the way */
		move(cv->h - 1, cv->w - 1);
	refresh();
}

static bool mouse_key(struct key *k)
{
	MEVENT e;

	if (getmouse(&e) != OK)
		return false;
	k->x = e.x;
	k->y = e.y;
	if (e.bstate & BUTTON4_PRESSED)
		k->code = KEYCODE_WHEEL_UP;
	else if (e.bstate & BUTTON5_PRESSED)
		k->code = KEYCODE_WHEEL_DOWN;
	else if (e.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		k->code = KEYCODE_MOUSE;
	else
		return false;
	return true;
}

static uint32_t special_key(wint_t c)
{
	static const struct {
		wint_t curses;
		uint32_t code;
	} table[] = {
		{ KEY_UP, KEYCODE_UP },       { KEY_DOWN, KEYCODE_DOWN },
		{ KEY_LEFT, KEYCODE_LEFT },   { KEY_RIGHT, KEYCODE_RIGHT },
		{ KEY_HOME, KEYCODE_HOME },   { KEY_END, KEYCODE_END },
		{ KEY_PPAGE, KEYCODE_PGUP },  { KEY_NPAGE, KEYCODE_PGDN },
		{ KEY_IC, KEYCODE_INS },      { KEY_DC, KEYCODE_DEL },
		{ KEY_BTAB, KEYCODE_BTAB },   { KEY_BACKSPACE, KEYCODE_BACKSPACE },
		{ KEY_ENTER, KEYCODE_ENTER }, { KEY_FIND, KEYCODE_HOME },
		{ KEY_SELECT, KEYCODE_END },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].curses == c)
			return table[i].code;
	if (c >= KEY_F(1) && c <= KEY_F(12))
		return KEYCODE_F((uint32_t)(c - KEY_F(0)));
	return KEYCODE_NONE;
}

/* What is pasted comes at once: behind a silence it is typed, whether or not the mark of the end came. */
static bool still_pasting(struct screen *s)
{
	uint64_t now = clock_ns();

	s->pasting = s->pasting && now - s->pasted_at < NS_PER_SEC;
	s->pasted_at = now;
	return s->pasting;
}

/* The size changed: say so once, whatever number of signals came. */
static bool size_changed(void)
{
	uint64_t n;

	return read(winch_fd, &n, sizeof(n)) == sizeof(n);
}

/* Poll says there is something to read, and there is nothing: the terminal is gone. */
static bool hung_up(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int waiting = 0;

	if (poll(&p, 1, 0) <= 0)
		return false;
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	return ioctl(STDIN_FILENO, FIONREAD, &waiting) < 0 || waiting == 0;
}

bool screen_key(struct screen *s, struct key *k)
{
	wint_t c;

	*k = (struct key){ .code = KEYCODE_NONE };
	if (size_changed()) {
		k->code = KEYCODE_RESIZE;
		return true;
	}
	for (;;) {
		int kind = s->lost ? ERR : get_wch(&c);
		if (kind == ERR) {
			if (!s->lost && !hung_up())
				return false;
			s->lost = true;
			k->code = KEYCODE_HANGUP;
			return true;
		}
		if (kind == KEY_CODE_YES && c == KEY_MOUSE) {
			if (mouse_key(k))
				return true;
			continue;
		}
		if (kind == KEY_CODE_YES && (c == PASTE_BEGINS || c == PASTE_ENDS)) {
			s->pasting = c == PASTE_BEGINS;
			s->pasted_at = clock_ns();
			continue;
		}
		k->pasted = still_pasting(s);
		if (kind == KEY_CODE_YES && c == KEY_RESIZE)
			k->code = KEYCODE_RESIZE;
		else
			k->code = kind == KEY_CODE_YES ? special_key(c)
				  : c == '\n'          ? KEYCODE_ENTER
				  : c == '\b'          ? KEYCODE_BACKSPACE
						       : (uint32_t)c;
		return true;
	}
}
