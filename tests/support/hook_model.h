/* SPDX-License-Identifier: MIT
 *
 * A naive model of the hooks: which call is accepted, and to what the accounts and the totals then add up. It is
 * written from runtime.h, with one variable for each sum and no thought of cost. One OS thread calls all hooks of all
 * handles (lanes make that possible), so that the model knows the state of each.
 */
#ifndef TESTS_HOOK_MODEL_H
#define TESTS_HOOK_MODEL_H

#include <stmlog/timeline.h>

enum { MODEL_HANDLES = 3, MODEL_LETTERS = 4 };

enum model_hook {
	HOOK_START,
	HOOK_START_AT,
	HOOK_RETRY,
	HOOK_RETRY_AT,
	HOOK_COMMIT,
	HOOK_COMMIT_AT,
	HOOK_WROTE,
	HOOK_WROTE_AT,
	HOOK_ORIGIN,
	HOOK_ORIGIN_HERE,
	HOOK_ORIGIN_AT,
	HOOK_INEVITABLE,
	HOOK_CONTENTION,
	HOOK_CONTENTION_AT,
	HOOK_CONTENTION_FROM,
	HOOK_CONTENTION_OVERLAP,
	HOOK_ABORT_SELF,
	HOOK_ABORT_OTHER,
	HOOK_PAUSE_SELF,
	HOOK_ABORTED_BY,
	HOOK_ABORT_ASKED,
	HOOK_FAILED,
	HOOK_ABORT,
	HOOK_ABORT_AT,
	HOOK_PAUSE_BEGIN,
	HOOK_PAUSE_END,
	HOOK_WAIT_INEVITABLE,
	HOOK_WAIT_SEGMENT,
	HOOK_WAIT_BEGIN,
	HOOK_WAIT_END,
	HOOK_WAITED,
	HOOK_WAITED_UNMEASURED,
	HOOK_OTHER_BEGIN,
	HOOK_OTHER_END,
	HOOK_BLOCKED_BEGIN,
	HOOK_BLOCKED_END,
	HOOK_WAS_BLOCKED, /* in vain if `ns` is odd */
	HOOK_UNMEASURED,
	HOOK_SET_WEIGHT,
	HOOK_TIMED,
	HOOK_DESCHEDULED,
	HOOK_CLAIM,
	HOOK_RELEASE,
	HOOK_MARK,
	HOOK_COUNTER,
	HOOK_REGION_BEGIN,
	HOOK_REGION_END,
	HOOK_TASK, /* `ns` is the task, `kind` the event */
	MODEL_HOOKS
};

/* A call of a hook, with all arguments that some hook has. */
struct model_step {
	enum model_hook hook;
	unsigned handle;
	enum stmlog_reason reason;
	enum stmlog_contention_kind contention;
	enum stmlog_conflict conflict;
	unsigned other; /* a handle; MODEL_HANDLES: not known */
	uint64_t other_attempt;
	uintptr_t object; /* a new one for each conflict */
	uint64_t now_ns;  /* the clock */
	uint64_t at_ns;
	uint64_t ns;
	uint32_t weight;
	enum stmlog_event_kind kind;
	struct tb_frame *traceback;
};

enum model_state {
	IS_OUTSIDE,
	IS_ABORTED,
	IS_ATTEMPT,
	IS_PAUSED,
	IS_WAITING_INEVITABLE,
	IS_WAITING_NONE,
	IS_OTHER,
	IS_BLOCKED
};

struct model_letter {
	uint64_t attempt; /* of the receiver; 0: the room is free */
	unsigned from;
	uint64_t from_attempt;
	enum stmlog_conflict conflict;
};

struct model_handle {
	bool is_lane, is_idle;
	enum model_state state, resume;
	uint64_t attached_at_ns, since_ns, released_ns, idle_ns;
	uint64_t last_ns;    /* of the last hook */
	uint64_t attempt_ns; /* of the attempt before its last interruption */
	uint64_t failed_ns;
	uint64_t attempt;
	bool is_under_way; /* the attempt */
	uint32_t weight;
	bool was_blocked; /* the transaction under way, after one of its aborts */

	uint64_t conflict_attempt; /* the attempt that has found the conflict; 0: none */
	enum stmlog_conflict conflict;
	unsigned conflict_other;
	uint64_t conflict_other_attempt;
	struct model_letter letters[MODEL_LETTERS];

	enum stmlog_reason interrupted_by; /* of the pause or wait under way */
	enum stmlog_contention_kind interrupted_for;

	uint64_t task, touched; /* open; 0: none */
	uint64_t regions;

	struct stmlog_account sums; /* without attached_ns, open_ns and the time outside since the last change */
	struct stmlog_cost costs[STMLOG_REASONS][STMLOG_CONTENTIONS];
};

struct model {
	struct model_handle handles[MODEL_HANDLES];
	uint64_t events[STMLOG_EVENT_KINDS]; /* which the timeline has; CONTENTION is not counted */
};

/* The handle has just been attached, or the lane opened; `attempt`: its stmlog_attempt(). */
void model_open(struct model *model, unsigned handle, bool is_lane, uint64_t now_ns, uint64_t attempt);

/* Whether the library accepts the call. If not, it counts a mistake of the caller's. */
bool model_accepts(const struct model *model, const struct model_step *step);

/* Whether the library counts a mistake and does what the call asks for all the same: an attempt begins though a pause
 * or wait is under way. */
bool model_makes_up(const struct model *model, const struct model_step *step);

/* Whether runtime.h allows the call. Some requirements the library does not check. */
bool model_allows(const struct model *model, const struct model_step *step);

/* What the call changes. Requires that it is accepted, or made up for. */
void model_apply(struct model *model, const struct model_step *step);

/* The account as it must be at this time, with the sums that the model knows. */
struct stmlog_account model_account(const struct model *model, unsigned handle, uint64_t now_ns);

#endif
