/* SPDX-License-Identifier: MIT
 * Makes a transaction step by step. begin may return again until the transaction has ended, so it is called by the
 * function in which the transaction ends. The walk through the steps may be in a function of its own: when begin
 * returns again, the walk is abandoned. */
#include "steps.h"

#include <string.h>

#include "asm_shared.h"
#include "requires.h"
#include "transact.h"

/* The types of the barriers, apart from what their pointers point to. */
#define X(bytes, type)                               \
	typedef type read_##bytes(const void *from); \
	typedef void write_##bytes(void *to, type value);
STEPS_SIZES(X)
#undef X
typedef void copy(void *to, const void *from, size_t size);

/* Returns `step`, but so that the processor must wait for its address until `value` is computed. Otherwise the
 * processor would begin the access, and the gap after it, while it still multiplies in the gap before. */
static inline const struct step *step_behind(const struct step *step, uint64_t value)
{
	__asm__ volatile("xor %1, %0\n\txor %1, %0" : "+r"(step) : "r"(value));
	return step;
}

/* Spends the gap before the step. */
static inline uint64_t wait_before(const struct step *step, uint64_t value, const struct performer *performer)
{
	if (__builtin_expect(step->wait_ticks != 0, 0))
		gap_wait(step->wait_ticks, performer->is_over);
	return gap_spin(step->spin_iterations, value);
}

/* Makes the accesses by libitm's barriers. Returns the step that ends the transaction. Writes store the value that was
 * read last. */
static const struct step *walk_by_barriers(const struct step *step, struct performer *performer)
{
	uint64_t value = 0;
	for (;; step++) {
		value = wait_before(step, value, performer);
		step = step_behind(step, value);
		switch (step->action) {
#define X(bytes, type)                                                       \
	case STEP_READ_##bytes:                                              \
		value = ((read_##bytes *)step->barrier)(step->target);       \
		break;                                                       \
	case STEP_WRITE_##bytes:                                             \
		((write_##bytes *)step->barrier)(step->target, (type)value); \
		break;
			STEPS_SIZES(X)
#undef X
		case STEP_READ_COPY:
			((copy *)step->barrier)(performer->buffer, step->target, step->size);
			break;
		case STEP_WRITE_COPY:
			((copy *)step->barrier)(step->target, performer->buffer, step->size);
			break;
		case STEP_ALONE:
			barriers_change_mode(ITM_MODE_IRREVOCABLE);
			break;
		default:
			return step;
		}
	}
}

/* As walk_by_barriers(), but makes the accesses by plain loads and stores. */
static const struct step *walk_plainly(const struct step *step, struct performer *performer)
{
	uint64_t value = 0;
	for (;; step++) {
		value = wait_before(step, value, performer);
		step = step_behind(step, value);
		switch (step->action) {
#define X(bytes, type)                               \
	case STEP_READ_##bytes:                      \
		value = 0;                           \
		memcpy(&value, step->target, bytes); \
		break;                               \
	case STEP_WRITE_##bytes:                     \
		memcpy(step->target, &value, bytes); \
		break;
			STEPS_SIZES(X)
#undef X
		case STEP_READ_COPY:
			memcpy(performer->buffer, step->target, step->size);
			break;
		case STEP_WRITE_COPY:
			memcpy(step->target, performer->buffer, step->size);
			break;
		case STEP_ALONE: /* the transaction is irrevocable already, or runs in hardware */
			break;
		default:
			return step;
		}
	}
}

/* A method may have made the transaction irrevocable where that of the program did not. libitm would end the process
 * then; the replay keeps what was written. */
static bool can_cancel(void)
{
	return barriers_state() != ITM_IS_IRREVOCABLE;
}

__attribute__((noinline)) void perform_transaction(struct performer *performer, const struct step *begin)
{
	REQUIRES(barriers_commit != NULL);
	uint32_t actions = transact_begin(begin->size);
	if (actions & ITM_ABORTED)
		return;
	performer->attempts++;
	const struct step *end = actions & ITM_RUNS_UNINSTRUMENTED ? walk_plainly(begin + 1, performer)
								   : walk_by_barriers(begin + 1, performer);
	performer->next = end + 1;
	if (end->action == STEP_CANCEL && can_cancel())
		barriers_cancel(ITM_USER_ABORT);
	barriers_commit();
	performer->commits += end->action == STEP_COMMIT;
}

__attribute__((noinline)) void perform_nothing(void)
{
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_HAS_NO_CANCEL);
	barriers_commit();
}
