/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/xdg.h"
#include "tui/screen.h"
#include "tui/theme.h"

static struct theme parsed(const char *text)
{
	struct theme t;
	struct err err = { 0 };

	if (theme_parse(&t, "x.theme", text, strlen(text), &err) < 0)
		fail_msg("%s", err.msg);
	return t;
}

static const char *refused(const char *text)
{
	static struct err err;
	struct theme t = { .name = "untouched" };

	err = (struct err){ 0 };
	assert_int_equal(theme_parse(&t, "x.theme", text, strlen(text), &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(t.name, "untouched");
	assert_null(strchr(err.msg, '\n'));
	return err.msg;
}

/* How light a colour is, 0 to 1, and how well one is seen on another, 1 to 21: as WCAG 2 counts them. */
static double luminance(int32_t rgb)
{
	static const double weight[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double v = (rgb >> (16 - 8 * i) & 0xff) / 255.0;
		sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(const struct palette *p, int style, int shade)
{
	static const uint8_t level[] = { 0, 95, 135, 175, 215, 255 };
	int32_t color[] = { p->paint[style][shade].fg, p->paint[style][shade].bg };

	for (int i = 0; p->depth == DEPTH_256 && i < 2; i++) {
		int n = color[i] - 16;
		color[i] = n >= 216 ? (8 + 10 * (n - 216)) * 0x10101 : level[n / 36] << 16 | level[n / 6 % 6] << 8 | level[n % 6];
	}
	double a = luminance(color[0]), b = luminance(color[1]);
	return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

static void every_way_to_write_a_colour_is_read(void **state)
{
	(void)state;
	struct theme t = parsed("# a comment\r\n\n theme[main_fg]=\"#a1B2c3\"\r\ntheme[title] = '#7f' # grey\n"
				"theme[hi_fg]=\"1 20 255\"\ntheme[cpu_box]=#010203\ntheme[main_bg]=\"\"\ntheme[cpu_mid]=\"\"");

	assert_int_equal(t.color[THEME_MAIN_FG], 0xa1b2c3);
	assert_int_equal(t.color[THEME_TITLE], 0x7f7f7f);
	assert_int_equal(t.color[THEME_HI_FG], 0x0114ff);
	assert_int_equal(t.color[THEME_CPU_BOX], 0x010203);
	assert_int_equal(t.color[THEME_MAIN_BG], RGB_NONE);
	assert_int_equal(t.color[THEME_CPU_MID], RGB_NONE);
}

static void unknown_keys_are_passed_over(void **state)
{
	(void)state;
	struct theme t = parsed("theme[from_the_future]=\"#zz\"\ntheme[main_fg]=\"#ff\"\n");

	assert_int_equal(t.color[THEME_MAIN_FG], 0xffffff);
}

static void what_is_missing_comes_from_a_related_key_else_the_default(void **state)
{
	(void)state;
	struct theme def, t = parsed("theme[proc_misc]=\"#123456\"\n");

	theme_init(&def);
	assert_int_equal(t.color[THEME_PASS], 0x123456);
	assert_int_equal(t.color[THEME_BURST], def.color[THEME_BURST]);
	assert_int_equal(t.color[THEME_CPU_END], def.color[THEME_CPU_END]);
}

static void a_bad_line_is_named_with_what_is_allowed(void **state)
{
	(void)state;
	assert_string_equal(refused("\n\ntheme[main_fg]=\"#12345\"\n"),
			    "x.theme: line 3: theme[main_fg]: '#12345' is not a colour (#RRGGBB, #BW or 'R G B')");
	assert_string_equal(refused("theme[main_fg]=\"1 2 256\""),
			    "x.theme: line 1: theme[main_fg]: '1 2 256' is not a colour (#RRGGBB, #BW or 'R G B')");
	assert_string_equal(refused("theme[main_fg]=\"#1234"), "x.theme: line 1: the closing quote is missing");
	assert_string_equal(refused("theme[main_"), "x.theme: line 1: 'theme[main_' is not theme[KEY]=\"COLOUR\"");
	assert_string_equal(refused("\x7f" "ELF\x02"), "x.theme: line 1: '?ELF?' is not theme[KEY]=\"COLOUR\"");
}

static void a_file_cut_anywhere_is_read_or_refused_with_a_line(void **state)
{
	(void)state;
	static const char whole[] = "# x\ntheme[main_bg]=\"#10\"\ntheme[cpu_start]=\"0 128 255\"\n";

	for (size_t n = 0; n < sizeof(whole); n++) {
		char *cut = malloc(n ? n : 1);
		struct theme t;
		struct err err = { 0 };
		memcpy(cut, whole, n);
		if (theme_parse(&t, "cut", cut, n, &err) < 0)
			assert_non_null(strstr(err.msg, "cut: line "));
		free(cut);
	}
}

static void too_long_a_file_is_refused(void **state)
{
	(void)state;
	char *big = calloc(1, THEME_FILE_MAX + 1);
	struct theme t;
	struct err err = { 0 };

	memset(big, '\n', THEME_FILE_MAX + 1);
	assert_int_equal(theme_parse(&t, "big", big, THEME_FILE_MAX, &err), 0);
	assert_int_equal(theme_parse(&t, "big", big, THEME_FILE_MAX + 1, &err), -1);
	free(big);
}

static void the_themes_that_are_compiled_in_are_whole(void **state)
{
	(void)state;
	struct err err = { 0 };
	char next[64];

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	for (int i = 0; theme_names[i]; i++) {
		struct theme t;
		assert_int_equal(theme_open(&t, theme_names[i], &err), 0);
		assert_string_equal(t.name, theme_names[i]);
		assert_string_equal(theme_next(theme_names[i], next, sizeof(next)), theme_names[i + 1] ? theme_names[i + 1] : theme_names[0]);
	}
}

static void the_default_theme_is_the_file_of_that_name(void **state)
{
	(void)state;
	struct theme t, def;
	struct err err = { 0 };

	theme_init(&def);
	assert_int_equal(theme_open(&t, "default", &err), 0);
	assert_memory_equal(t.color, def.color, sizeof(t.color));
}

static void a_theme_that_does_not_exist_names_those_that_do(void **state)
{
	(void)state;
	struct theme t;
	struct err err = { 0 };

	assert_int_equal(theme_open(&t, "no-such-theme", &err), -1);
	assert_non_null(strstr(err.msg, "default, colorblind, projector"));
	assert_int_equal(theme_open(&t, "/nonexistent/x.theme", &err), -1);
	assert_non_null(strstr(err.msg, "/nonexistent/x.theme"));
}

static void a_colour_becomes_the_most_alike_of_256(void **state)
{
	(void)state;
	assert_int_equal(rgb_to_256(0x000000), 16);
	assert_int_equal(rgb_to_256(0xffffff), 231);
	assert_int_equal(rgb_to_256(0xd0d0d0), 252);
	assert_int_equal(rgb_to_256(0xff0000), 196);
	assert_int_equal(rgb_to_256(0x005f5f), 23);
	assert_int_equal(rgb_to_256(0x00664c), 23); /* and not the brighter 29 */
	assert_int_equal(rgb_to_256(0x0c0e12), 233); /* a dark ground stays as dark */
	assert_int_equal(rgb_to_256(RGB_NONE), RGB_NONE);
}

static void no_gradient_has_stripes_where_there_are_256_colours(void **state)
{
	static const char *const names[] = { "default", "colorblind", "projector" };
	struct theme t;
	struct palette p;
	struct err err = { 0 };

	(void)state;
	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
		assert_int_equal(theme_open(&t, names[n], &err), 0);
		palette_make(&p, &t, DEPTH_256);
		for (int g = 0; g < GRAD_NR; g++) {
			const int first = STYLE_NR + g * GRAD_STEPS;
			for (int i = 1; i < GRAD_STEPS; i++)
				for (int before = 0; before < i - 1; before++) /* a colour that was left does not return */
					if (p.paint[first + i][0].fg == p.paint[first + before][0].fg &&
					    p.paint[first + i][0].fg != p.paint[first + i - 1][0].fg)
						fail_msg("%s: gradient %d returns at step %d", names[n], g, i);
		}
	}
}

static void a_gradient_goes_from_start_over_the_middle_to_the_end(void **state)
{
	(void)state;
	struct theme t = parsed("theme[cpu_start]=\"#000000\"\ntheme[cpu_mid]=\"\"\ntheme[cpu_end]=\"#0000b0\"\n"
				"theme[temp_start]=\"#40\"\ntheme[temp_mid]=\"\"\ntheme[temp_end]=\"\"\n");
	struct palette p;

	palette_make(&p, &t, DEPTH_RGB);
	for (unsigned i = 0; i < GRAD_STEPS; i++) {
		assert_int_equal(p.paint[style_grad(GRAD_RATE, (i + 0.5) / GRAD_STEPS)][0].fg, i * 16);
		assert_int_equal(p.paint[style_grad(GRAD_LAT, (i + 0.5) / GRAD_STEPS)][0].fg, 0x404040);
	}
	assert_int_equal(style_grad(GRAD_RATE, NAN), STYLE_NR);
	assert_int_equal(style_grad(GRAD_RATE, 7), STYLE_NR + GRAD_STEPS - 1);
}

static void without_colours_only_attributes_are_left_and_states_still_differ(void **state)
{
	(void)state;
	struct theme t;
	struct palette p;

	theme_init(&t);
	palette_make(&p, &t, DEPTH_MONO);
	for (int s = 0; s < STYLE_ALL; s++) {
		assert_int_equal(p.paint[s][0].fg, -1);
		assert_int_equal(p.paint[s][SHADE_BURST].bg, -1);
	}
	assert_int_not_equal(p.paint[STYLE_SELECTED][0].attr, p.paint[STYLE_TEXT][0].attr);
	assert_int_not_equal(p.paint[STYLE_LIMIT_HIT][0].attr, p.paint[STYLE_LIMIT][0].attr);
	assert_int_not_equal(p.paint[STYLE_BURST][0].attr, p.paint[STYLE_BASELINE][0].attr);
}

static void on_eight_colours_nothing_is_written_on_its_own_ground(void **state)
{
	(void)state;
	struct theme t;
	struct palette p;

	for (int n = 0; theme_names[n]; n++)
		for (enum depth d = DEPTH_8; d <= DEPTH_16; d++) {
			struct err err;
			assert_int_equal(theme_open(&t, theme_names[n], &err), 0);
			palette_make(&p, &t, d);
			for (int s = 0; s < STYLE_ALL; s++) {
				assert_int_not_equal(p.paint[s][0].fg, p.paint[s][0].bg);
				assert_in_range(p.paint[s][0].fg, 0, d == DEPTH_8 ? 7 : 15);
			}
		}
}

static void on_a_coloured_ground_few_colours_write_black_or_white_as_can_be_read(void **state)
{
	static const int styles[] = { STYLE_SELECTED, STYLE_BADGE, STYLE_TAB, STYLE_BURST, STYLE_BASELINE, STYLE_STEADY, STYLE_PASS_BADGE,
				      STYLE_SHORT_BADGE, STYLE_ABOVE_BADGE, STYLE_UNKNOWN_BADGE, STYLE_FIELD_FOCUS, STYLE_BUTTON };
	/* xterm's, of which most terminals are not far */
	static const int32_t colors[] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
					  0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff };

	(void)state;
	for (int n = 0; theme_names[n]; n++)
		for (enum depth d = DEPTH_8; d <= DEPTH_16; d++) {
			struct theme t;
			struct palette p;
			struct err err;
			assert_int_equal(theme_open(&t, theme_names[n], &err), 0);
			palette_make(&p, &t, d);
			for (size_t i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
				struct paint paint = p.paint[styles[i]][0];
				struct palette shown = { .depth = DEPTH_RGB };
				shown.paint[0][0] = (struct paint){ colors[paint.fg], colors[paint.bg], 0 };
				if (contrast(&shown, 0, 0) < 3.9)
					fail_msg("%s, depth %d: style %d is %d on %d", theme_names[n], d, styles[i], paint.fg, paint.bg);
			}
		}
}

static void what_a_description_with_rgb_takes_for_the_palettes_black_is_next_to_it(void **state)
{
	(void)state;
	assert_int_equal(screen_direct_color(0x000000), 0x000008);
	assert_int_equal(screen_direct_color(0x000007), 0x000008);
	assert_int_equal(screen_direct_color(0x000100), 0x000100);
	assert_int_equal(screen_direct_color(RGB_NONE), RGB_NONE);
}

static void with_sixteen_colours_a_theme_shows_in_ground_and_hue(void **state)
{
	(void)state;
	struct theme def, safe, light;
	struct palette p;
	struct err err;

	theme_init(&def);
	theme_open(&safe, "colorblind", &err);
	theme_open(&light, "projector", &err);
	palette_make(&p, &light, DEPTH_16);
	assert_int_equal(p.paint[STYLE_TEXT][0].bg, 15);
	assert_int_equal(p.paint[STYLE_TEXT][0].fg, 0);
	for (enum theme_key k = 0; k < THEME_NR; k++) {
		int32_t c = theme_tty_color(&light, k);
		assert_true(c <= 8 || c == 15); /* bright ones can't be read on white */
	}
	assert_int_equal(theme_tty_color(&def, THEME_PASS), 10);
	assert_int_not_equal(theme_tty_color(&safe, THEME_PASS), 10);
	assert_int_not_equal(theme_tty_color(&safe, THEME_PASS), theme_tty_color(&safe, THEME_SHORT));
}

static bool is_line(int style)
{
	return style >= STYLE_NR || style == STYLE_METER || (style >= STYLE_FRAME_RATE && style <= STYLE_FRAME_FOCUS);
}

static void in_every_theme_text_and_lines_stand_out_from_their_ground(void **state)
{
	(void)state;
	for (int n = 0; theme_names[n]; n++)
		for (enum depth d = DEPTH_256; d <= DEPTH_RGB; d++) {
			struct theme t;
			struct palette p;
			struct err err;
			assert_int_equal(theme_open(&t, theme_names[n], &err), 0);
			palette_make(&p, &t, d);
			for (int s = 0; s < STYLE_ALL; s++) {
				/* lines and what is not in use are not drawn over a tint; the greys of 256 colours are coarse */
				int shades = is_line(s) || s == STYLE_FAINT || d == DEPTH_256 ? 1 : SHADE_NR;
				for (int h = 0; h < shades; h++)
					if (contrast(&p, s, h) < (is_line(s) ? 3 : 4.5))
						fail_msg("%s: style %d on shade %d of depth %d: %.2f", theme_names[n], s, h, d, contrast(&p, s, h));
			}
		}
}

static void the_next_theme_may_be_ones_own(void **state)
{
	(void)state;
	char home[] = "/tmp/ebscope-theme-XXXXXX", dir[64], file[80], next[64];
	struct theme t;
	struct err err;

	assert_non_null(mkdtemp(home));
	setenv("XDG_CONFIG_HOME", home, 1);
	snprintf(dir, sizeof(dir), "%s/ebscope/themes", home);
	assert_int_equal(xdg_make_dirs(dir), 0);
	snprintf(file, sizeof(file), "%s/mine.theme", dir);
	fclose(fopen(file, "w"));
	assert_string_equal(theme_next("projector", next, sizeof(next)), "mine");
	assert_int_equal(theme_open(&t, next, &err), 0);
	assert_string_equal(theme_next("mine", next, sizeof(next)), "default");
	unlink(file);
	rmdir(dir);
	*strrchr(dir, '/') = 0;
	rmdir(dir);
	rmdir(home);
}

/* --- colours that cannot be told apart --- */

struct lab {
	double l, a, b;
};

/* sRGB through a matrix of colour blindness (Machado and others 2009, severity 1.0), to CIE L*a*b* (D65). */
static struct lab seen(int32_t rgb, const double m[3][3])
{
	double lin[3], s[3], f[3];

	for (int i = 0; i < 3; i++) {
		double c = (rgb >> (16 - 8 * i) & 0xff) / 255.0;
		lin[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
	}
	for (int i = 0; i < 3; i++)
		s[i] = fmin(1, fmax(0, m[i][0] * lin[0] + m[i][1] * lin[1] + m[i][2] * lin[2]));
	double xyz[3] = { (0.4124 * s[0] + 0.3576 * s[1] + 0.1805 * s[2]) / 0.9505,
			  0.2126 * s[0] + 0.7152 * s[1] + 0.0722 * s[2],
			  (0.0193 * s[0] + 0.1192 * s[1] + 0.9505 * s[2]) / 1.089 };
	for (int i = 0; i < 3; i++)
		f[i] = xyz[i] > 0.008856 ? cbrt(xyz[i]) : 7.787 * xyz[i] + 16.0 / 116;
	return (struct lab){ 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2]) };
}

static double distance(struct lab p, struct lab q)
{
	return sqrt((p.l - q.l) * (p.l - q.l) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
}

static void in_the_safe_palette_states_differ_for_colour_blind_eyes(void **state)
{
	(void)state;
	static const double eyes[][3][3] = {
		{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
		{ { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
		{ { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.011820, 0.042940, 0.968881 } },
	};
	static const enum theme_key groups[][5] = {
		{ THEME_PASS, THEME_SHORT, THEME_ABOVE, THEME_INACTIVE_FG, THEME_ERROR },
		{ THEME_P50, THEME_P99, THEME_P999, THEME_NR, THEME_NR },
		{ THEME_BURST, THEME_BASELINE, THEME_DIV_LINE, THEME_NR, THEME_NR },
		{ THEME_LIMIT, THEME_LIMIT_HIT, THEME_MODEL, THEME_GHOST, THEME_CPU_MID },
		{ THEME_DOWNLOAD_MID, THEME_UPLOAD_MID, THEME_NR, THEME_NR, THEME_NR },
	};
	struct theme t;
	struct err err = { 0 };

	assert_int_equal(theme_open(&t, "colorblind", &err), 0);
	for (size_t e = 0; e < sizeof(eyes) / sizeof(*eyes); e++)
		for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
			for (int i = 0; i < 5 && groups[g][i] != THEME_NR; i++)
				for (int j = i + 1; j < 5 && groups[g][j] != THEME_NR; j++) {
					double d = distance(seen(t.color[groups[g][i]], eyes[e]), seen(t.color[groups[g][j]], eyes[e]));
					if (d < 20)
						fail_msg("eyes %zu, group %zu: %d and %d are %.1f apart", e, g, i, j, d);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_to_write_a_colour_is_read),
		cmocka_unit_test(unknown_keys_are_passed_over),
		cmocka_unit_test(what_is_missing_comes_from_a_related_key_else_the_default),
		cmocka_unit_test(a_bad_line_is_named_with_what_is_allowed),
		cmocka_unit_test(a_file_cut_anywhere_is_read_or_refused_with_a_line),
		cmocka_unit_test(too_long_a_file_is_refused),
		cmocka_unit_test(the_themes_that_are_compiled_in_are_whole),
		cmocka_unit_test(the_default_theme_is_the_file_of_that_name),
		cmocka_unit_test(a_theme_that_does_not_exist_names_those_that_do),
		cmocka_unit_test(a_colour_becomes_the_most_alike_of_256),
		cmocka_unit_test(no_gradient_has_stripes_where_there_are_256_colours),
		cmocka_unit_test(a_gradient_goes_from_start_over_the_middle_to_the_end),
		cmocka_unit_test(without_colours_only_attributes_are_left_and_states_still_differ),
		cmocka_unit_test(on_eight_colours_nothing_is_written_on_its_own_ground),
		cmocka_unit_test(with_sixteen_colours_a_theme_shows_in_ground_and_hue),
		cmocka_unit_test(on_a_coloured_ground_few_colours_write_black_or_white_as_can_be_read),
		cmocka_unit_test(what_a_description_with_rgb_takes_for_the_palettes_black_is_next_to_it),
		cmocka_unit_test(in_every_theme_text_and_lines_stand_out_from_their_ground),
		cmocka_unit_test(the_next_theme_may_be_ones_own),
		cmocka_unit_test(in_the_safe_palette_states_differ_for_colour_blind_eyes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
