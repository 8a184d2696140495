/* SPDX-License-Identifier: MIT */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "tui/style.h"

/**
 * Colours: a theme in btop's .theme format, and what each style becomes with it on a terminal of so many colours.
 *
 * A theme file is lines of `theme[KEY]="VALUE"`, blank lines and comments (#). VALUE is `#RRGGBB`, `#BW` (a grey),
 * three decimals `R G B`, or nothing: the terminal's own ground for main_bg, no such step for *_mid and *_end, the
 * default for the rest. Keys that are not known are passed over, so any btop theme works, and the keys of ours (from
 * LIMIT on) do not disturb btop. What is missing is taken as btop does: from a related key, else the default theme.
 */

/** X(KEY, name, default, fallback, tty): fallback is the key to take where a file has none (itself: the default);
 *  tty the default theme's colour (0 to 15) on terminals of 8 and 16 colours; other themes keep its brightness and give
 *  their own hue, on a light ground the dark ones. */
#define THEME_TABLE(X)                                             \
	X(MAIN_BG, main_bg, 0x0c0e12, MAIN_BG, 0)                  \
	X(MAIN_FG, main_fg, 0xc8ccd4, MAIN_FG, 7)                  \
	X(TITLE, title, 0xf2f2f2, TITLE, 15)                       \
	X(HI_FG, hi_fg, 0xffb454, HI_FG, 11)                       \
	X(SELECTED_BG, selected_bg, 0x004d44, SELECTED_BG, 6)      \
	X(SELECTED_FG, selected_fg, 0xffffff, SELECTED_FG, 15)     \
	X(INACTIVE_FG, inactive_fg, 0x7d7d7d, INACTIVE_FG, 8)      \
	X(GRAPH_TEXT, graph_text, 0xa0a0a0, INACTIVE_FG, 7)        \
	X(METER_BG, meter_bg, 0x616161, INACTIVE_FG, 8)            \
	X(PROC_MISC, proc_misc, 0x4dd97a, PROC_MISC, 10)           \
	X(CPU_BOX, cpu_box, 0x3a7468, CPU_BOX, 2)                  \
	X(MEM_BOX, mem_box, 0x6e653d, MEM_BOX, 3)                  \
	X(NET_BOX, net_box, 0x4d5d9b, NET_BOX, 4)                  \
	X(PROC_BOX, proc_box, 0x7e5370, PROC_BOX, 5)               \
	X(DIV_LINE, div_line, 0x3a3a3a, DIV_LINE, 8)               \
	X(TEMP_START, temp_start, 0x33cc99, TEMP_START, 10)        \
	X(TEMP_MID, temp_mid, 0xffcc33, TEMP_MID, 11)              \
	X(TEMP_END, temp_end, 0xff3d5c, TEMP_END, 9)               \
	X(CPU_START, cpu_start, 0x007557, CPU_START, 2)            \
	X(CPU_MID, cpu_mid, 0x00cca3, CPU_MID, 10)                 \
	X(CPU_END, cpu_end, 0xb3ffe6, CPU_END, 14)                 \
	X(CACHED_START, cached_start, 0x007a66, CACHED_START, 6)   \
	X(CACHED_MID, cached_mid, 0x00b894, CACHED_MID, 6)         \
	X(CACHED_END, cached_end, 0x7fe6cc, CACHED_END, 14)        \
	X(AVAILABLE_START, available_start, 0xff3d3d, AVAILABLE_START, 9) \
	X(AVAILABLE_MID, available_mid, 0xffb833, AVAILABLE_MID, 11) \
	X(AVAILABLE_END, available_end, 0x4dd97a, AVAILABLE_END, 10) \
	X(USED_END, used_end, 0xff5c5c, USED_END, 9)               \
	X(DOWNLOAD_START, download_start, 0x2463d2, DOWNLOAD_START, 4) \
	X(DOWNLOAD_MID, download_mid, 0x3d8aff, DOWNLOAD_MID, 12)  \
	X(DOWNLOAD_END, download_end, 0xb3d1ff, DOWNLOAD_END, 14)  \
	X(UPLOAD_START, upload_start, 0x8f3aac, UPLOAD_START, 5)   \
	X(UPLOAD_MID, upload_mid, 0xcc52cc, UPLOAD_MID, 13)        \
	X(UPLOAD_END, upload_end, 0xffb3ff, UPLOAD_END, 13)        \
	X(LIMIT, limit, 0xb8925a, AVAILABLE_MID, 3)                \
	X(LIMIT_HIT, limit_hit, 0xff6a3d, USED_END, 9)             \
	X(MODEL, model, 0xffe680, TITLE, 15)                       \
	X(GHOST, ghost, 0x9999c4, INACTIVE_FG, 8)                  \
	X(MARK, mark, 0xff9ecf, HI_FG, 13)                         \
	X(SAID, said, 0xb3a1ff, UPLOAD_END, 13)                    \
	X(BURST, burst, 0xffb454, AVAILABLE_END, 11)               \
	X(BASELINE, baseline, 0x5cb8e6, CACHED_MID, 12)            \
	X(STEADY, steady, 0x4dd9a0, PROC_MISC, 10)                 \
	X(PASS, pass, 0x4dd97a, PROC_MISC, 10)                     \
	X(SHORT, short, 0xff5c5c, USED_END, 9)                     \
	X(ABOVE, above, 0xc58cff, UPLOAD_MID, 13)                  \
	X(WARN, warn, 0xffcc4d, AVAILABLE_MID, 11)                 \
	X(ERROR, error, 0xff4d4d, USED_END, 9)                     \
	X(P50, p50, 0x5ce6b8, TEMP_START, 10)                      \
	X(P99, p99, 0xffcc4d, TEMP_MID, 11)                        \
	X(P999, p999, 0xff5c8a, TEMP_END, 9)

enum theme_key {
#define X(key, name, def, fallback, tty) THEME_##key,
	THEME_TABLE(X)
#undef X
	THEME_NR
};

/** A colour that is not there: the terminal's own ground, or a gradient without that step. */
#define RGB_NONE (-1)

/** A plain value. Colours are 0xRRGGBB or RGB_NONE. */
struct theme {
	char	name[64];
	int32_t color[THEME_NR];
};

/** What a terminal can show. */
enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB };

/** A cell's look: colours are -1 (the terminal's own), a palette index, or with DEPTH_RGB 0xRRGGBB. */
struct paint {
	int32_t fg, bg;
	uint8_t attr; /**< ATTR_* */
};

/** Every style on every shade, worked out once per theme and terminal. A plain value, about 4 KiB. */
struct palette {
	enum depth   depth;
	struct paint paint[STYLE_ALL][SHADE_NR];
};

/** Longest theme file that is read, bytes. */
#define THEME_FILE_MAX 65536

/** Names of the themes that are compiled in, the default first; ends with NULL. */
extern const char *const theme_names[];

/** The default theme. Cannot fail. */
void theme_init(struct theme *t);
/**
 * Take a theme from text (need not end with NUL). @param name what messages and the screen call it
 * @p err says name, line, what is wrong and what is allowed (ERR_USAGE). *t is left alone on failure.
 */
int theme_parse(struct theme *t, const char *name, const char *text, size_t len, struct err *err);
/**
 * A theme by the name of a compiled-in one, or by path; a bare name is also looked for as NAME.theme in
 * $XDG_CONFIG_HOME/ebscope/themes (~/.config/…) and in btop's directories.
 */
int theme_open(struct theme *t, const char *name, struct err *err);
/**
 * The theme after @p name, round and round: those compiled in, then the user's own ($XDG_CONFIG_HOME/ebscope/themes). The
 * first for one that is not there. @return buf
 */
char *theme_next(const char *name, char *buf, size_t size);

/** Work out what every style looks like. */
void palette_make(struct palette *p, const struct theme *t, enum depth depth);
/** The most alike of xterm's 256 colours: of its 6x6x6 cube and its 24 greys. RGB_NONE stays. */
int32_t rgb_to_256(int32_t rgb);
/** A key's colour on a terminal of 8 or 16 colours, 0 to 15. */
int theme_tty_color(const struct theme *t, enum theme_key key);

#endif
