/* SPDX-License-Identifier: MIT
 * Figures as people read them. Each returns its text by value: number_time(ns).text lives to the end of the
 * full expression, so that several fit into one printf. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct number {
	char text[48];
};

struct number number_rounded(double value, int decimals);    /* 0.85: with a point, whatever the locale is */
struct number number_count(uint64_t count);                  /* 1,234,567 */
struct number number_time(uint64_t ns);                      /* 85 ns, 12.1 us, 212.3 ms, 2.00 s */
struct number number_share(uint64_t part, uint64_t whole);   /* 51.5 %; "-" of nothing */
struct number number_rate(uint64_t count, uint64_t wall_ns); /* per second, as a count; "-" in no time */

struct number number_plain(uint64_t count); /* 1234567 */

/* 12.500: `count` in units of so many, a power of ten, with so many decimals, at most all. */
struct number number_decimal(uint64_t count, uint64_t unit, int decimals);

/* The same for the time between the two, with all decimals; "-" before it where `time_ns` is the earlier. */
struct number number_since(uint64_t began_ns, uint64_t time_ns, uint64_t unit);

enum { NUMBER_US = 1000, NUMBER_S = 1000000000 }; /* units */

/* Reads a whole number in decimal digits, nothing around it. Returns false when it is none or too large. */
bool number_parse(const char *text, uint64_t *value);

/* Reads seconds, "12" or "0.0005", to the nanosecond; nothing around them. Likewise. */
bool number_parse_seconds(const char *text, uint64_t *ns);

#endif
