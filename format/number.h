/* SPDX-License-Identifier: MIT
 * Numbers as text for people. Each function returns the text by value: number_time(ns).text lives until the end of the
 * full expression, so that one printf can have several. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct number {
	char text[64];
};

struct number number_rounded(double value, int decimals);    /* 0.85: with a point, whatever the locale is */
struct number number_count(uint64_t count);                  /* 1,234,567 */
struct number number_time(uint64_t ns);                      /* 85 ns, 12.1 us, 212.3 ms, 2.00 s */
struct number number_bytes(uint64_t bytes);                  /* 85 bytes, 30 kB */
struct number number_share(uint64_t part, uint64_t whole);   /* 51.5 %; "-" of nothing */
struct number number_tenths(unsigned tenths);                /* of a percent: 515 is 51.5 % */
struct number number_rate(uint64_t count, uint64_t wall_ns); /* per second, as a count; "-" in no time */

/* `count` / `unit` with this many decimals, at most all: "12.500". `unit` is a power of ten. */
struct number number_decimal(uint64_t count, uint64_t unit, int decimals);

enum { NUMBER_S = 1000000000 }; /* a unit: nanoseconds in a second */

/* The seconds from `began_ns` to `time_ns`, with nine decimals; negative if `time_ns` is earlier. */
struct number number_since(uint64_t began_ns, uint64_t time_ns);

/* Reads a whole number in decimal digits. Returns false if there is anything else, or the number is too large. */
bool number_parse(const char *text, uint64_t *value);

/* Reads seconds, "12" or "0.0005", with at most nine decimals. Returns false if there is anything else, or the number
 * is too large. */
bool number_parse_seconds(const char *text, uint64_t *ns);

/* Reads a share, "0.1" or "10%", which is not negative. Returns false if there is anything else. */
bool number_parse_share(const char *text, double *share);

#endif
