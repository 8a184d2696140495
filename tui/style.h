/* SPDX-License-Identifier: MIT */
#ifndef TUI_STYLE_H
#define TUI_STYLE_H

/**
 * What a cell means, never how it looks: a view writes a style into a cell, and only the theme knows colours.
 *
 * X(NAME, fg, bg, attr, mono): the row of one style. fg and bg are keys of a theme (enum theme_key, theme.h); attr is
 * what colour terminals add; mono is what stands for it where there is no colour (NO_COLOR, a monochrome terminal),
 * so that a selection or a reached limit can still be told apart. Attributes: a bit each, ATTR_*.
 */
enum { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_REVERSE = 4, ATTR_UNDERLINE = 8 };

#define STYLE_TABLE(X)                                                                \
	X(TEXT, MAIN_FG, MAIN_BG, 0, 0)                                               \
	X(STRONG, TITLE, MAIN_BG, ATTR_BOLD, ATTR_BOLD)    /* a figure to look at */  \
	X(LABEL, GRAPH_TEXT, MAIN_BG, 0, 0)                /* axes, units, names */   \
	X(FAINT, INACTIVE_FG, MAIN_BG, 0, ATTR_DIM)        /* what is not in use */   \
	X(TITLE, TITLE, MAIN_BG, ATTR_BOLD, ATTR_BOLD)     /* of a panel */           \
	X(KEY, HI_FG, MAIN_BG, ATTR_BOLD, ATTR_BOLD)       /* what to press */        \
	X(SELECTED, SELECTED_FG, SELECTED_BG, ATTR_BOLD, ATTR_REVERSE)                \
	X(BADGE, MAIN_BG, HI_FG, ATTR_BOLD, ATTR_REVERSE)  /* SIMULATED, SHAPED */    \
	X(TAB, SELECTED_FG, SELECTED_BG, ATTR_BOLD, ATTR_REVERSE | ATTR_BOLD)         \
	X(FRAME_RATE, CPU_BOX, MAIN_BG, 0, 0)              /* of the rate plots */    \
	X(FRAME_BW, NET_BOX, MAIN_BG, 0, 0)                                           \
	X(FRAME_SIDE, MEM_BOX, MAIN_BG, 0, 0)              /* credits, latency */     \
	X(FRAME_LIST, PROC_BOX, MAIN_BG, 0, 0)             /* workers, events */      \
	X(FRAME_FOCUS, HI_FG, MAIN_BG, 0, ATTR_BOLD)                                  \
	X(METER, METER_BG, MAIN_BG, 0, ATTR_DIM)           /* the empty part */       \
	X(LIMIT, LIMIT, MAIN_BG, 0, 0)                     /* documented, not met */  \
	X(LIMIT_HIT, LIMIT_HIT, MAIN_BG, ATTR_BOLD, ATTR_BOLD) /* and unbroken */     \
	X(MODEL, MODEL, MAIN_BG, ATTR_BOLD, ATTR_BOLD)     /* allowed just now */     \
	X(GHOST, GHOST, MAIN_BG, 0, ATTR_DIM)              /* an earlier run */       \
	X(MARK, MARK, MAIN_BG, ATTR_BOLD, ATTR_BOLD)       /* a mark or knob */       \
	X(SAID, SAID, MAIN_BG, ATTR_BOLD, ATTR_BOLD)       /* what AWS or the device says, beside what is ours */ \
	X(BURST, MAIN_BG, BURST, ATTR_BOLD, ATTR_REVERSE)  /* the band of a phase */  \
	X(BASELINE, MAIN_BG, BASELINE, ATTR_BOLD, ATTR_UNDERLINE)                     \
	X(STEADY, MAIN_BG, STEADY, ATTR_BOLD, ATTR_UNDERLINE)                         \
	X(RAMP, MAIN_FG, DIV_LINE, 0, ATTR_DIM)                                       \
	X(PASS, PASS, MAIN_BG, ATTR_BOLD, ATTR_BOLD)                                  \
	X(SHORT, SHORT, MAIN_BG, ATTR_BOLD, ATTR_BOLD | ATTR_UNDERLINE)               \
	X(ABOVE, ABOVE, MAIN_BG, ATTR_BOLD, ATTR_BOLD)                                \
	X(WARN, WARN, MAIN_BG, 0, ATTR_BOLD)                                          \
	X(ERROR, ERROR, MAIN_BG, ATTR_BOLD, ATTR_BOLD | ATTR_REVERSE)                 \
	X(PASS_BADGE, MAIN_BG, PASS, ATTR_BOLD, ATTR_REVERSE)                         \
	X(SHORT_BADGE, MAIN_BG, SHORT, ATTR_BOLD, ATTR_REVERSE)                       \
	X(ABOVE_BADGE, MAIN_BG, ABOVE, ATTR_BOLD, ATTR_REVERSE)                       \
	X(UNKNOWN_BADGE, MAIN_FG, DIV_LINE, ATTR_BOLD, ATTR_REVERSE)                  \
	X(FIELD, TITLE, MAIN_BG, 0, ATTR_UNDERLINE)                                   \
	X(FIELD_FOCUS, SELECTED_FG, SELECTED_BG, ATTR_BOLD, ATTR_REVERSE)             \
	X(FIELD_BAD, ERROR, MAIN_BG, ATTR_BOLD | ATTR_UNDERLINE, ATTR_BOLD | ATTR_UNDERLINE) \
	X(P50, P50, MAIN_BG, ATTR_BOLD, ATTR_BOLD)                                    \
	X(P99, P99, MAIN_BG, ATTR_BOLD, ATTR_BOLD)                                    \
	X(P999, P999, MAIN_BG, ATTR_BOLD, ATTR_BOLD)                                  \
	X(BUTTON, MAIN_BG, PASS, ATTR_BOLD, ATTR_REVERSE | ATTR_BOLD)                 \
	X(BUTTON_IDLE, TITLE, DIV_LINE, ATTR_BOLD, ATTR_BOLD)

enum style {
#define X(name, fg, bg, attr, mono) STYLE_##name,
	STYLE_TABLE(X)
#undef X
	STYLE_NR
};

/** Gradients: GRAD_STEPS styles each behind the fixed ones, from the theme's start over its middle to its end. */
enum gradient {
	GRAD_RATE,   /**< IOPS: btop's cpu */
	GRAD_READ,   /**< throughput read: btop's download */
	GRAD_WRITE,  /**< throughput written: btop's upload */
	GRAD_LAT,    /**< latency, fast to slow: btop's temp */
	GRAD_CREDIT, /**< credits, empty to full: btop's available */
	GRAD_SEEN,   /**< rates seen: btop's cached */
	GRAD_NR
};
#define GRAD_STEPS 12
#define STYLE_ALL  (STYLE_NR + GRAD_NR * GRAD_STEPS) /**< number of styles; fits a byte */

/** The style of a gradient at @p share, 0.0 to 1.0 (clamped; NAN is 0). */
static inline unsigned style_grad(enum gradient g, double share)
{
	int step = share >= 1 ? GRAD_STEPS - 1 : share > 0 ? (int)(share * GRAD_STEPS) : 0;

	return (unsigned)STYLE_NR + (unsigned)g * GRAD_STEPS + (unsigned)step;
}

/** The ground under a cell: a tint that keeps the style readable; none where colours are few. */
enum shade { SHADE_NONE, SHADE_BURST, SHADE_SETUP /**< layout and ramp */, SHADE_BETWEEN /**< of two limits */, SHADE_NR };

#endif
