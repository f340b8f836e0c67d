/* SPDX-License-Identifier: MIT */
#include "haskell.h"

#include "ghc_hooks.h"
#include "misuse.h"
#include "real.h"
#include "sampling.h"

/* The functions that a linked program calls in place of the RTS's. */
extern char __wrap_stmStartTransaction[], __wrap_stmReadTVar[], __wrap_stmWriteTVar[], __wrap_stmCommitTransaction[],
	__wrap_stmCommitNestedTransaction[], __wrap_stmValidateNestOfTransactions[], __wrap_stmAbortTransaction[],
	__wrap_stmWait[], __wrap_stmReWait[], __wrap_StgRun[], __wrap_gcStableNameTable[], __wrap_markCapabilities[];

uintptr_t haskell_call(void *function, const uintptr_t arguments[4], uintptr_t *top, uintptr_t r1);

/* ---- fixture ---- */

static size_t misuses; /* before the test */

static void begin(const char *options, bool is_threaded)
{
	static bool is_set;
	misuses = misuse_total();
	fake_rts_open(is_threaded);
	session_set_up();
	session_open_with(options);
	sampling_open();
	if (!is_set)
		hooks_set();
	is_set = true;
}

void haskell_set_up(void)
{
	begin("sample=1", true);
}

static void single_set_up(void)
{
	begin("sample=1", false);
}

void haskell_set_up_with(const char *options)
{
	begin(options, true);
}

static void close_lanes(struct ghc_capability *capability)
{
	for (size_t i = 0; i < LANES_OF_CAPABILITY && capability->lanes[i] != NULL; i++)
		stmlog_thread_close(&capability->lanes[i]->log);
}

/* Without the library the module is as in a forked child: it has no lanes. */
void haskell_forget(void)
{
	fake_script.moved = fake_died;
	haskell_collect();
	for (size_t i = 0; i < capabilities_len(); i++)
		close_lanes(capability_at(i));
	lanes_after_fork();
	capabilities_after_fork();
}

void haskell_tear_down(void)
{
	haskell_forget();
	fake_objects_free();
	assert_int_equal(misuse_total(), misuses);
	session_tear_down();
}

const struct test_fixture haskell_fixture = {haskell_set_up, haskell_tear_down};
const struct test_fixture haskell_single_fixture = {single_set_up, haskell_tear_down};

/* ---- the scheduler ---- */

static uintptr_t call_from_c(const struct hs_capability *capability, void *function, uintptr_t first, uintptr_t second)
{
	const uintptr_t arguments[4] = {(uintptr_t)capability, first, second, 0};
	return haskell_call(function, arguments, (uintptr_t *)1, 1); /* its registers are anything */
}

/* The steps of a thread are made behind the call of StgRun, which returns at once. So what begins to run has stopped by
 * then, and what stops was not running before. */
static struct hs_tso *behind_run;

static void *run(void *registers)
{
	hs_capability_of(registers)->current = behind_run;
	return registers;
}

static void pass_through_run(struct hs_capability *capability, struct hs_tso *before, struct hs_tso *behind)
{
	const uintptr_t arguments[4] = {(uintptr_t)run, (uintptr_t)capability->registers, 0, 0};
	capability->current = before;
	behind_run = behind;
	assert_int_equal(haskell_call(__wrap_StgRun, arguments, (uintptr_t *)1, 1), arguments[1]);
}

static void stop(struct hs_capability *capability)
{
	struct hs_tso *tso = capability->current;
	pass_through_run(capability, NULL, tso);
	capability->current = NULL;
	if (hs_trec(tso) != ghc_rts.no_trec && hs_trec(tso)->state != FAKE_WAITING)
		call_from_c(capability, __wrap_stmValidateNestOfTransactions, (uintptr_t)hs_trec(tso), 0);
}

void haskell_stop(const struct haskell *thread)
{
	if (thread->capability->current == thread->tso)
		stop(thread->capability);
}

static void run_thread(const struct haskell *thread)
{
	struct hs_capability *capability = thread->capability;
	if (capability->current == thread->tso)
		return;
	if (capability->current != NULL)
		stop(capability);
	pass_through_run(capability, thread->tso, NULL);
	capability->current = thread->tso;
}

/* ---- calls ---- */

/* A call of Haskell code, which runs on the capability. */
static uintptr_t call(const struct haskell *thread, void *function, uintptr_t first, uintptr_t second, uintptr_t third)
{
	const uintptr_t arguments[4] = {(uintptr_t)thread->capability, first, second, third};
	run_thread(thread);
	return haskell_call(function, arguments, thread->tso->stack->top, 0);
}

struct haskell haskell_thread_on(struct hs_capability *capability)
{
	return (struct haskell){capability, fake_tso(capability)};
}

struct haskell haskell_thread(void)
{
	return haskell_thread_on(fake_capability());
}

uintptr_t haskell_code(const struct haskell_function *function)
{
	return fake_info(&function->info) + 1;
}

void haskell_call_begin(const struct haskell *thread, const struct haskell_function *function)
{
	fake_push_return(thread->tso->stack, &function->info);
}

void haskell_call_end(const struct haskell *thread)
{
	fake_pop(thread->tso->stack, 1);
}

/* ---- attempts ---- */

enum { ATOMICALLY_WORDS = 3, OR_ELSE_WORDS = 4, CATCH_WORDS = 3 };

static void start(const struct haskell *thread, struct hs_trec *outer)
{
	struct hs_tso *tso = thread->tso;
	fake_set_trec(tso, (struct hs_trec *)call(thread, __wrap_stmStartTransaction, (uintptr_t)outer, 0, 0));
}

void haskell_atomically(const struct haskell *thread, const struct haskell_function *function)
{
	uintptr_t closure = (uintptr_t)fake_closure(&function->info, 0, NULL) + 1;
	const uintptr_t frame[ATOMICALLY_WORDS] = {fake_info(&fake_atomically_info), closure, 0};
	const uintptr_t arguments[4] = {(uintptr_t)thread->capability, (uintptr_t)ghc_rts.no_trec, 0, 0};
	struct hs_tso *tso = thread->tso;
	run_thread(thread);
	fake_set_trec(
		tso, (struct hs_trec *)haskell_call(__wrap_stmStartTransaction, arguments, tso->stack->top, closure));
	fake_push(tso->stack, frame, ATOMICALLY_WORDS);
}

uintptr_t haskell_read(const struct haskell *thread, struct hs_tvar *tvar)
{
	return call(thread, __wrap_stmReadTVar, (uintptr_t)hs_trec(thread->tso), (uintptr_t)tvar, 0);
}

void haskell_change(const struct haskell *thread, struct hs_tvar *tvar)
{
	call(thread, __wrap_stmWriteTVar, (uintptr_t)hs_trec(thread->tso), (uintptr_t)tvar, fake_value());
}

/* What is within the transaction is left. */
static void unwind(const struct haskell *thread)
{
	struct hs_stack *stack = thread->tso->stack;
	while (*stack->top != fake_info(&fake_atomically_info))
		stack->top++;
}

static void start_again(const struct haskell *thread)
{
	unwind(thread);
	start(thread, ghc_rts.no_trec);
}

static void leave(const struct haskell *thread)
{
	unwind(thread);
	fake_pop(thread->tso->stack, ATOMICALLY_WORDS);
	fake_set_trec(thread->tso, ghc_rts.no_trec);
}

bool haskell_commit(const struct haskell *thread)
{
	bool has_committed = call(thread, __wrap_stmCommitTransaction, (uintptr_t)hs_trec(thread->tso), 0, 0) != 0;
	if (has_committed)
		leave(thread);
	else
		start_again(thread);
	return has_committed;
}

bool haskell_retry(const struct haskell *thread)
{
	struct hs_tso *tso = thread->tso;
	unwind(thread);
	bool sleeps = call(thread, __wrap_stmWait, (uintptr_t)tso, (uintptr_t)hs_trec(tso), 0) != 0;
	if (!sleeps)
		start_again(thread);
	return sleeps;
}

bool haskell_wake(const struct haskell *thread)
{
	if (call(thread, __wrap_stmReWait, (uintptr_t)thread->tso, 0, 0) != 0)
		return false;
	start_again(thread);
	return true;
}

static void abort_trec(const struct haskell *thread)
{
	call_from_c(thread->capability, __wrap_stmAbortTransaction, (uintptr_t)hs_trec(thread->tso), 0);
}

bool haskell_throw(const struct haskell *thread)
{
	bool leaves = call(thread, __wrap_stmValidateNestOfTransactions, (uintptr_t)hs_trec(thread->tso), 0, 0) != 0;
	abort_trec(thread);
	fake_set_trec(thread->tso, ghc_rts.no_trec);
	if (leaves)
		leave(thread);
	else
		start_again(thread);
	return leaves;
}

void haskell_kill(const struct haskell *thread)
{
	haskell_stop(thread);
	abort_trec(thread);
	leave(thread);
}

/* ---- parts of attempts ---- */

static void nest(const struct haskell *thread, const struct fake_info *info, size_t words)
{
	const uintptr_t frame[OR_ELSE_WORDS] = {fake_info(info), 0, 0, 0};
	fake_push(thread->tso->stack, frame, words);
	start(thread, hs_trec(thread->tso));
}

static bool end_nested(const struct haskell *thread, size_t words)
{
	struct hs_tso *tso = thread->tso;
	struct hs_trec *outer = hs_trec(tso)->enclosing;
	bool has_committed = call(thread, __wrap_stmCommitNestedTransaction, (uintptr_t)hs_trec(tso), 0, 0) != 0;
	fake_set_trec(tso, outer);
	if (has_committed)
		fake_pop(tso->stack, words);
	return has_committed;
}

void haskell_or_else(const struct haskell *thread)
{
	nest(thread, &fake_catch_retry_info, OR_ELSE_WORDS);
}

bool haskell_or_else_end(const struct haskell *thread)
{
	bool has_committed = end_nested(thread, OR_ELSE_WORDS);
	if (!has_committed)
		start_again(thread);
	return has_committed;
}

void haskell_catch(const struct haskell *thread)
{
	nest(thread, &fake_catch_stm_info, CATCH_WORDS);
}

bool haskell_catch_end(const struct haskell *thread)
{
	bool has_committed = end_nested(thread, CATCH_WORDS);
	if (!has_committed)
		start(thread, hs_trec(thread->tso));
	return has_committed;
}

/* ---- the collector ---- */

void haskell_collect(void)
{
	const uintptr_t arguments[4] = {0};
	haskell_call(__wrap_gcStableNameTable, arguments, (uintptr_t *)1, 1);
}

void haskell_compact(void (*announce)(void *user, uintptr_t *slot), void *user)
{
	const uintptr_t arguments[4] = {(uintptr_t)announce, (uintptr_t)user, 0, 0};
	haskell_call(__wrap_markCapabilities, arguments, (uintptr_t *)1, 1);
}

/* ---- whole transactions ---- */

void haskell_poke(const struct haskell *thread, const struct haskell_function *function, struct hs_tvar *tvar)
{
	haskell_atomically(thread, function);
	haskell_change(thread, tvar);
	assert_true(haskell_commit(thread));
}

struct stmlog_account haskell_account(const struct haskell *thread)
{
	struct stmlog_account account;
	const struct ghc_lane *lane = capability_find(thread->capability)->lanes[0];
	assert_no_residual(lane->log);
	stmlog_account_read(lane->log, &account);
	return account;
}
