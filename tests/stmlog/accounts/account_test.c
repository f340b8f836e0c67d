/* SPDX-License-Identifier: MIT
 * Accounts against a naive model: whatever the order of what happens, each nanosecond is booked once. */
#include "fixture.h"

#include "account.h"
#include "clock.h"
#include "fake_clock.h"
#include "locks.h"
#include "random.h"

#define STEPS 20000

/* The thread's time as one would keep it by hand: a sum for each slot, and the state under way. */
struct model {
	uint64_t ns[ACCOUNT_SLOTS];
	uint64_t estimated_ns[ACCOUNT_SLOTS]; /* each nanosecond counted as often as the transaction weighs */
	uint64_t weight;
	uint64_t count[ACCOUNT_SLOTS];
	uint64_t attempt_ns; /* of the attempt under way, interruptions taken out, up to `since_ns` */
	uint64_t since_ns;
	uint64_t readings;
	enum account_slot state;
	bool is_in_attempt; /* or in an interruption of one */
	uint64_t idle_ns;
	uint64_t released_ns; /* when the idle time under way began; 0: there is none */
};

static void book(struct model *model, enum account_slot slot, uint64_t ns)
{
	model->ns[slot] += ns;
	model->estimated_ns[slot] += ns * model->weight;
	model->count[slot]++;
}

/* ---- the same, done to both ---- */

static void start(struct account *account, struct model *model, uint64_t now_ns, struct random *random)
{
	account->sampled.extra_weight = random_below(random, 3);
	model->weight = 1 + account->sampled.extra_weight;
	account_start(account, now_ns);
	model->ns[OUTSIDE_STATE] += now_ns - model->since_ns;
	model->state = ATTEMPT_STATE;
	model->is_in_attempt = true;
	model->readings++;
}

static void settle(struct account *account, struct model *model, uint64_t now_ns, struct random *random)
{
	bool commits = random_below(random, 2) == 0;
	enum account_slot slot = commits ? COMMITTED_SLOT : ABORTED_SLOT + random_below(random, STMLOG_CONTENTIONS);
	uint64_t attempt_ns = model->attempt_ns + now_ns - model->since_ns;
	assert_int_equal(account_settle(account, now_ns, slot, commits ? OUTSIDE_STATE : ABORTED_STATE), attempt_ns);
	book(model, slot, attempt_ns);
	model->attempt_ns = 0;
	model->state = OUTSIDE_STATE;
	model->is_in_attempt = false;
	model->readings++;
	if (!commits && random_below(random, 2) == 0) {
		account_retry(account);
		model->state = ATTEMPT_STATE;
		model->is_in_attempt = true;
	}
}

static void interrupt(struct account *account, struct model *model, uint64_t now_ns, enum account_slot state)
{
	account_interrupt(account, now_ns, state);
	if (model->is_in_attempt)
		model->attempt_ns += now_ns - model->since_ns;
	else
		model->ns[OUTSIDE_STATE] += now_ns - model->since_ns;
	model->state = state;
	model->readings++;
}

static void resume(struct account *account, struct model *model, uint64_t now_ns)
{
	assert_int_equal(account_resume(account, now_ns), now_ns - model->since_ns);
	book(model, model->state, now_ns - model->since_ns);
	model->state = model->is_in_attempt ? ATTEMPT_STATE : OUTSIDE_STATE;
	model->readings++;
}

/* Half of the times more than there is. Returns how much later the attempt begins. */
static uint64_t take_out(struct account *account, struct model *model, uint64_t now_ns, struct random *random)
{
	enum account_slot state = PAUSED_STATE + random_below(random, OTHER_STATE - PAUSED_STATE);
	uint64_t elapsed_ns = now_ns - model->since_ns;
	uint64_t asked_ns = random_below(random, (uint32_t)(2 * elapsed_ns + 2));
	uint64_t taken_ns = asked_ns < elapsed_ns ? asked_ns : elapsed_ns;
	assert_int_equal(account_move_time(account, now_ns, state, asked_ns), taken_ns);
	book(model, state, taken_ns);
	model->readings++;
	return model->since_ns + taken_ns;
}

/* Likewise: in any state. */
static uint64_t deschedule(struct account *account, struct model *model, uint64_t now_ns, struct random *random)
{
	uint64_t elapsed_ns = now_ns - model->since_ns;
	uint64_t asked_ns = random_below(random, (uint32_t)(2 * (elapsed_ns % 1000) + 2));
	uint64_t taken_ns = asked_ns < elapsed_ns ? asked_ns : elapsed_ns;
	assert_int_equal(account_deschedule(account, now_ns, asked_ns, 3), taken_ns);
	model->ns[DESCHEDULED_SLOT] += taken_ns;
	model->count[DESCHEDULED_SLOT]++;
	model->readings++;
	return model->since_ns + taken_ns;
}

/* All times are as if the idle time had not been. */
static void release_or_claim(struct account *account, struct model *model, uint64_t now_ns)
{
	model->readings++;
	model->count[IDLE_STATE]++;
	if (model->released_ns == 0) {
		account_release(account, now_ns);
		model->released_ns = now_ns;
		return;
	}
	account_claim(account, now_ns);
	model->idle_ns += now_ns - model->released_ns;
	model->since_ns += now_ns - model->released_ns;
	model->released_ns = 0;
}

/* ---- comparing ---- */

static void compare(const struct account *account, const struct model *model)
{
	struct stmlog_account is;
	uint64_t now_ns = model->released_ns != 0 ? model->released_ns : fake_clock_now_ns();
	uint64_t running_ns = now_ns - model->since_ns;
	bool is_outside = !model->is_in_attempt && model->state == OUTSIDE_STATE;
	struct account_spread spread;
	assert_true(account_read(account, &is, &spread));
	assert_int_equal(is.outside_ns, model->ns[OUTSIDE_STATE] + (is_outside ? running_ns : 0));
	assert_int_equal(is.open_ns, model->attempt_ns + (is_outside ? 0 : running_ns));
	assert_int_equal(is.committed_ns, model->ns[COMMITTED_SLOT]);
	assert_int_equal(is.paused_ns, model->ns[PAUSED_STATE]);
	assert_int_equal(is.waiting_inevitable_ns, model->ns[WAITING_INEVITABLE_STATE]);
	assert_int_equal(is.waiting_none_ns, model->ns[WAITING_NONE_STATE]);
	assert_int_equal(is.other_ns, model->ns[OTHER_STATE]);
	assert_int_equal(is.estimated_committed_ns, model->estimated_ns[COMMITTED_SLOT]);
	assert_int_equal(is.estimated_paused_ns, model->estimated_ns[PAUSED_STATE]);
	assert_int_equal(is.estimated_waiting_inevitable_ns + is.estimated_waiting_none_ns,
		model->estimated_ns[WAITING_INEVITABLE_STATE] + model->estimated_ns[WAITING_NONE_STATE]);
	/* The row is divided in proportion, and a nanosecond is not divided. */
	assert_true(is.estimated_waiting_none_ns + 1 >= model->estimated_ns[WAITING_NONE_STATE]);
	assert_true(is.estimated_waiting_none_ns <= model->estimated_ns[WAITING_NONE_STATE] + 1);
	assert_int_equal(is.estimated_other_ns, model->estimated_ns[OTHER_STATE]);
	assert_int_equal(is.blocked_ns, model->ns[BLOCKED_STATE]);
	assert_int_equal(is.blocked, model->count[BLOCKED_STATE]);
	assert_int_equal(is.estimated_blocked_ns, model->estimated_ns[BLOCKED_STATE]);
	assert_int_equal(is.pauses, model->count[PAUSED_STATE]);
	assert_int_equal(is.waits_inevitable, model->count[WAITING_INEVITABLE_STATE]);
	assert_int_equal(is.waits_none, model->count[WAITING_NONE_STATE]);
	if (model->state <= ATTEMPT_STATE) /* those of an interruption are counted when it ends */
		assert_int_equal(is.events, model->readings);
	uint64_t sum_ns = is.outside_ns + is.open_ns + is.committed_ns + is.paused_ns + is.waiting_inevitable_ns +
			  is.waiting_none_ns + is.other_ns + is.blocked_ns + is.descheduled_ns;
	assert_int_equal(is.descheduled_ns, model->ns[DESCHEDULED_SLOT]);
	assert_int_equal(is.descheduled, model->count[DESCHEDULED_SLOT]);
	assert_true(spread.doubt_ns[STMLOG_ACCOUNT_DESCHEDULED] <= 3 * is.descheduled + is.attached_ns / 250);
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
		assert_int_equal(is.aborted_ns[c], model->ns[ABORTED_SLOT + c]);
		sum_ns += is.aborted_ns[c];
	}
	assert_int_equal(is.attached_ns, sum_ns);
	assert_int_equal(is.attached_ns, now_ns - model->idle_ns - 1000);
}

static void step(struct account *account, struct model *model, struct random *random)
{
	uint64_t now_ns = fake_clock_now_ns(), since_ns = now_ns;
	bool is_interrupted = model->state > ATTEMPT_STATE;
	if (model->released_ns != 0 || random_below(random, 5) == 0) {
		release_or_claim(account, model, now_ns);
		return;
	}
	switch (random_below(random, 5)) {
	case 0:
		if (is_interrupted)
			resume(account, model, now_ns);
		else
			interrupt(account, model, now_ns, PAUSED_STATE + random_below(random, 5));
		break;
	case 1:
		if (model->state != ATTEMPT_STATE)
			return;
		since_ns = take_out(account, model, now_ns, random);
		break;
	case 2:
		since_ns = deschedule(account, model, now_ns, random);
		break;
	default:
		if (is_interrupted)
			return;
		if (model->is_in_attempt)
			settle(account, model, now_ns, random);
		else
			start(account, model, now_ns, random);
	}
	model->since_ns = since_ns;
}

TEST_WITH(no_leaks, random_operations_agree_with_a_model)
{
	struct account account = {.word = 0};
	struct model model = {.state = OUTSIDE_STATE, .since_ns = 1000, .weight = 1};
	struct random random = {4};
	clock_use(fake_clock_now_ns);
	fake_clock_set(1000);
	account_init(&account, 1000);
	fake_clock_advance(UINT64_C(1) << 40); /* estimates are not cut to the attached time */
	for (int i = 0; i < STEPS; i++) {
		fake_clock_advance(random_below(&random, 3) == 0 ? 0 : random_below(&random, 1000));
		step(&account, &model, &random);
		compare(&account, &model);
	}
	clock_use(NULL);
	for (enum account_slot slot = PAUSED_STATE; slot < ACCOUNT_SLOTS; slot++)
		assert_true(slot == BUSY_STATE || model.count[slot] > 100);
}

static bool is_alone(void)
{
	return true;
}

static uint64_t sum_of_rows(const struct stmlog_account *figures)
{
	uint64_t sum_ns = figures->outside_ns + figures->open_ns + figures->committed_ns + figures->paused_ns +
			  figures->waiting_inevitable_ns + figures->waiting_none_ns + figures->other_ns +
			  figures->blocked_ns + figures->descheduled_ns;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum_ns += figures->aborted_ns[c];
	return sum_ns;
}

/* Makes random steps with a new account, by the fake clock, which stays the clock. */
static void step_randomly(struct account *account, struct model *model, uint64_t seed)
{
	struct random random = {seed};
	*model = (struct model){.state = OUTSIDE_STATE, .since_ns = 1000, .weight = 1};
	clock_use(fake_clock_now_ns);
	fake_clock_set(1000);
	account_init(account, 1000);
	for (int i = 0; i < 1000; i++) {
		fake_clock_advance(random_below(&random, 1000));
		step(account, model, &random);
	}
}

/* The owner is killed while it writes: the word says so for ever. */
TEST_WITH(no_leaks, an_abandoned_account_has_what_was_booked_and_no_nanosecond_twice)
{
	struct account account = {.word = 0};
	struct model model;
	struct stmlog_account figures, last;
	struct account_spread spread;
	step_randomly(&account, &model, 5);
	account_set(&account, 0, BUSY_STATE);
	locks_wait_until(is_alone);
	assert_true(account_read(&account, &figures, &spread));
	locks_wait_until(NULL);
	account_read_last(&account, &last, &spread);
	clock_use(NULL);
	assert_int_equal(figures.commits, model.count[COMMITTED_SLOT]);
	assert_int_equal(figures.committed_ns, model.ns[COMMITTED_SLOT]);
	assert_int_equal(figures.pauses, model.count[PAUSED_STATE]);
	assert_int_equal(figures.attached_ns, sum_of_rows(&figures));
	assert_memory_equal(&last, &figures, sizeof last);
}

static bool count_some(void *unused, struct stmlog_unmeasured_counts *counts)
{
	(void)unused;
	*counts = (struct stmlog_unmeasured_counts){.commits = 7, .aborts = 2};
	return true;
}

TEST_WITH(no_leaks, the_last_figures_are_those_that_other_threads_read)
{
	struct account account = {.word = 0};
	struct model model;
	struct stmlog_account figures, last;
	struct account_spread spread, last_spread;
	step_randomly(&account, &model, 6);
	account_read_unmeasured_by(&account, count_some, NULL);
	struct stmlog_attempts measured = account_measured(&account);
	assert_true(account_read(&account, &figures, &spread));
	account_read_last(&account, &last, &last_spread);
	clock_use(NULL);
	assert_memory_equal(&last, &figures, sizeof last);
	assert_true(last.unmeasured_commits >= 7);
	assert_int_equal(measured.commits, figures.commits);
	uint64_t aborts = 0, time_ns = figures.committed_ns;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
		aborts += figures.aborts[c];
		time_ns += figures.aborted_ns[c];
	}
	assert_int_equal(measured.aborts, aborts);
	assert_int_equal(measured.time_ns, time_ns);
}
