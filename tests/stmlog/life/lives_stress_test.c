/* SPDX-License-Identifier: MIT
 * Threads that live for a random sequence of hooks, legal or arbitrary, of their own handle and of lanes that move
 * between them. They end anywhere: within a transaction, a wait or a claimed lane, by return, pthread_exit() or
 * cancellation, or with a handle that a destructor opens again. Meanwhile runtimes join and leave, and reports are
 * made.
 *
 * While the session is open, every commit, abort, wait and mistake of all these lives is counted, as the model
 * (tests/support/hook_model.h) counts them. When it is closed and opened again beneath them, nothing breaks.
 * usage: lives_stress_test [LIVES [SEED]]      SEED: of the first session's lives; each further session has the next.
 * `make lives` runs a million (tests/long/lives.sh). */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "fixture.h"
#include "hook_step.h"
#include "misuse.h"
#include "registry.h"
#include "stress.h"
#include "test.h"

enum { LANES = 3, AT_ONCE = 4, PER_SESSION = 2 * ENDED_MAX, STEPS = 24, DEPTH = 5, CODE = 99, SITES = 3, DRAWS = 100 };

/* The handles of a life, as the model numbers them. */
enum { OWN, LENT, HANDLES };

enum ending { BY_RETURN, BY_EXIT, BY_CANCELLING_ITSELF, BY_BEING_CANCELLED, IN_A_DESTRUCTOR, ENDINGS };

/* A lane that all lives use in turn. NULL: it is not open. */
struct lane {
	pthread_mutex_t lock;
	struct stmlog_thread *handle;
	struct model_handle state;
	unsigned depth;
};

struct life {
	struct random random;
	struct model model;
	struct stmlog_thread *handles[MODEL_HANDLES];
	unsigned depth[MODEL_HANDLES];
	struct lane *lent;
	unsigned steps_left;
	enum ending ending;
	bool is_legal;
	struct stmlog_setup plugin; /* the runtime that joins and leaves; its name stands for the launcher */
};

static const struct stmlog_setup setup = {.runtime = "lives", .report = "/dev/null"};
static uint32_t lives;
static uint64_t first_seed = 1;
static struct lane lanes[LANES];
static pthread_key_t destructor_key;

/* What the model has counted, of handles that were closed. */
static struct {
	pthread_mutex_t lock;
	struct thread_figures figures;
	uint64_t losses[STMLOG_REASONS][STMLOG_CONTENTIONS];
	uint64_t mistakes;
} expected = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Whether the session is closed and opened beneath the lives. */
static volatile AO_t is_shaken;
static volatile AO_t left; /* lives that have not begun */

static uint64_t commits; /* of all sessions that were not shaken */

static bool one_in(struct life *life, uint32_t n)
{
	return random_below(&life->random, n) == 0;
}

/* ---- handles ---- */

static void note_opened(struct life *life, unsigned handle, struct stmlog_thread *opened)
{
	life->handles[handle] = opened;
	life->depth[handle] = 0;
	if (opened != NULL)
		model_open(&life->model, handle, handle == LENT, 0, attempts_current(&opened->attempts));
}

/* The handle was closed, by its thread or at its end. */
static void note_closed(struct life *life, unsigned handle)
{
	const struct model_handle *state = &life->model.handles[handle];
	const struct thread_figures figures = {.account = state->sums};
	if (life->handles[handle] == NULL)
		return;
	life->handles[handle] = NULL;
	pthread_mutex_lock(&expected.lock);
	figures_add(&expected.figures, &figures);
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
			expected.losses[r][c] += state->costs[r][c].count;
	pthread_mutex_unlock(&expected.lock);
}

static void close_handle(struct life *life, unsigned handle)
{
	struct stmlog_thread *closed = life->handles[handle];
	stmlog_thread_close(&closed);
	note_closed(life, handle);
}

static void open_own(struct life *life)
{
	note_opened(life, OWN, stmlog_thread_open(NULL));
}

/* ---- steps ---- */

static void count_mistake(void)
{
	pthread_mutex_lock(&expected.lock);
	expected.mistakes++;
	pthread_mutex_unlock(&expected.lock);
}

static void play(struct life *life, const struct model_step *step)
{
	struct model *model = &life->model;
	bool is_accepted = model_accepts(model, step);
	bool has_effect = is_accepted || model_makes_up(model, step) || model_aborts_anyway(model, step);
	uint64_t origin = step_play(step, life->handles);
	if (!is_accepted)
		count_mistake();
	if (origin != 0)
		model->origins[random_below(&life->random, MODEL_ORIGINS)] = origin;
	if (has_effect)
		model_apply(model, step);
}

/* Enters a function, or leaves one. */
static void move(struct life *life, unsigned handle)
{
	struct stmlog_thread *thread = life->handles[handle];
	unsigned *depth = &life->depth[handle];
	if (*depth > 0 && (*depth == DEPTH || one_in(life, 2))) {
		stmlog_pop(thread);
		--*depth;
	} else {
		stmlog_push(thread, tb_site_make(CODE, 1 + random_below(&life->random, SITES)));
		++*depth;
	}
}

static struct model_step draw(struct life *life, unsigned handle, bool is_sane)
{
	struct stmlog_thread *const same[MODEL_HANDLES] = {
		life->handles[handle], life->handles[handle], life->handles[handle]};
	struct model_step step;
	do
		step = step_draw(&life->random, &life->model, same, stmlog_now_ns(), is_sane);
	while (step.handle != handle || step.hook == HOOK_TASK); /* tasks need a timeline */
	return step;
}

/* A step of a life that is legal is skipped if none can be found: after arbitrary ones no hook may be allowed. */
static void use(struct life *life, unsigned handle)
{
	bool must_be_legal = life->is_legal || one_in(life, 2);
	struct model_step step;
	bool is_found = false;
	if (life->handles[handle] == NULL)
		return;
	if (one_in(life, 3))
		move(life, handle);
	for (int draws = 0; draws < DRAWS && !is_found; draws++) {
		step = draw(life, handle, must_be_legal);
		is_found = !must_be_legal || model_allows(&life->model, &step);
	}
	if (is_found)
		play(life, &step);
}

/* Ends the life here, if it is to end here. */
static void may_end(struct life *life)
{
	life->steps_left -= life->steps_left > 0;
	if (life->ending == BY_CANCELLING_ITSELF && life->steps_left == STEPS / 4)
		pthread_cancel(pthread_self()); /* further hooks are called before it takes effect */
	if (life->ending == BY_BEING_CANCELLED || life->steps_left == 0)
		pthread_testcancel();
	if (life->ending == BY_EXIT && life->steps_left == 0)
		pthread_exit(NULL);
}

/* ---- what a life does ---- */

static void give_back(void *argument)
{
	struct life *life = argument;
	struct lane *lane = life->lent;
	lane->handle = life->handles[LENT];
	lane->state = life->model.handles[LENT];
	lane->depth = life->depth[LENT];
	life->handles[LENT] = NULL;
	pthread_mutex_unlock(&lane->lock);
}

/* Hooks of either handle in turn, of the lane in whatever state the life before has left it. */
static void use_both(struct life *life)
{
	if (life->handles[LENT] == NULL)
		note_opened(life, LENT, stmlog_thread_open("lane"));
	do {
		use(life, one_in(life, 3) ? OWN : LENT);
		may_end(life);
	} while (life->steps_left > 0 && !one_in(life, 5));
	if (one_in(life, 4))
		close_handle(life, LENT);
}

static void visit_lane(struct life *life)
{
	struct lane *lane = life->lent = &lanes[random_below(&life->random, LANES)];
	pthread_mutex_lock(&lane->lock);
	life->handles[LENT] = lane->handle;
	life->model.handles[LENT] = lane->state;
	life->depth[LENT] = lane->depth;
	pthread_cleanup_push(give_back, life);
	use_both(life);
	pthread_cleanup_pop(1);
}

static void join_and_leave(struct life *life)
{
	int joined = stmlog_open(&life->plugin);
	bool has_left = stmlog_leave(&life->plugin);
	claim(AO_load(&is_shaken) || (joined == -EALREADY && has_left));
	claim(joined == 0 || joined == -EALREADY || joined == -EBUSY);
}

static void reopen_own(struct life *life)
{
	close_handle(life, OWN);
	claim(stmlog_thread_self() == NULL);
	open_own(life);
}

static void step(struct life *life)
{
	switch (random_below(&life->random, 32)) {
	case 0:
		if (one_in(life, 8)) /* leaving interns the names of the whole recording: half the time of the test */
			join_and_leave(life);
		break;
	case 1:
		reopen_own(life);
		break;
	case 2:
		if (one_in(life, 100))
			stmlog_flush();
		break;
	case 3:
	case 4:
	case 5:
	case 6:
		visit_lane(life);
		break;
	default:
		use(life, OWN);
	}
}

/* Of the key of the program: before or after the library's own. */
static void live_on(void *argument)
{
	struct life *life = argument;
	if (life->ending != IN_A_DESTRUCTOR)
		return;
	if (stmlog_thread_self() == NULL) {
		note_closed(life, OWN);
		open_own(life);
	}
	for (int i = 0; i < STEPS / 4; i++)
		use(life, OWN);
}

static void *live(void *argument)
{
	struct life *life = argument;
	pthread_setspecific(destructor_key, life);
	if (!one_in(life, 16))
		open_own(life);
	while (life->steps_left > 0) {
		step(life);
		may_end(life);
	}
	return NULL;
}

/* ---- launching them ---- */

static void live_once(struct life *life)
{
	pthread_t thread;
	life->steps_left = random_below(&life->random, STEPS);
	life->ending = (enum ending)random_below(&life->random, ENDINGS);
	life->is_legal = one_in(life, 2);
	int error = pthread_create(&thread, NULL, live, life);
	claim(error == 0);
	if (error != 0)
		return;
	if (life->ending == BY_BEING_CANCELLED)
		pthread_cancel(thread);
	pthread_join(thread, NULL);
	note_closed(life, OWN);
}

static bool take_one(void)
{
	AO_t found = AO_load(&left);
	while (found != 0 && !AO_compare_and_swap_full(&left, found, found - 1))
		found = AO_load(&left);
	return found != 0;
}

static void *launch(void *argument)
{
	struct life *life = argument;
	while (take_one())
		live_once(life);
	return NULL;
}

/* Opens what was closed, and closes it again, until all lives are over. */
static void shake(void)
{
	while (AO_load(&left) != 0) {
		int error = stmlog_open(&setup);
		claim(error == 0 || error == -EALREADY || error == -EBUSY);
		for (int i = 0; i < 20; i++)
			sched_yield();
		stmlog_close();
	}
}

static void run_lives(uint64_t seed, uint32_t number, bool shakes)
{
	static const char *const names[AT_ONCE] = {"one", "two", "three", "four"};
	static struct life of[AT_ONCE];
	pthread_t launchers[AT_ONCE];
	AO_store(&is_shaken, shakes);
	AO_store(&left, number);
	for (unsigned i = 0; i < AT_ONCE; i++) {
		of[i] = (struct life){
			.random = {seed * AT_ONCE + i}, .plugin = {.runtime = names[i], .report = "/dev/null"}};
		assert_int_equal(pthread_create(&launchers[i], NULL, launch, &of[i]), 0);
	}
	if (shakes)
		shake();
	for (unsigned i = 0; i < AT_ONCE; i++)
		pthread_join(launchers[i], NULL);
}

static void close_lanes(void)
{
	static struct life main_thread;
	for (unsigned i = 0; i < LANES; i++) {
		main_thread.lent = &lanes[i];
		main_thread.handles[LENT] = lanes[i].handle;
		main_thread.model.handles[LENT] = lanes[i].state;
		close_handle(&main_thread, LENT);
		lanes[i].handle = NULL;
	}
}

/* ---- what must hold ---- */

static void check_figures(void)
{
	struct thread_figures all = registry.remainder;
	for (size_t i = 0; i < registry.ended_len; i++)
		figures_add(&all, &registry.ended[i]);
	const struct stmlog_account *is = &all.account, *wanted = &expected.figures.account;
	assert_int_equal(all.calls_lost, 0);
#define SAME(field) assert_int_equal(is->field, wanted->field)
	SAME(commits);
	SAME(pauses);
	SAME(waits_inevitable);
	SAME(waits_none);
	SAME(others);
	SAME(blocked);
	SAME(blocked_in_vain);
	SAME(blocked_unattached);
	SAME(blocked_unattached_in_vain);
	SAME(unmeasured_commits);
	SAME(unmeasured_aborts);
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		SAME(aborts[c]);
#undef SAME
	commits += is->commits;
}

static void check_losses(void)
{
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
			assert_int_equal(registry.retired->totals.by_cause[r][c].count, expected.losses[r][c]);
}

/* No handle is left, so what was closed can be opened. pthread_join() returns a moment before the kernel has forgotten
 * a thread that has opened its handle again at its end. */
static void open_again(void)
{
	int error;
	while ((error = stmlog_open(&setup)) == -EBUSY)
		sched_yield();
	assert_true(error == 0 || error == -EALREADY);
}

static void run_session(uint64_t seed, uint32_t number, bool shakes)
{
	size_t mistakes = misuse_total();
	expected.figures = (struct thread_figures){.id = 0};
	expected.mistakes = 0;
	memset(expected.losses, 0, sizeof expected.losses);
	assert_int_equal(stmlog_open(&setup), 0);
	run_lives(seed, number, shakes);
	close_lanes();
	assert_int_equal(AO_load(&defects), 0);
	if (!shakes) {
		assert_true(registry.attached == NULL);
		assert_int_equal(misuse_total() - mistakes, expected.mistakes);
		check_figures();
		check_losses();
	} else {
		open_again();
	}
	stmlog_close();
}

static void run_sessions(uint32_t number, bool shakes)
{
	uint64_t seed = first_seed;
	for (; number > 0; number -= number < PER_SESSION ? number : PER_SESSION)
		run_session(seed++, number < PER_SESSION ? number : PER_SESSION, shakes);
}

TEST_WITH(no_leaks, all_that_lives_do_is_counted_however_they_end)
{
	run_sessions(lives, false);
	assert_in_range(commits, 1, SIZE_MAX);
	print_message("%zu lives, %zu commits, each counted\n", (size_t)lives, (size_t)commits);
}

TEST_WITH(no_leaks, lives_go_on_while_the_session_is_closed_and_opened)
{
	run_sessions(lives / 4, true);
}

int main(int argc, char **argv)
{
	lives = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : stress_times(4000);
	first_seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	unsetenv("STMLOG_OPTIONS");
	for (unsigned i = 0; i < LANES; i++)
		pthread_mutex_init(&lanes[i].lock, NULL);
	pthread_key_create(&destructor_key, live_on);
	return test_run();
}
