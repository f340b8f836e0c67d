/* SPDX-License-Identifier: MIT
 * Tables of causes: by libitm's reason for the restart, if it is known; otherwise by the entry of libitm in which the
 * attempt has failed (its kind). */
#include "cause.h"

struct row {
	enum stmlog_contention_kind contention;
	const char *word;
};

static const struct row by_kind[ITM_KINDS] = {
	[ITM_KIND_NONE] = {STMLOG_WRITE_READ, "in unknown barrier"},
	[ITM_KIND_READ] = {STMLOG_WRITE_READ, "in read barrier"},
	[ITM_KIND_WRITE] = {STMLOG_WRITE_WRITE, "in write barrier"},
	[ITM_KIND_COPY] = {STMLOG_WRITE_WRITE, "in write barrier"},
	[ITM_KIND_COMMIT] = {STMLOG_WRITE_READ, "in commit"},
	[ITM_KIND_MODE] = {STMLOG_INEVITABLE, "becoming inevitable"},
	[ITM_KIND_NESTED] = {STMLOG_INEVITABLE, "becoming inevitable"},
	[ITM_KIND_ABORT] = {STMLOG_NONE, "in abort"},
};

static const struct row by_reason[ITM_REASONS] = {
#define ROW(name, contention) {STMLOG_##contention, #name},
	ITM_RESTART_REASONS(ROW)
#undef ROW
};

enum itm_reason itm_reason_moved(const uint32_t before[ITM_REASONS], const uint32_t after[ITM_REASONS])
{
	/* VALIDATE_READ comes last: a begin that waited may have counted it after the real reason. */
	for (enum itm_reason reason = 0; reason < ITM_REASONS; reason++)
		if (reason != ITM_REASON_VALIDATE_READ && before[reason] != after[reason])
			return reason;
	return before[ITM_REASON_VALIDATE_READ] != after[ITM_REASON_VALIDATE_READ] ? ITM_REASON_VALIDATE_READ
										   : ITM_REASONS;
}

static struct row row_of(uint32_t kind, enum itm_reason reason, enum itm_method method)
{
	if (reason < ITM_REASONS)
		return by_reason[reason];
	/* Under this method the first write asks to become inevitable, and there are no other conflicts. */
	if (method == ITM_METHOD_SERIAL_ON_WRITE && itm_kind_is_data(kind))
		return by_kind[ITM_KIND_MODE];
	return by_kind[kind < ITM_KINDS ? kind : ITM_KIND_NONE];
}

struct stmlog_cause itm_cause_of_restart(uint32_t kind, enum itm_reason reason, enum itm_method method)
{
	struct row row = row_of(kind, reason, method);
	/* A restart from within _ITM_abortTransaction(): the program asked for a retry; or it cancelled an inner
	 * transaction, and this method cannot undo that one alone. */
	bool is_users = kind == ITM_KIND_ABORT;
	return (struct stmlog_cause){is_users ? STMLOG_USER_ABORT : STMLOG_SELF_ABORT, row.contention, row.word};
}

struct stmlog_cause itm_cause_of_cancel(void)
{
	return (struct stmlog_cause){STMLOG_USER_ABORT, STMLOG_NONE, "cancel"};
}

/* Commit waits for transactions that began before it and so may still read old values: readers are in the way of a
 * transaction that has written. */
static const struct stmlog_cause by_wait[ITM_WAITS] = {
	[ITM_WAIT_BEGIN] = {STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT"},
	[ITM_WAIT_RESTART] = {STMLOG_WAIT, STMLOG_INEVITABLE, "RESTART_WAIT"},
	[ITM_WAIT_LAST] = {STMLOG_WAIT, STMLOG_INEVITABLE, "UPGRADE_WAIT"},
	[ITM_WAIT_UPGRADE] = {STMLOG_PAUSE, STMLOG_INEVITABLE, "UPGRADE_WAIT"},
	[ITM_WAIT_COMMIT] = {STMLOG_PAUSE, STMLOG_WRITE_READ, "COMMIT_WAIT"},
};

struct stmlog_cause itm_cause_of_wait(enum itm_wait wait, enum itm_method method, bool is_serial)
{
	struct stmlog_cause cause = by_wait[wait];
	/* Under gl_wt an attempt begins when no writer holds the one lock. */
	if (method == ITM_METHOD_GLOBAL_LOCK && cause.reason == STMLOG_WAIT && !is_serial) {
		cause.reason = STMLOG_PAUSE;
		cause.contention = STMLOG_WRITE_READ;
	}
	return cause;
}

enum itm_evidence itm_evidence_of(uint32_t kind, enum itm_reason reason, enum itm_method method)
{
	if (method != ITM_METHOD_LOCKS)
		return ITM_EVIDENCE_NONE;
	switch (reason) {
	case ITM_REASON_LOCKED_READ:
	case ITM_REASON_LOCKED_WRITE:
		return itm_kind_is_data(kind) ? ITM_EVIDENCE_LOCK : ITM_EVIDENCE_NONE;
	case ITM_REASON_VALIDATE_READ:
	case ITM_REASON_VALIDATE_WRITE:
	case ITM_REASON_VALIDATE_COMMIT:
		return ITM_EVIDENCE_READS;
	case ITM_REASONS: /* not known: the kind of access suggests the likeliest */
		return itm_kind_is_data(kind)    ? ITM_EVIDENCE_LOCK
		       : kind == ITM_KIND_COMMIT ? ITM_EVIDENCE_READS
						 : ITM_EVIDENCE_NONE;
	default:
		return ITM_EVIDENCE_NONE;
	}
}
