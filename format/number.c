/* SPDX-License-Identifier: MIT
 * Rounds numbers, and chooses their units. */
#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct number number_count(uint64_t count)
{
	char digits[24];
	struct number out;
	size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, count);
	size_t used = 0;
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out.text[used++] = ',';
		out.text[used++] = digits[i];
	}
	out.text[used] = '\0';
	return out;
}

struct number number_rounded(double value, int decimals)
{
	struct number out;
	int len = snprintf(out.text, sizeof out.text, "%.*f", decimals, value);
	size_t whole = strspn(out.text, "-0123456789");
	if (decimals == 0 || len >= (int)sizeof out.text || whole == (size_t)len)
		return out;
	out.text[whole] = '.';
	memmove(out.text + whole + 1, out.text + len - decimals, (size_t)decimals + 1);
	return out;
}

static struct number in_units(double value, int decimals, const char *unit)
{
	struct number out = number_rounded(value, decimals);
	size_t len = strlen(out.text);
	snprintf(out.text + len, sizeof out.text - len, "%s", unit);
	return out;
}

/* Chooses the unit in which the rounded number is below 1000. */
struct number number_time(uint64_t ns)
{
	if (ns < 1000)
		return in_units((double)ns, 0, " ns");
	if (ns < 999950)
		return in_units((double)ns / 1e3, 1, " us");
	if (ns < 999950000)
		return in_units((double)ns / 1e6, 1, " ms");
	return in_units((double)ns / 1e9, 2, " s");
}

struct number number_bytes(uint64_t bytes)
{
	static const char *const units[] = {" bytes", " kB", " MB", " GB", " TB"};
	size_t unit = 0;
	for (; bytes >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
		bytes = bytes / 1000 + (bytes % 1000 >= 500);
	return in_units((double)bytes, 0, units[unit]);
}

struct number number_share(uint64_t part, uint64_t whole)
{
	struct number none = {"-"};
	return whole != 0 ? in_units(100.0 * (double)part / (double)whole, 1, " %") : none;
}

struct number number_tenths(unsigned tenths)
{
	struct number out;
	snprintf(out.text, sizeof out.text, "%u.%u %%", tenths / 10, tenths % 10);
	return out;
}

struct number number_rate(uint64_t count, uint64_t wall_ns)
{
	struct number none = {"-"};
	if (wall_ns == 0)
		return none;
	double rate = (double)count / ((double)wall_ns / 1e9);
	return number_count(rate < 1e18 ? (uint64_t)(rate + 0.5) : (uint64_t)1e18);
}

struct number number_decimal(uint64_t count, uint64_t unit, int decimals)
{
	struct number out;
	size_t used = (size_t)snprintf(out.text, sizeof out.text, "%" PRIu64, count / unit);
	if (decimals > 0)
		out.text[used++] = '.';
	for (uint64_t rest = count % unit; decimals > 0; decimals--) {
		out.text[used++] = (char)('0' + 10 * rest / unit);
		rest = 10 * rest % unit;
	}
	out.text[used] = '\0';
	return out;
}

struct number number_since(uint64_t began_ns, uint64_t time_ns)
{
	struct number out = {"-"};
	bool is_before = time_ns < began_ns;
	struct number time = number_decimal(is_before ? began_ns - time_ns : time_ns - began_ns, NUMBER_S, 9);
	snprintf(out.text + is_before, sizeof out.text - is_before, "%.46s", time.text);
	return out;
}

bool number_parse(const char *text, uint64_t *value)
{
	uint64_t sum = 0;
	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9')
			return false;
		if (__builtin_mul_overflow(sum, 10u, &sum) ||
			__builtin_add_overflow(sum, (uint64_t)(*text - '0'), &sum))
			return false;
	}
	*value = sum;
	return true;
}

bool number_parse_seconds(const char *text, uint64_t *ns)
{
	char digits[32];
	size_t whole = strspn(text, "0123456789"), used = whole;
	const char *part = text[whole] == '.' ? text + whole + 1 : text + whole;
	size_t part_len = strlen(part);
	if (whole == 0 || whole > 20 || part_len > 9 || (text[whole] == '.' && part_len == 0))
		return false;
	memcpy(digits, text, whole);
	memcpy(digits + used, part, part_len);
	used += part_len;
	memset(digits + used, '0', 9 - part_len);
	digits[used + 9 - part_len] = '\0';
	return number_parse(digits, ns);
}

bool number_parse_share(const char *text, double *share)
{
	char *end;
	if (strspn(text, "0123456789.") == 0)
		return false;
	double number = strtod(text, &end);
	bool is_percent = strcmp(end, "%") == 0;
	if ((!is_percent && *end != '\0') || !isfinite(number))
		return false;
	*share = is_percent ? number / 100 : number;
	return true;
}
