/* SPDX-License-Identifier: MIT */
#include "engine/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Reorder v so that v[k] is what it would be if sorted, smaller ones before it, larger ones behind (quickselect). */
static void select_nth(double *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = v[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			double t = v[i];
			v[i++] = v[j];
			v[j--] = t;
		}
		size_t end = v[j] > pivot ? j - 1 : j; /* [lo, end] <= pivot <= (end, hi] */
		if (k <= end)
			hi = end;
		else
			lo = end + 1;
	}
}

double robust_median(double *v, size_t n)
{
	if (!n)
		return NAN;
	select_nth(v, n, n / 2);
	return v[n / 2];
}

void robust_prefix_sum(const double *v, size_t n, double *sum)
{
	sum[0] = 0;
	for (size_t i = 0; i < n; i++)
		sum[i + 1] = sum[i] + v[i];
}

void robust_smooth(const double *sum, size_t n, size_t h, double *out)
{
	for (size_t i = 0; i < n; i++) {
		size_t lo = i < h ? 0 : i - h, hi = i + h + 1 > n ? n : i + h + 1;
		double all = sum[hi] - sum[lo];
		if (i < h)
			all += sum[h - i];
		if (i + h + 1 > n)
			all += sum[n] - sum[2 * n - (i + h + 1)];
		out[i] = all / (double)(2 * h + 1);
	}
}

static size_t lower_bound(const double *w, size_t n, double v)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (w[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void robust_running_median(const double *in, size_t n, size_t h, double left, double right, double *w, double *out)
{
	size_t width = 2 * h + 1;
#define IN(i) ((i) < (ptrdiff_t)0 ? left : (i) >= (ptrdiff_t)n ? right : in[i])
	for (size_t i = 0; i < width; i++)
		w[i] = IN((ptrdiff_t)i - (ptrdiff_t)h);
	qsort(w, width, sizeof(*w), by_value);
	for (size_t i = 0; i < n; i++) {
		out[i] = w[h];
		double old = IN((ptrdiff_t)i - (ptrdiff_t)h), new = IN((ptrdiff_t)(i + h) + 1);
		size_t from = lower_bound(w, width, old), to = lower_bound(w, width, new);
		if (to > from) {
			to--;
			memmove(w + from, w + from + 1, (to - from) * sizeof(*w));
		} else {
			memmove(w + to + 1, w + to, (from - to) * sizeof(*w));
		}
		w[to] = new;
	}
#undef IN
}
