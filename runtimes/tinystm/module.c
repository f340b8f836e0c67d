/* SPDX-License-Identifier: MIT
 *
 * The callbacks. TinySTM calls on_start for the first attempt of a transaction only; on_precommit when a commit begins;
 * then on_commit or on_abort. on_abort comes when the attempt is rolled back and its locks are free, on top of the
 * stack of the access that failed. Whether the transaction goes on with another attempt is known only by the next
 * callback. The callback for conflicts, if TinySTM was built with it, comes before the rollback.
 *
 * Each transaction publishes one word in TinySTM's data of the transaction: its origin (stmlog_origin_at()), which
 * stands for the thread and for where the transaction began. By the time another thread reads the word, the thread may
 * be in its next transaction: so a culprit found by it is a candidate.
 */
#include "stmlog_tinystm.h"

#include <errno.h>
#include <string.h>

#include <stm.h>

#include <stmlog/agent.h>

#include "cache.h"
#include "tiny.h"

/* TinySTM has it if it was built with CONFLICT_TRACKING; none of its headers declares it. */
extern int stm_set_conflict_cb(void (*on_conflict)(struct stm_tx *me, struct stm_tx *other)) __attribute__((weak));

/* Written once, before there are threads. */
static struct {
	bool is_registered;
	bool kills;     /* the contention manager may abort the other transaction */
	int shown_key;  /* of a transaction's own word */
	int killer_key; /* of the word of the transaction that it conflicted with last */
} module;

/* Invariants:  is_over  <=>  the attempt has been aborted, and no callback was called since;
 *              attempt and other are about the attempt under way; if is_over, about the one before. */
struct tiny_thread {
	struct stmlog_thread *log; /* NULL: not recorded */
	struct tiny_where where;
	struct tiny_counts counts;
	struct tiny_attempt attempt;
	bool is_over;
	uintptr_t shown; /* the origin that the transaction publishes */
	uintptr_t other; /* the origin of the transaction that it conflicted with last; 0: none */
};

static __thread struct tiny_thread self;

_Static_assert(sizeof(void *) >= sizeof(uint64_t), "an origin fits into the specific data");

static void show(struct tb_frame *place)
{
	uintptr_t word = stmlog_origin_at(self.log, place);
	if (word != self.shown)
		stm_set_specific(module.shown_key, (void *)word);
	self.shown = word;
}

/* ---- attempts ---- */

static void begin_attempt(void)
{
	self.attempt = (struct tiny_attempt){.reports_conflicts = stm_set_conflict_cb != NULL};
	self.is_over = false;
	self.other = 0;
}

/* To be called before another transaction can conflict with the next attempt, and store its word. */
static void forget_killer(void)
{
	if (module.kills)
		stm_set_specific(module.killer_key, NULL);
}

/* A callback was called within a transaction: if the attempt was aborted, the next one has begun. */
static void go_on(void)
{
	if (!self.is_over)
		return;
	stmlog_retry(self.log);
	begin_attempt();
}

/* A thread that ends may transact after the library has detached it. */
static bool is_recorded(void)
{
	if (self.log != stmlog_thread_self())
		self.log = NULL;
	return self.log != NULL;
}

static void on_start(void *unused)
{
	(void)unused;
	if (!is_recorded())
		return;
	show(tiny_where(&self.where, stmlog_thread_stack(self.log), NATIVE_RETURN_SLOT()));
	forget_killer();
	begin_attempt();
	stmlog_start(self.log);
}

static void on_precommit(void *unused)
{
	(void)unused;
	go_on();
	self.attempt.is_committing = true;
}

static void on_commit(void *unused)
{
	(void)unused;
	stmlog_commit(self.log);
}

/* Is called on the thread of `me`. TinySTM loads and stores the specific data of transactions atomically, so the word
 * read is one that stm_set_specific() has stored. */
static void on_conflict(struct stm_tx *me, struct stm_tx *other)
{
	(void)me;
	if (self.log == NULL)
		return;
	go_on();
	self.attempt.has_conflict = true;
	self.other = (uintptr_t)stm_get_specific_tx(other, module.shown_key);
	if (module.kills)
		stm_set_specific_tx(other, module.killer_key, (void *)self.shown);
}

/* ---- losses ---- */

/* The word of the culprit; 0: the culprit is not known. */
static uintptr_t culprit(enum tiny_reason reason)
{
	if (reason == TINY_KILLED)
		return module.kills ? (uintptr_t)stm_get_specific(module.killer_key) : 0;
	return tiny_is_of_conflict(reason, module.kills) ? self.other : 0;
}

/* Returns an owned reference. */
static struct tb_frame *remote_of(
	struct tb_stack *stack, const struct stmlog_cause *cause, const struct stmlog_origin_parts *other)
{
	if (other->traceback != NULL)
		return tb_copy_build(other->traceback, stack);
	/* If no other transaction was involved, it is known that there is no place to show. */
	return cause->contention == STMLOG_NONE ? TB_EMPTY : TB_UNKNOWN;
}

static void lose(enum tiny_reason reason, struct tb_frame *local)
{
	struct tb_stack *stack = stmlog_thread_stack(self.log);
	struct stmlog_cause cause = tiny_cause(reason);
	struct stmlog_loss loss = stmlog_loss_make(cause.reason, cause.contention, cause.detail);
	struct stmlog_origin_parts other;
	bool is_known = stmlog_origin_read(culprit(reason), &other);
	loss.local = local;
	loss.remote = remote_of(stack, &cause, &other);
	loss.remote_thread = other.thread;
	loss.grade = is_known ? STMLOG_GRADE_CANDIDATE : STMLOG_GRADE_UNKNOWN;
	stmlog_abort(self.log, &loss);
	tb_unref(stack, loss.remote);
}

static void on_abort(void *unused)
{
	(void)unused;
	if (self.log == NULL)
		return;
	go_on();
	struct tb_frame *local = tiny_where(&self.where, stmlog_thread_stack(self.log), NATIVE_RETURN_SLOT());
	lose(tiny_reason(&self.counts, &self.attempt), local);
	forget_killer();
	self.is_over = true;
}

/* ---- threads ---- */

static void on_thread_init(void *unused)
{
	(void)unused;
	self.log = stmlog_thread_open(NULL);
	if (self.log == NULL)
		return;
	tiny_where_open(&self.where);
	tiny_counts_open(&self.counts);
}

/* If the thread ends, the library may have detached it already. Then the frames are released into a stack that is
 * created for that. */
static void on_thread_exit(void *unused)
{
	(void)unused;
	bool is_attached = self.log != NULL && stmlog_thread_self() == self.log;
	struct tb_stack *own = is_attached ? NULL : tb_stack_create(0);
	struct tb_stack *stack = is_attached ? stmlog_thread_stack(self.log) : own;
	if (stack != NULL)
		tiny_where_close(&self.where, stack);
	tb_stack_destroy(&own);
	if (is_attached)
		stmlog_thread_close(&self.log);
	memset(&self, 0, sizeof self);
}

/* ---- the process ---- */

static bool claim_keys(void)
{
	const char *manager = NULL;
	module.kills = stm_get_parameter("contention_manager", &manager) != 0 && strcmp(manager, "MODULAR") == 0;
	module.shown_key = stm_create_specific();
	module.killer_key = module.kills ? stm_create_specific() : module.shown_key;
	return module.shown_key >= 0 && module.killer_key >= 0;
}

int stmlog_tinystm_init(void)
{
	const struct stmlog_setup setup = {.runtime = "tinystm"};
	if (module.is_registered)
		return -EALREADY;
	if (!claim_keys() ||
		!stm_register(on_thread_init, on_thread_exit, on_start, on_precommit, on_commit, on_abort, NULL))
		return -ENOSPC;
	module.is_registered = true;
	int error = stmlog_open(&setup);
	if (error != 0 && error != -EALREADY)
		return error;
	if (stm_set_conflict_cb != NULL)
		stm_set_conflict_cb(on_conflict);
	return 0;
}
