/* SPDX-License-Identifier: MIT */
#include "engine/phase_split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/robust.h"

/* A step must be this large, as a ratio, to be a change of level. */
#define RATIO_MIN 1.10
/* ... and its size this many times its standard error. */
#define Z_MIN 3.7
/* Variance of a one-second mean, relative and squared, that every series is given credit for: 1.7 %. */
#define LRV_FLOOR 0.0003
/*
 * Smoothing before anything else, seconds: five ticks, which evens out the lumps of a kernel throttle; more where a
 * slow device leaves whole windows empty.
 */
#define SMOOTH_S     0.5
#define SMOOTH_MAX_S 4.0
#define EMPTY_MAX    0.05
/* Shortest time scale at which fluctuation counts, seconds. */
#define SCALE_S 1.0
/*
 * A range has at least so many blocks of the shortest: each step makes the differences of two blocks' length around it
 * large, and these are to be the lesser part.
 */
#define BLOCKS_LEAST 6
/* A window has at least so many blocks of the longest time scale, so that a few true steps do not look like noise. */
#define BLOCKS_MIN 10
/* A stretch inside that goes so far towards a short level at an end makes that level usual. */
#define PRECEDENT 0.7
/* A cell counts at most this many robust standard deviations from its surroundings. */
#define CLIP 4.0
#define CLIP_MIN 0.1
/* Share of the fluctuation of the whole series that each part of it is held to have. */
#define WHOLE_SHARE 0.5
/* Median of the square of a standard normal: turns a median of squares into a variance. */
#define MEDIAN_CHI2 0.4549
/* Median absolute deviation of a standard normal, inverted. */
#define MAD_SCALE 1.4826

/* How far the mean of a stretch is off, as a share of it: sqrt(max(lrv / seconds, (lump / seconds)^2)). */
struct noise {
	double lrv;  /* relative variance of a mean over one second */
	double lump; /* seconds' worth of I/O that come or go at once */
};

struct split {
	double	     *v;      /* the series, cleaned */
	double	     *smooth; /* the series, smoothed only */
	double	     *level;  /* running median of that */
	double	     *window; /* scratch of the running median, 2 * min.inner + 1 */
	double	     *sum; /* sum[k]: of v[0..k) */
	double	     *raw; /* the same of the series as it was given */
	double	     *tmp; /* scratch, n */
	size_t	      n;
	double	      cell_s;
	struct noise  whole; /* of the series from end to end */
	size_t	      guard; /* cells next to a step that smoothing has mixed */
	struct split_min min;
	size_t	     *at;
	size_t	      nr, max;
};

static double mean(const struct split *s, size_t lo, size_t hi)
{
	return (s->sum[hi] - s->sum[lo]) / (double)(hi - lo);
}

/* Keep clear of what smoothing has mixed at the steps that bound [lo, hi), if enough is left. */
static void inside(const struct split *s, size_t *lo, size_t *hi)
{
	size_t left = *lo > 0 ? s->guard : 0, right = *hi < s->n ? s->guard : 0;

	if (*hi - *lo < 2 * (left + right))
		return;
	*lo += left;
	*hi -= right;
}

/* Smooth just so much that next to no cell is empty. @return half the width used */
static size_t smooth_enough(const double *sum, size_t n, double cell_s, double *out)
{
	for (double width = SMOOTH_S;; width *= 2) {
		size_t h = (size_t)fmax(round((width / cell_s - 1) / 2), 0), empty = 0;
		h = 2 * h + 1 > n ? (n - 1) / 2 : h;
		robust_smooth(sum, n, h, out);
		for (size_t i = 0; i < n; i++)
			empty += !(out[i] > 0);
		if ((double)empty <= EMPTY_MAX * (double)n || width >= SMOOTH_MAX_S)
			return h;
	}
}

/*
 * Relative variance of means over @p b cells in [lo, hi). From differences of neighbouring blocks, by their median:
 * so the few steps of level among them do not count. sum: of the series.
 */
static double block_variance(const struct split *s, const double *sum, size_t lo, size_t hi, size_t b)
{
	size_t nr = 0, step = b / 4 ? b / 4 : 1;

	for (size_t i = lo; i + 2 * b <= hi; i += step) {
		double a = sum[i + b] - sum[i], c = sum[i + 2 * b] - sum[i + b];
		double d = a + c > 0 ? 2 * (a - c) / (a + c) : 0;
		s->tmp[nr++] = d * d;
	}
	return nr ? robust_median(s->tmp, nr) / (2 * MEDIAN_CHI2) : 0;
}

static size_t level_start(const struct split *s, size_t k) { return k ? s->at[k - 1] : 0; }
static size_t level_end(const struct split *s, size_t k) { return k < s->nr ? s->at[k] : s->n; }

static double median_of(const struct split *s, const double *v, size_t n)
{
	memcpy(s->tmp, v, n * sizeof(*v));
	return robust_median(s->tmp, n);
}

/*
 * Take the sting out of stalls, peaks and heavy tails in [lo, hi), one level or all of the series: a cell counts at
 * most so many robust standard deviations from the running median around it.
 */
static void clean(struct split *s, size_t lo, size_t hi)
{
	size_t n = hi - lo, end = (size_t)ceil(0.8 / s->cell_s), half = (size_t)ceil(SCALE_S / s->cell_s / 2 - 1e-6);
	size_t dip = s->min.inner < (n + 1) / 2 ? s->min.inner : (n + 1) / 2;
	const double *in = s->smooth + lo;
	double *level = s->level + lo, *out = s->v + lo;

	end = end < n ? end : n;
	double left = lo ? median_of(s, in, n) : median_of(s, in, end);
	double right = hi < s->n ? median_of(s, in, n) : median_of(s, in + n - end, end);
	robust_running_median(in, n, dip, left, right, s->window, level);
	for (size_t i = 0; i < n; i++)
		s->tmp[i] = level[i] > 0 ? fabs(in[i] / level[i] - 1) : 0;
	double dev = fmax(MAD_SCALE * robust_median(s->tmp, n), sqrt(block_variance(s, s->raw, lo, hi, half)));
	dev = fmax(CLIP * dev, CLIP_MIN);
	for (size_t i = 0; i < n; i++)
		out[i] = fmin(fmax(in[i], level[i] * (1 - dev)), level[i] * (1 + dev));
}

/* Clean again, level by level: a dip next to a step is seen only now. */
static void clean_levels(struct split *s)
{
	for (size_t k = 0; k <= s->nr; k++)
		clean(s, level_start(s, k), level_end(s, k));
	robust_prefix_sum(s->v, s->n, s->sum);
}

/*
 * How much the series fluctuates in [lo, hi): the worst of all time scales from a second up, so that a saw-tooth
 * shows at the scale of half its period. The lumps of a throttle, which cancel within a second, do not show there:
 * they shift a mean only by what comes early or late at its two ends. NAN where the range is too short to tell.
 */
static struct noise fluctuation(const struct split *s, size_t lo, size_t hi)
{
	struct noise noise = { NAN, NAN };
	size_t len = hi - lo, b = (size_t)ceil(SCALE_S / s->cell_s - 1e-6), half = (b + 1) / 2;

	bool enough = len >= 4 * b;
	if (enough && len < BLOCKS_LEAST * b)
		b = len / BLOCKS_LEAST;
	if (len >= 8 * half)
		noise.lump = sqrt(fmax(block_variance(s, s->raw, lo, hi, half),
				       block_variance(s, s->raw, lo, hi, half + 1))) * (double)half * s->cell_s;
	for (bool first = true; first ? enough : len >= BLOCKS_MIN * b; first = false, b = b * 3 / 2 + 1) {
		double var = block_variance(s, s->sum, lo, hi, b) * fmax((double)b * s->cell_s, SCALE_S);
		noise.lrv = fmax(noise.lrv, var);
	}
	return noise;
}

/* What is known of @p n, and never much quieter than the whole series: a short level shows no slow swing. */
static struct noise noise_or(const struct split *s, struct noise n, struct noise other)
{
	double lrv = fmax(isnan(n.lrv) ? other.lrv : n.lrv, WHOLE_SHARE * s->whole.lrv);

	return (struct noise){ fmax(lrv, LRV_FLOOR), isnan(n.lump) ? other.lump : n.lump };
}

static double mean_error(double level, double seconds, struct noise n)
{
	return level * fmax(sqrt(n.lrv / seconds), n.lump / seconds);
}

/* The step between [lo, mid) and [mid, hi) in standard errors; 0 if it is too small a ratio to matter. */
static double step_z(const struct split *s, size_t lo, size_t mid, size_t hi, struct noise n)
{
	double a = mean(s, lo, mid), b = mean(s, mid, hi), top = fmax(a, b), low = fmin(a, b);

	if (top <= 0 || top < low * RATIO_MIN)
		return 0;
	return (top - low) / hypot(mean_error(a, (double)(mid - lo) * s->cell_s, n),
				   mean_error(b, (double)(hi - mid) * s->cell_s, n));
}

/* The position in [lo, hi) that explains most: the least sum of squares left; lo if none is allowed. */
static size_t best_split(const struct split *s, size_t lo, size_t hi)
{
	size_t none = lo;
	size_t first = lo + (lo == 0 ? s->min.left : s->min.inner), best = none;
	size_t last = hi - lo > s->min.inner ? hi - (hi == s->n ? s->min.right : s->min.inner) : lo;
	inside(s, &lo, &hi);
	double gain = 0, all = mean(s, lo, hi);

	for (size_t i = first; i <= last && i < hi; i++) {
		double a = mean(s, lo, i) - all, b = mean(s, i, hi) - all;
		double g = a * a * (double)(i - lo) + b * b * (double)(hi - i);
		if (g > gain) {
			gain = g;
			best = i;
		}
	}
	return best;
}

/* Binary segmentation: the best step of a range, if it stands out, then both sides on their own. */
static void split_range(struct split *s, size_t lo, size_t hi, struct noise outer)
{
	if (hi - lo < 2 || s->nr >= s->max)
		return;
	size_t from = lo, to = hi, mid = best_split(s, lo, hi);
	inside(s, &from, &to);
	struct noise noise = noise_or(s, fluctuation(s, from, to), outer);
	if (mid == lo || step_z(s, from, mid, to, noise) < Z_MIN)
		return;
	split_range(s, lo, mid, noise);
	if (s->nr < s->max)
		s->at[s->nr++] = mid;
	split_range(s, mid, hi, noise);
}

static void drop(struct split *s, size_t k)
{
	memmove(s->at + k, s->at + k + 1, (s->nr - k - 1) * sizeof(*s->at));
	s->nr--;
}

/* The k-th step against its two neighbours alone, with the worse fluctuation of the two. */
static double neighbour_z(const struct split *s, size_t k)
{
	size_t lo = level_start(s, k), mid = s->at[k], hi = level_end(s, k + 1), end = mid, from = mid;
	inside(s, &lo, &end);
	inside(s, &from, &hi);
	struct noise a = fluctuation(s, lo, end), b = fluctuation(s, from, hi);
	struct noise worse = { fmax(a.lrv, b.lrv), fmax(a.lump, b.lump) };

	return step_z(s, lo, mid, hi, noise_or(s, worse, s->whole));
}

/* Take out the weakest steps until all that are left stand out between their neighbours. */
static void merge_weak(struct split *s)
{
	while (s->nr) {
		size_t weakest = 0;
		double least = INFINITY;
		for (size_t k = 0; k < s->nr; k++) {
			double z = neighbour_z(s, k);
			if (z < least) {
				least = z;
				weakest = k;
			}
		}
		if (least >= Z_MIN)
			return;
		drop(s, weakest);
	}
}

static double step_log(const struct split *s, size_t k)
{
	double a = mean(s, level_start(s, k), s->at[k]), b = mean(s, s->at[k], level_end(s, k + 1));

	return log(fmax(b, 1e-9) / fmax(a, 1e-9));
}

/*
 * Three or more steps in a row that go up and down by turns are a swing too slow for fluctuation() to see, not
 * levels: no volume wins and loses its credits by turns under a constant load. Take out all that are not well over
 * the usual size of those steps.
 */
static void merge_swing(struct split *s)
{
	size_t run = 1, longest = s->nr ? 1 : 0;

	for (size_t k = 1; k < s->nr; k++) {
		run = (step_log(s, k) > 0) != (step_log(s, k - 1) > 0) ? run + 1 : 1;
		longest = run > longest ? run : longest;
	}
	if (longest < 3)
		return;
	for (size_t k = 0; k < s->nr; k++)
		s->tmp[k] = fabs(step_log(s, k));
	double usual = robust_median(s->tmp, s->nr);
	bool *keep = (bool *)s->tmp;
	size_t left = 0;
	for (size_t k = 0; k < s->nr; k++)
		keep[k] = fabs(step_log(s, k)) > 1.5 * usual;
	for (size_t k = 0; k < s->nr; k++)
		if (keep[k])
			s->at[left++] = s->at[k];
	s->nr = left;
}

/*
 * Does the mean over @p len cells somewhere in [lo, hi) leave @p level by @p by (its sign is the direction) or more?
 * Of the series as it was given: here every stall and peak counts in full.
 */
static bool has_excursion(const struct split *s, size_t lo, size_t hi, size_t len, double level, double by)
{
	for (size_t i = lo; i + len <= hi; i++) {
		double off = (s->raw[i + len] - s->raw[i]) / (double)len - level;
		if (by > 0 ? off >= by : off <= by)
			return true;
	}
	return false;
}

/*
 * A short level at an end is taken for one only if the series shows nothing like it further in: else it is one of
 * its usual dips or peaks, cut by the end.
 */
static void merge_usual_ends(struct split *s)
{
	for (int right = 0; right < 2 && s->nr; right++) {
		size_t k = right ? s->nr - 1 : 0, at = s->at[k], len = right ? s->n - at : at;
		size_t lo = right ? level_start(s, k) : at, hi = right ? at : level_end(s, k + 1);
		double end = right ? mean(s, at, s->n) : mean(s, 0, at);
		if (len >= s->min.inner)
			continue;
		inside(s, &lo, &hi);
		double level = mean(s, lo, hi);
		if (has_excursion(s, lo, hi, len, level, PRECEDENT * (end - level)))
			drop(s, k);
	}
}

int split_levels(double *rate, size_t n, double cell_s, const struct split_min *min, size_t *at, size_t max)
{
	struct split s = { .v = rate, .n = n, .cell_s = cell_s, .min = *min, .at = at, .max = max };

	if (n < 2)
		return 0;
	/* block_variance() takes one difference every quarter block at least: never more than n */
	size_t tmp_n = n > max ? n : max, window_n = 2 * min->inner + 1;
	double *mem = malloc((2 * (n + 1) + 2 * n + tmp_n + window_n) * sizeof(*mem));
	if (!mem)
		return -1;
	s.sum = mem;
	s.raw = s.sum + n + 1;
	s.smooth = s.raw + n + 1;
	s.level = s.smooth + n;
	s.tmp = s.level + n;
	s.window = s.tmp + tmp_n;
	robust_prefix_sum(rate, n, s.raw);
	s.guard = 2 * smooth_enough(s.raw, n, cell_s, s.smooth) + 1;
	clean_levels(&s);
	s.whole = fluctuation(&s, 0, n);
	split_range(&s, 0, n, s.whole);
	clean_levels(&s);
	merge_weak(&s);
	merge_usual_ends(&s);
	merge_swing(&s);
	merge_weak(&s);
	free(mem);
	return (int)s.nr;
}
