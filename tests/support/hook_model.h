/* SPDX-License-Identifier: MIT
 *
 * A naive model of the hooks: which call is accepted, and to what the accounts and the totals then add up. It is
 * written from runtime.h and agent.h, with one variable for each sum and no thought of cost. One OS thread calls all
 * hooks of all handles (lanes make that possible), so that the model knows the state of each. It does not know what an
 * origin stands for: losses have tracebacks in all possible ways, which change no sum.
 */
#ifndef TESTS_HOOK_MODEL_H
#define TESTS_HOOK_MODEL_H

#include <stmlog/read.h>
#include <stmlog/timeline.h>

enum { MODEL_HANDLES = 3, MODEL_ORIGINS = 8 };

enum model_hook {
	HOOK_START,
	HOOK_START_AT,
	HOOK_RETRY,
	HOOK_RETRY_AT,
	HOOK_COMMIT,
	HOOK_COMMIT_AT,
	HOOK_ORIGIN,
	HOOK_ORIGIN_AT,
	HOOK_INEVITABLE,
	HOOK_FAILED,
	HOOK_ABORT,
	HOOK_ABORT_OTHER,
	HOOK_WAIT_BEGIN,
	HOOK_WAIT_END,
	HOOK_WAITED,
	HOOK_WAITED_UNMEASURED,
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
	bool has_loss; /* otherwise NULL */
	enum stmlog_reason reason;
	enum stmlog_contention_kind contention;
	uint64_t own, other;             /* origins */
	struct tb_frame *local, *remote; /* NULL: by the origins */
	uintptr_t object;
	struct tb_site site;
	struct tb_frame *place;
	uint64_t now_ns; /* the clock */
	uint64_t at_ns;
	uint64_t ns;
	uint32_t weight;
	enum stmlog_event_kind kind;
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

enum { MODEL_NESTED = 1024 };

struct model_handle {
	bool is_lane, is_idle;
	enum model_state state, resume;
	uint64_t attached_at_ns, since_ns, released_ns, idle_ns;
	uint64_t last_ns;    /* of the last hook */
	uint64_t attempt_ns; /* of the attempt before its last interruption */
	uint64_t failed_ns;
	uint64_t attempt; /* number of the attempt under way, or of the last one */
	uint32_t weight;
	bool was_blocked; /* the transaction under way, after one of its aborts */

	enum stmlog_reason interrupted_by; /* of the pause or wait under way */
	enum stmlog_contention_kind interrupted_for;

	struct {
		unsigned kind; /* of the event that has opened it */
		uint64_t task;
	} nested[MODEL_NESTED]; /* spans about tasks that are open, innermost last */
	size_t nested_len;
	uint64_t regions;

	struct stmlog_account sums; /* without attached_ns, open_ns and the time outside since the last change */
	struct stmlog_cost costs[STMLOG_REASONS][STMLOG_CONTENTIONS];
};

struct model {
	struct model_handle handles[MODEL_HANDLES];
	uint64_t events[STMLOG_EVENT_KINDS]; /* which the timeline has; CONTENTION is not counted */
	uint64_t origins[MODEL_ORIGINS];     /* that hooks have returned; 0: none yet */
};

/* Where in `nested` the span is that the step would close; -1: none is open that it could close. */
int model_closes(const struct model_handle *handle, const struct model_step *step);

/* The handle has just been attached, or the lane opened. `attempt`: the number of its record's last attempt. */
void model_open(struct model *model, unsigned handle, bool is_lane, uint64_t now_ns, uint64_t attempt);

/* The state into which stmlog_wait_begin() brings the handle with the step's loss; IS_OUTSIDE: no wait has it. */
enum model_state model_wait_state(const struct model_step *step);

/* Whether the library accepts the call. If not, it counts a mistake of the caller's. */
bool model_accepts(const struct model *model, const struct model_step *step);

/* Whether the library counts a mistake and does what the call asks for all the same: an attempt begins though a pause
 * or wait is under way. */
bool model_makes_up(const struct model *model, const struct model_step *step);

/* Whether the call ends an attempt, and before that the wait that interrupts the attempt. */
bool model_ends_wait(const struct model *model, const struct model_step *step);

/* Whether the library counts a mistake and ends the attempt all the same, as one of unknown cause: by an abort with a
 * cause that no abort has. */
bool model_aborts_anyway(const struct model *model, const struct model_step *step);

/* Whether runtime.h and agent.h allow the call. Some requirements the library does not check. */
bool model_allows(const struct model *model, const struct model_step *step);

/* What the call changes. Requires model_accepts(), model_makes_up() or model_aborts_anyway(). */
void model_apply(struct model *model, const struct model_step *step);

/* The account as it must be at this time, with the sums that the model knows. */
struct stmlog_account model_account(const struct model *model, unsigned handle, uint64_t now_ns);

#endif
