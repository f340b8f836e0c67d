/* SPDX-License-Identifier: MIT
 * Random sequences of hooks, of a thread and two lanes, against a naive model (tests/support/hook_model.h). Those that
 * runtime.h and agent.h allow count no mistake; of arbitrary ones each mistaken call is counted, and refused unless an
 * attempt begins or ends by it. Either way accounts, totals and timelines are what the model says.
 * usage: sequences_test [SEED]      SEED: of the one batch of sequences to play, as a failure has printed it */
#include <stdlib.h>
#include <string.h>

#include "fake_clock.h"
#include "hook_step.h"
#include "mem.h"
#include "stress.h"
#include "test.h"
#include "thread.h"

#ifdef __SANITIZE_ADDRESS__ /* with all checks of the library's own */
enum { SEQUENCES = 50000 };
#else
enum { SEQUENCES = 250000 };
#endif
#ifdef __clang__ /* plays others than gcc's build */
enum { SEED = 1500000 };
#else
enum { SEED = 1000000 };
#endif
/* So few sites that the table of origins has room for all tracebacks. */
enum { PER_BATCH = 1000, STEPS = 30, DEPTH = 5, CODE = 99, SITES = 3 };

static unsigned long only_seed;
static uint64_t accepted[MODEL_HOOKS], refused[MODEL_HOOKS]; /* calls */
static uint64_t waits[IS_BLOCKED + 1];                       /* by their states */
static uint64_t aborted_anyway;

struct player {
	uint64_t seed;
	unsigned sequence; /* of the batch */
	struct random random;
	struct model model;
	struct stmlog_thread *handles[MODEL_HANDLES];
	unsigned depth[MODEL_HANDLES];
	bool is_legal; /* only calls that runtime.h and agent.h allow */
};

#define expect(player, handle, what, expected, found)                                                                \
	do {                                                                                                         \
		if ((expected) != (found))                                                                           \
			fail_msg("seed %zu, sequence %u, handle %u: %s is %zu, and not %zu", (size_t)(player)->seed, \
				(player)->sequence, handle, what, (size_t)(found), (size_t)(expected));              \
	} while (0)

/* ---- a session ---- */

static void open_session(struct player *player)
{
	fake_clock_set(1000);
	stmlog_set_clock(fake_clock_now_ns);
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	assert_int_equal(stmlog_timeline_prepare(1 << 18, STMLOG_TIMELINE_GROW), 0);
	assert_int_equal(stmlog_timeline_start(), 0);
	for (unsigned i = 0; i < MODEL_HANDLES; i++) {
		player->handles[i] = i == 0 ? stmlog_thread_open(NULL) : stmlog_thread_open("lane");
		assert_non_null(player->handles[i]);
		player->depth[i] = 0;
		model_open(&player->model, i, i != 0, fake_clock_now_ns(),
			attempts_current(&player->handles[i]->attempts));
	}
}

static void close_session(struct player *player)
{
	for (unsigned i = 0; i < MODEL_HANDLES; i++)
		stmlog_thread_close(&player->handles[i]);
	stmlog_close();
	stmlog_set_clock(NULL);
}

/* ---- what must hold ---- */

static void check_account(const struct player *player, unsigned handle)
{
	struct stmlog_account is, wanted = model_account(&player->model, handle, fake_clock_now_ns());
	stmlog_account_read(player->handles[handle], &is);
	uint64_t sum = is.outside_ns + is.committed_ns + is.paused_ns + is.waiting_inevitable_ns + is.waiting_none_ns +
		       is.other_ns + is.blocked_ns + is.descheduled_ns + is.open_ns;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
		sum += is.aborted_ns[c];
		expect(player, handle, "aborted_ns", wanted.aborted_ns[c], is.aborted_ns[c]);
		expect(player, handle, "aborts", wanted.aborts[c], is.aborts[c]);
	}
	expect(player, handle, "the sum of all times", is.attached_ns, sum);
#define SAME(field) expect(player, handle, #field, wanted.field, is.field)
	SAME(attached_ns);
	SAME(outside_ns);
	SAME(committed_ns);
	SAME(paused_ns);
	SAME(waiting_inevitable_ns);
	SAME(waiting_none_ns);
	SAME(other_ns);
	SAME(blocked_ns);
	SAME(descheduled_ns);
	SAME(open_ns);
	SAME(commits);
	SAME(pauses);
	SAME(waits_inevitable);
	SAME(waits_none);
	SAME(others);
	SAME(blocked);
	SAME(blocked_in_vain);
	SAME(blocked_unattached_ns);
	SAME(blocked_unattached);
	SAME(blocked_unattached_in_vain);
	SAME(descheduled);
	SAME(unmeasured_commits);
	SAME(unmeasured_aborts);
#undef SAME
}

static void check_totals(const struct player *player, unsigned handle)
{
	struct stmlog_thread *thread = player->handles[handle];
	ledger_lock(&thread->ledger);
	ledger_settle(&thread->ledger);
	ledger_unlock(&thread->ledger);
	assert_true(timelog_is_valid(thread->log));
	for (unsigned r = 0; r < STMLOG_REASONS; r++) {
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
			const struct stmlog_cost *is = &thread->log->totals.by_cause[r][c];
			const struct stmlog_cost *wanted = &player->model.handles[handle].costs[r][c];
			expect(player, handle, "the count of a cause", wanted->count, is->count);
			expect(player, handle, "the loss by a cause", wanted->lost_ns, is->lost_ns);
			expect(player, handle, "the estimate of a cause", wanted->estimated_ns, is->estimated_ns);
		}
	}
}

static void check_timeline(const struct player *player)
{
	struct stmlog_timeline_fault fault;
	uint64_t counts[STMLOG_EVENT_KINDS] = {0};
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
	assert_non_null(timeline);
	if (!stmlog_timeline_check(timeline, &fault))
		fail_msg("seed %zu, event %zu (%s): %s", (size_t)player->seed, fault.index,
			stmlog_event_name(timeline->events[fault.index].kind), fault.what);
	for (size_t i = 0; i < timeline->len; i++)
		counts[timeline->events[i].kind]++;
	for (unsigned kind = 0; kind < STMLOG_EVENT_KINDS; kind++)
		if (kind != STMLOG_EVENT_CONTENTION && kind != STMLOG_EVENT_ATTACH)
			expect(player, 0, stmlog_event_name(kind), player->model.events[kind], counts[kind]);
}

/* `origin`: what the hook of the step has returned; 0: nothing. */
static void check_origin(const struct player *player, const struct model_step *step, bool is_accepted, uint64_t origin)
{
	struct stmlog_origin_parts parts;
	unsigned handle = step->handle;
	expect(player, handle, "whether there is an origin", is_accepted && step_makes_origin(step), origin != 0);
	if (origin == 0)
		return;
	expect(player, handle, "whether the origin is known", true, stmlog_origin_read(origin, &parts));
	expect(player, handle, "its highest bit", 0u, origin >> 63);
	expect(player, handle, "its thread", stmlog_thread_id(player->handles[handle]), parts.thread);
	expect(player, handle, "its attempt", player->model.handles[handle].attempt & STMLOG_ORIGIN_ATTEMPTS,
		parts.attempt);
}

/* ---- playing ---- */

static void count(const struct player *player, const struct model_step *step, bool is_accepted)
{
	++*(is_accepted ? &accepted[step->hook] : &refused[step->hook]);
	waits[model_wait_state(step)] += is_accepted && step->hook == HOOK_WAIT_BEGIN;
	aborted_anyway += model_aborts_anyway(&player->model, step);
}

static void play(struct player *player, const struct model_step *step)
{
	struct model *model = &player->model;
	size_t mistakes = tb_misuses();
	bool is_accepted = model_accepts(model, step);
	uint64_t origin = step_play(step, player->handles);
	if (tb_misuses() - mistakes != !is_accepted)
		fail_msg("seed %zu, sequence %u, handle %u: hook %u is %s", (size_t)player->seed, player->sequence,
			step->handle, step->hook, is_accepted ? "refused" : "accepted");
	check_origin(player, step, is_accepted, origin);
	count(player, step, is_accepted);
	if (origin != 0)
		model->origins[random_below(&player->random, MODEL_ORIGINS)] = origin;
	if (is_accepted || model_makes_up(model, step) || model_aborts_anyway(model, step))
		model_apply(model, step);
}

/* Enters a function, or leaves one. */
static void move(struct player *player)
{
	unsigned handle = random_below(&player->random, MODEL_HANDLES);
	struct stmlog_thread *thread = player->handles[handle];
	unsigned depth = player->depth[handle];
	if (depth > 0 && (depth == DEPTH || random_below(&player->random, 2) == 0)) {
		stmlog_pop(thread);
		player->depth[handle]--;
	} else {
		stmlog_push(thread, tb_site_make(CODE, 1 + random_below(&player->random, SITES)));
		player->depth[handle]++;
	}
}

/* Half of the arbitrary calls are allowed ones, too: otherwise nearly all would be refused. But after arbitrary ones no
 * call at all may be allowed. */
static void play_one(struct player *player)
{
	bool must_be_legal = player->is_legal || random_below(&player->random, 2) == 0;
	struct model_step step;
	fake_clock_advance(random_below(&player->random, 60));
	if (random_below(&player->random, 3) == 0)
		move(player);
	for (int tries = 0; tries < 100; tries++) {
		step = step_draw(&player->random, &player->model, player->handles, fake_clock_now_ns(), must_be_legal);
		if (!must_be_legal || model_allows(&player->model, &step))
			break;
	}
	if (!player->is_legal || model_allows(&player->model, &step))
		play(player, &step);
}

static void play_sequence(struct player *player)
{
	struct model_step step;
	for (unsigned i = random_below(&player->random, STEPS); i > 0; i--)
		play_one(player);
	for (unsigned i = 0; i < MODEL_HANDLES; i++) {
		check_account(player, i);
		while (step_towards_outside(&player->model, i, fake_clock_now_ns(), &step))
			play(player, &step);
		while (player->depth[i] > 0) {
			stmlog_pop(player->handles[i]);
			player->depth[i]--;
		}
	}
}

static void play_batch(uint64_t seed, bool is_legal)
{
	static struct player player;
	size_t bytes = mem_live_bytes();
	player = (struct player){.seed = seed, .random = {seed}, .is_legal = is_legal};
	open_session(&player);
	for (player.sequence = 0; player.sequence < PER_BATCH; player.sequence++)
		play_sequence(&player);
	for (unsigned i = 0; i < MODEL_HANDLES; i++) {
		check_account(&player, i);
		check_totals(&player, i);
	}
	check_timeline(&player);
	close_session(&player);
	expect(&player, 0, "the number of live frames", 0u, tb_live_frames());
	expect(&player, 0, "the number of live bytes", bytes, mem_live_bytes());
}

static void play_batches(uint64_t first_seed, bool is_legal)
{
	uint32_t batches = stress_times(SEQUENCES / PER_BATCH);
	if (only_seed != 0)
		play_batch(only_seed, is_legal);
	for (uint32_t i = 0; i < batches && only_seed == 0; i++)
		play_batch(first_seed + i, is_legal);
}

/* ---- the tests ---- */

TEST(what_is_allowed_is_no_mistake_and_adds_up)
{
	size_t mistakes = tb_misuses();
	play_batches(SEED, true);
	assert_int_equal(tb_misuses(), mistakes);
	for (unsigned hook = 0; hook < MODEL_HOOKS && only_seed == 0; hook++)
		assert_in_range(accepted[hook], 1, SIZE_MAX);
	for (unsigned state = IS_PAUSED; state <= IS_BLOCKED && only_seed == 0; state++)
		assert_in_range(waits[state], 1, SIZE_MAX);
}

TEST(what_is_not_is_refused_and_counted_and_changes_nothing)
{
	play_batches(SEED + 1000000, false);
	for (unsigned hook = 0; hook < MODEL_HOOKS && only_seed == 0; hook++)
		assert_true(refused[hook] > 0 || hook == HOOK_ORIGIN_AT || hook == HOOK_UNMEASURED ||
			    hook == HOOK_WAS_BLOCKED || (hook >= HOOK_MARK && hook != HOOK_TASK));
	assert_true(aborted_anyway > 0 || only_seed != 0);
}

/* The argument, if any, is the seed of the only batch. */
int main(int argc, char **argv)
{
	only_seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsetenv("STMLOG_OPTIONS");
	return test_run();
}
