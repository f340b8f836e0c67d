/* SPDX-License-Identifier: MIT
 * Verifies the records of a recording that is well formed: that times and counts that were kept apart add up. */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "recording.h"

/* Called for each violation; `text` is valid during the call. */
typedef void verify_violation(const char *text, void *arg);

/* Returns the number of violations. */
size_t verify_recording(const struct recording *recording, verify_violation *on_violation, void *arg);

struct verifier {
	const struct recording *recording;
	verify_violation *on_violation;
	void *arg;
	size_t violations;
};

__attribute__((format(printf, 2, 3))) static inline void verify_report(
	struct verifier *verifier, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	verifier->violations++;
	verifier->on_violation(text, verifier->arg);
}

/* Whether it may be the variance of a time of 64 bits, or the sum of the variances of all runs that were merged. So the
 * sum of two right recordings is right, too. */
static inline bool verify_is_variance(const struct verifier *verifier, double variance_ns2)
{
	return variance_ns2 >= 0 && variance_ns2 <= 0x1p128 * (double)verifier->recording->info.runs;
}

/* ---- verify_accounts.c: the parts of verify_recording() that are about the accounts of threads ---- */

/* The estimated rows of accounts. */
void verify_rows(struct verifier *verifier);

/* Paths, transactions and times blocked. */
void verify_spent(struct verifier *verifier);

#endif
