/* SPDX-License-Identifier: MIT
 * Hooks in signal handlers: within another hook of the same handle they do nothing but count themselves, elsewhere they
 * are recorded. The handler comes at each instruction of each hook in turn, by the processor's trap flag; and within
 * the clock, where there is no such flag. */
#include <signal.h>
#include <unistd.h>

#include <valgrind/valgrind.h>

#include "every_hook.h"
#include "figures.h"
#include "losses.h"
#include "misuse.h"
#include "session_fixture.h"
#include "test.h"
#include "wait_until.h"

static struct stmlog_thread *handle; /* the thread's own, or a lane */

/* ---- the handler ---- */

static uint64_t lost;     /* calls of handlers that came within a hook */
static uint64_t recorded; /* handlers that came elsewhere */

/* An origin is 0 only if the call was lost. Then all others are lost, too. */
static void interrupt(void)
{
	if (stmlog_origin_at(handle, TB_UNKNOWN) != 0) {
		stmlog_unmeasured(handle, 1, 0);
		stmlog_region_begin(handle, "HANDLER", 1);
		stmlog_mark(handle, "HANDLER", 1);
		stmlog_region_end(handle, 1);
		recorded++;
		return;
	}
	for (size_t i = 0; i < every_hook_len; i++)
		every_hook[i].call(handle);
	lost += 1 + every_hook_len;
}

/* ---- what a hook needs ---- */

static void settle(void)
{
	while (stmlog_origin_at(handle, TB_UNKNOWN), !account_is_outside(&handle->account)) {
		switch (account_state(&handle->account)) {
		case ATTEMPT_STATE:
			stmlog_abort(handle, NULL);
			break;
		case IDLE_STATE:
			stmlog_claim(handle);
			break;
		default:
			stmlog_wait_end(handle);
		}
	}
}

static void prepare(enum hook_state needs)
{
	settle();
	fake_clock_advance(US);
	every_hook_prepare(handle, needs);
}

static void assert_right(const struct every_hook *hook)
{
	struct stmlog_account account;
	stmlog_account_read(handle, &account);
	if (AO_load(&handle->calls_lost) != lost || account.unmeasured_commits != recorded || misuse_total() != 0)
		fail_msg("%s: %zu calls lost and not %zu, %zu recorded and not %zu, %zu misuses", hook->name,
			(size_t)AO_load(&handle->calls_lost), (size_t)lost, (size_t)account.unmeasured_commits,
			(size_t)recorded, misuse_total());
	assert_no_residual(handle);
}

static bool is_for(const struct every_hook *hook)
{
	bool is_lanes = hook->needs == STATE_CLAIMED || hook->needs == STATE_IDLE;
	return handle->is_lane || !is_lanes;
}

/* ---- the processor's trap flag ---- */

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CAN_STEP (!RUNNING_ON_VALGRIND)

/* Below the red zone of the function that calls. */
#define SET_FLAGS(change)                                                                                      \
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change "\n\tpopfq\n\tlea 128(%%rsp), %%rsp" :: \
				 : "memory", "cc")

static void step_on(void)
{
	SET_FLAGS("orq $0x100, (%%rsp)");
}

static void step_off(void)
{
	SET_FLAGS("andq $~0x100, (%%rsp)");
}

static void on_step(int signal)
{
	(void)signal;
	interrupt();
}
#else
#define CAN_STEP false
static void step_on(void)
{
}
static void step_off(void)
{
}
static void on_step(int signal)
{
	(void)signal;
}
#endif

/* The first origin of the process allocates a table. The sanitizers clear it, which takes millions of instructions. The
 * hooks look it up: it is that of the other transaction. */
static void warm_up(void)
{
	stmlog_start(handle);
	every_hook_other = stmlog_origin(handle, TB_NO_SITE);
	stmlog_commit(handle);
}

static void step_through_every_hook(void)
{
	warm_up();
	signal(SIGTRAP, on_step);
	for (size_t i = 0; i < every_hook_len; i++) {
		if (!is_for(&every_hook[i]))
			continue;
		prepare(every_hook[i].needs);
		step_on();
		every_hook[i].call(handle);
		step_off();
		assert_right(&every_hook[i]);
	}
	signal(SIGTRAP, SIG_DFL);
	assert_in_range(lost, 1000 * every_hook_len, SIZE_MAX);
	assert_in_range(recorded, 100, SIZE_MAX);
}

/* ---- the tests ---- */

static void begin(struct stmlog_thread *thread)
{
	handle = thread;
	lost = recorded = 0;
	every_hook_other = 0;
	tb_push(stmlog_thread_stack(handle), TB_HERE());
	assert_int_equal(stmlog_timeline_start(), 0);
}

/* The timeline has gaps only where its ring was full. */
static void end(void)
{
	struct stmlog_timeline_fault fault;
	settle();
	tb_pop(stmlog_thread_stack(handle));
	stmlog_timeline_stop();
	struct stmlog_timeline *timeline = stmlog_timeline_take();
	assert_non_null(timeline);
	if (!stmlog_timeline_check(timeline, &fault))
		fail_msg("event %zu: %s", fault.index, fault.what);
	stmlog_timeline_destroy(&timeline);
	assert_conserved(fixture_log);
}

TEST_WITH(session_fixture, at_each_instruction_of_each_hook_a_handlers_hooks_are_recorded_or_lost)
{
	if (!CAN_STEP)
		skip();
	begin(stmlog_thread_self());
	step_through_every_hook();
	end();
}

TEST_WITH(session_fixture, it_is_the_same_for_a_lane)
{
	if (!CAN_STEP)
		skip();
	OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("lane");
	stmlog_claim(lane);
	begin(lane);
	step_through_every_hook();
	end();
}

static void assert_top(struct tb_stack *stack, uintptr_t position)
{
	assert_int_equal(tb_frame_site(tb_current(stack)).position, position);
}

static void pop_with_handlers(struct tb_stack *stack)
{
	for (uintptr_t position = 1; position <= 2; position++)
		tb_push(stack, tb_site_make(BYTECODE, position));
	assert_top(stack, 2);
	step_on();
	stmlog_pop(handle);
	step_off();
	assert_top(stack, 1);
	tb_push(stack, tb_site_make(BYTECODE, 3));
	assert_top(stack, 3);
}

TEST_WITH(session_fixture, a_handlers_hooks_may_capture_at_each_instruction_of_a_pop_and_of_an_unwinding)
{
	if (!CAN_STEP)
		skip();
	begin(stmlog_thread_self());
	struct tb_stack *stack = stmlog_thread_stack(handle);
	struct tb_mark mark = tb_stack_mark(stack);
	signal(SIGTRAP, on_step);
	pop_with_handlers(stack);
	step_on();
	tb_unwind(stack, mark);
	step_off();
	tb_push(stack, tb_site_make(BYTECODE, 4));
	assert_top(stack, 4);
	tb_pop(stack);
	signal(SIGTRAP, SIG_DFL);
	assert_int_equal(lost, 0);
	assert_in_range(recorded, 20, SIZE_MAX);
	end();
}

static struct tb_stack *named;
static size_t looks;

/* Of sites whose words are equal, or a place: a word of each would be something else. */
static void look_at_top(int signal)
{
	struct tb_site top = tb_top_site(named);
	(void)signal;
	looks++;
	if (top.code != top.position && top.code != TB_CODE_PLACE)
		fail_msg("code %zx with position %zx", (size_t)top.code, (size_t)top.position);
	if (top.code == TB_CODE_PLACE)
		assert_string_equal(((const struct tb_place *)top.position)->function, "name_in_turn");
}

static void name_in_turn(void)
{
	const struct tb_site sites[] = {tb_site_make(BYTECODE, BYTECODE), TB_HERE(), tb_site_make(7, 7)};
	for (size_t i = 0; i < 6; i++) {
		tb_push(named, sites[i % 3]);
		tb_update(named, sites[(i + 1) % 3]);
		tb_pop(named);
	}
}

TEST_WITH(session_fixture, a_handler_never_finds_half_of_a_site)
{
	if (!CAN_STEP)
		skip();
	named = stmlog_thread_stack(stmlog_thread_self());
	looks = 0;
	signal(SIGTRAP, look_at_top);
	step_on();
	name_in_turn();
	step_off();
	signal(SIGTRAP, SIG_DFL);
	assert_in_range(looks, 50, SIZE_MAX);
}

enum { MADE_MAX = 4096, MADE_DEPTH = 64 };
static struct tb_stack *others;
static struct tb_frame *made[MADE_MAX];
static size_t made_len, made_without_frames;

/* Takes so many frames that each call needs some of the depot. */
static void build_on_other_stack(int signal)
{
	static struct tb_site sites[MADE_DEPTH];
	(void)signal;
	if (made_len == MADE_MAX)
		return;
	struct tb_frame *traceback = tb_build(others, sites, MADE_DEPTH, TB_EMPTY);
	made_without_frames += traceback == TB_UNKNOWN;
	made[made_len++] = traceback;
}

TEST_WITH(session_fixture, a_handler_that_comes_at_the_depot_gets_no_frames_and_does_not_wait)
{
	if (!CAN_STEP)
		skip();
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	others = tb_stack_create(0);
	made_len = made_without_frames = 0;
	hang_guard_begin();
	signal(SIGTRAP, build_on_other_stack);
	step_on();
	tb_push(stack, tb_site_make(BYTECODE, 1));
	struct tb_frame *traceback = tb_capture(stack);
	step_off();
	signal(SIGTRAP, SIG_DFL);
	hang_guard_end();
	assert_in_range(made_without_frames, 10, made_len - 10);
	assert_true(tb_is_frame(traceback));
	tb_unref(stack, traceback);
	for (size_t i = 0; i < made_len; i++)
		tb_unref(others, made[i]);
	tb_stack_destroy(&others);
}

static volatile bool is_armed;

static uint64_t interrupted_clock(void)
{
	if (is_armed) {
		is_armed = false;
		raise(SIGUSR1);
	}
	return fake_clock_now_ns();
}

static void on_signal(int signal)
{
	(void)signal;
	interrupt();
}

static void open_with_interrupted_clock(void)
{
	stmlog_timelog_destroy(&fixture_log);
	stmlog_close();
	stmlog_set_clock(interrupted_clock);
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	assert_non_null(stmlog_thread_open(NULL));
	fixture_log = stmlog_timelog_create(64);
	stmlog_timelog_activate(fixture_log);
}

TEST_WITH(session_fixture, a_handler_that_comes_while_a_hook_reads_the_clock_loses_its_hooks)
{
	open_with_interrupted_clock();
	begin(stmlog_thread_self());
	signal(SIGUSR1, on_signal);
	for (size_t i = 0; i < every_hook_len; i++) {
		if (!is_for(&every_hook[i]))
			continue;
		prepare(every_hook[i].needs);
		is_armed = true;
		every_hook[i].call(handle);
		is_armed = false;
		assert_right(&every_hook[i]);
	}
	signal(SIGUSR1, SIG_DFL);
	assert_in_range(lost, 20 * every_hook_len, SIZE_MAX);
	end();
}

TEST_WITH(session_fixture, lost_calls_are_in_the_figures_of_the_thread_and_of_none_after_it)
{
	handle = stmlog_thread_self();
	handle->is_busy = true;
	stmlog_start(handle);
	handle->is_busy = false;
	struct thread_figures figures, sum = {.id = 0};
	assert_true(figures_read(&figures, handle));
	assert_int_equal(figures.calls_lost, 1);
	figures_add(&sum, &figures);
	assert_int_equal(sum.calls_lost, 1);
	close_own();
	assert_non_null(stmlog_thread_open(NULL));
	assert_int_equal(AO_load(&stmlog_thread_self()->calls_lost), 0);
}
