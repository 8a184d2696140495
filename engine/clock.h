/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CLOCK_H
#define ENGINE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SEC 1000000000ULL

/** Nanoseconds on CLOCK_MONOTONIC: the one clock that measures. Any thread. */
static inline uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/** A time or a length in ns as a timespec. */
static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC) };
}

/** Seconds as a double, for texts and JSON only. */
static inline double clock_seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

#endif
