/* SPDX-License-Identifier: MIT
 * Verifies that accesses are streams of whole transactions, so that who replays them can go from one record to the
 * next. */
#include <float.h>
#include <math.h>

#include "verify.h"

struct access_check {
	struct verifier *verifier;
	bool has_thread;     /* a stream has begun */
	bool is_transaction; /* and, in it, a transaction */
};

static void report(struct access_check *check, size_t i, const char *claim)
{
	verify_report(check->verifier, "access %zu: %s", i, claim);
}

/* A time that is known; no NaN, and finite. Of BEGIN it may be unknown: -1, or less with the number of a window. */
static bool is_gap(const struct stmlog_access_record *access)
{
	bool is_unknown = access->gap_ns <= -1 && isfinite(access->gap_ns) && floorf(access->gap_ns) >= access->gap_ns;
	return (access->gap_ns >= 0 && access->gap_ns <= FLT_MAX) ||
	       (is_unknown && access->kind == STMLOG_ACCESS_BEGIN);
}

static void begin(struct access_check *check, size_t i)
{
	if (check->is_transaction)
		report(check, i, "the transaction before it has no end");
}

/* Reports a record that stands at a wrong place, and goes on as if the place were right: so one record that is missing
 * is one violation. */
static void check_place(struct access_check *check, size_t i, uint16_t kind)
{
	if (!check->has_thread && kind != STMLOG_ACCESS_THREAD)
		report(check, i, "belongs to no thread");
	check->has_thread = true;
	switch (kind) {
	case STMLOG_ACCESS_THREAD:
		begin(check, i);
		check->is_transaction = false;
		break;
	case STMLOG_ACCESS_BEGIN:
		begin(check, i);
		check->is_transaction = true;
		break;
	default:
		if (!check->is_transaction)
			report(check, i, "belongs to no transaction");
		check->is_transaction = kind != STMLOG_ACCESS_COMMIT && kind != STMLOG_ACCESS_CANCEL;
	}
}

void verify_accesses(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	struct access_check check = {.verifier = verifier};
	for (size_t i = 0; i < recording->access_count; i++) {
		const struct stmlog_access_record *access = &recording->accesses[i];
		if (access->kind >= STMLOG_ACCESS_KINDS)
			report(&check, i, "a kind that this stmlog does not know");
		else
			check_place(&check, i, access->kind);
		if (!is_gap(access))
			report(&check, i, "the time before it is no time");
	}
	begin(&check, recording->access_count);
}
