/* SPDX-License-Identifier: MIT */
#include "tui/dump.h"

#include <stdbool.h>

/* One colour of an SGR sequence; base is 3 for the character, 4 for the ground. */
static void put_color(FILE *out, enum depth depth, int base, int32_t color)
{
	if (color < 0 || depth == DEPTH_MONO)
		return;
	if (depth == DEPTH_RGB)
		fprintf(out, ";%d8;2;%d;%d;%d", base, color >> 16 & 0xff, color >> 8 & 0xff, color & 0xff);
	else if (depth == DEPTH_256)
		fprintf(out, ";%d8;5;%d", base, color);
	else
		fprintf(out, ";%d", (color < 8 ? base * 10 : base * 10 + 60) + (color & 7));
}

static void put_paint(FILE *out, enum depth depth, struct paint p)
{
	static const struct {
		int bit, sgr;
	} attrs[] = { { ATTR_BOLD, 1 }, { ATTR_DIM, 2 }, { ATTR_UNDERLINE, 4 }, { ATTR_REVERSE, 7 } };

	fputs("\033[0", out);
	for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs); i++)
		if (p.attr & attrs[i].bit)
			fprintf(out, ";%d", attrs[i].sgr);
	put_color(out, depth, 3, p.fg);
	put_color(out, depth, 4, p.bg);
	putc('m', out);
}

int dump_ansi(const struct canvas *cv, const struct palette *p, FILE *out)
{
	for (int y = 0; y < cv->h; y++) {
		int style = -1, shade = -1;
		for (int x = 0; x < cv->w; x++) {
			struct cell c = cv->cell[y * cv->w + x];
			char bytes[4];
			if (c.ch == 0)
				continue;
			if (c.style != style || c.shade != shade)
				put_paint(out, p->depth, p->paint[style = c.style][shade = c.shade]);
			fwrite(bytes, 1, (size_t)utf8_put(bytes, c.ch), out);
		}
		fputs("\033[0m\n", out);
	}
	return ferror(out) ? -1 : 0;
}
