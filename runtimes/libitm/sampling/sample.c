/* SPDX-License-Identifier: MIT
 *
 * One transaction in N is sampled: most of these are only timed (stopwatch.h), the others are measured closely. All
 * others are passed on, and counted (counts.h).
 *
 * N and the weight of the next sampled transaction are chosen before anything is known of that transaction. Otherwise
 * the estimates would have a bias.
 */
#include "sample.h"

#include "agent.h"
#include "bursts.h"
#include "counts.h"
#include "environment.h"
#include "late_from.h"
#include "preemption.h"
#include "requires.h"
#include "ring.h"
#include "thread.h"
#include "xorshift.h"

static uint64_t random_next(struct itm_thread *self)
{
	if (self->random == 0)
		self->random = ((uintptr_t)self >> 6) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)itm_agent.pid;
	return native_random(&self->random);
}

/* True with a chance of one in `interval`. */
static bool is_one_in(struct itm_thread *self, uint32_t interval)
{
	return (random_next(self) >> 32) % interval == 0;
}

/* ---- crowds ---- */

/* Of a crowd each thread has few transactions, so it does not measure a hundred of them before it leaves most alone. */
static bool is_crowded(void)
{
	return itm_is_crowd(AO_load(&itm_rings_owned), itm_agent.processors);
}

/* ---- bursts ---- */

/* Where there are bursts, transactions are measured closely only in them, ITM_BURST_WEIGHT times as often, so that the
 * average interval stays the same. But at most one in BURST_MIN is, since looking into each conflict would change what
 * happens next. Until a thread's transactions are known to be short, the thread asks for a burst that lasts: the
 * interval is found by those measured closely, and timing long ones as if they were short would cost too much. That is
 * over after EXACT_MAX transactions, as many as EXACT_LOOKS checks take if all are measured. */
#define BURST_MIN 4
#define EXACT_LOOKS 4
#define EXACT_MAX (ITM_PACE_FIRST + EXACT_LOOKS * ITM_PACE_EVERY)

/* Whether the interval of close measuring is known well enough for bursts. */
static bool is_settled(const struct itm_sampling *sampling)
{
	return sampling->close_in > 1 &&
	       (sampling->every * sampling->close_in >= BURST_MIN * ITM_BURST_WEIGHT || sampling->passed > EXACT_MAX ||
		       (is_crowded() && sampling->pace.looks > 0));
}

/* A thread of few transactions measures all closely, and asks for a burst as long as it does. But where other threads
 * have many, the data barriers would cost these more than the few are worth: there it keeps to the bursts, too. */
static bool has_bursts(const struct itm_sampling *sampling)
{
	return (sampling->is_beside_many || is_settled(sampling)) && itm_bursts_are_used();
}

/* When a thread that measures few of its transactions has chosen last. Any such thread stores it. */
static volatile AO_t many_ns;

static void look_for_many(struct itm_sampling *sampling, uint64_t now_ns)
{
	enum { RECENT_NS = 100000000, STORES_NS = 1000000 };
	AO_t last_ns = AO_load(&many_ns);
	bool is_many = is_settled(sampling);
	sampling->is_beside_many = !is_many && sampling->pace.looks > 0 && last_ns != 0 && now_ns - last_ns < RECENT_NS;
	if (is_many && now_ns - last_ns > STORES_NS)
		AO_store(&many_ns, now_ns);
}

/* The interval of close measuring within a burst. */
static uint32_t burst_every(const struct itm_sampling *sampling)
{
	if (sampling->every * sampling->close_in == 1)
		return 1;
	uint32_t every = sampling->every * sampling->close_in / ITM_BURST_WEIGHT;
	return every > BURST_MIN ? every : BURST_MIN;
}

/* In a burst more transactions are sampled than otherwise, so that as many as otherwise are timed. */
static void choose_interval(struct itm_sampling *sampling)
{
	uint64_t every = sampling->every, closely = burst_every(sampling), drawn = every * closely / (every + closely);
	bool is_in_burst = has_bursts(sampling) && itm_bursts_is_on();
	sampling->drawn_close = is_in_burst ? (uint32_t)closely : 0;
	sampling->drawn = (uint32_t)(!is_in_burst ? every : drawn > 1 ? drawn : 1);
}

int32_t itm_draw(void)
{
	struct itm_sampling *sampling = &itm_self.sampling;
	choose_interval(sampling);
	if (sampling->drawn == 1)
		return 0;
	/* 0 .. 2N-2, so that one in N is measured on average. */
	return (int32_t)((random_next(&itm_self) >> 32) % (2 * sampling->drawn - 1));
}

/* ---- phases ---- */

/* In an off phase the clock is read about every REST_NS, and at least every REST_MAX transactions. */
#define REST_NS 250000
#define REST_MAX 4096

static struct itm_phase_mark mark_now(const struct itm_sampling *sampling, uint64_t now_ns)
{
	return (struct itm_phase_mark){now_ns, sampling->passed, itm_restarts()};
}

/* The transaction that begins would have been measured, and have stood for `weight` transactions: these are owed. */
static void begin_off(struct itm_sampling *sampling, uint64_t now_ns)
{
	sampling->owed += sampling->weight;
	sampling->off_passed = sampling->passed + 1;
	sampling->rest = (int32_t)sampling->every;
	sampling->checked_ns = now_ns;
}

/* The transactions of this phase are owed, and of those owed before, at most about as many. If more were owed,
 * transactions have become rarer, and perhaps different; so they must not stand for that many earlier transactions. */
static void end_off(struct itm_sampling *sampling)
{
	uint64_t passed = sampling->passed > sampling->off_passed ? sampling->passed - sampling->off_passed : 0;
	uint64_t max = passed + sampling->every;
	sampling->owed = passed + (sampling->owed < max ? sampling->owed : max);
}

/* In an off phase: how many transactions to pass on until the clock is read again. */
static int32_t rest_on(struct itm_sampling *sampling, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - sampling->checked_ns;
	if (passed_ns < REST_NS && sampling->rest < REST_MAX)
		sampling->rest *= 2;
	else if (passed_ns > 2 * REST_NS && sampling->rest > 1)
		sampling->rest /= 2;
	sampling->checked_ns = now_ns;
	return sampling->rest;
}

/* If all transactions are measured closely there are no off phases, since measuring costs little then. Nor are there
 * any if aborts are not counted, since there would be nothing to compare. */
static bool is_off(const struct itm_sampling *sampling, uint64_t now_ns)
{
	return sampling->every * sampling->close_in > 1 && itm_agent.has_totals && itm_phase_is_off(now_ns);
}

static void change_phase(struct itm_sampling *sampling, uint64_t now_ns)
{
	bool was_off = sampling->is_off;
	sampling->is_off = is_off(sampling, now_ns);
	if (sampling->is_off == was_off)
		return;
	struct itm_phase_mark mark = mark_now(sampling, now_ns);
	itm_phase_add(was_off, &sampling->mark, &mark);
	sampling->mark = mark;
	if (was_off)
		end_off(sampling);
	else
		begin_off(sampling, now_ns);
}

/* ---- choosing ---- */

static uint32_t next_weight(struct itm_sampling *sampling)
{
	uint64_t more = (sampling->every + 1) / 2;
	if (more > sampling->owed)
		more = sampling->owed;
	sampling->owed -= more;
	return sampling->every + (uint32_t)more;
}

/* ---- the two intervals ---- */

/* Some sampled transactions can be timed only. Under htm none is, so that the time stamp is never read within a
 * hardware transaction. */
static bool has_two_kinds(void)
{
	return itm_agent.has_steady_tsc && itm_agent.method != ITM_METHOD_HARDWARE;
}

/* ---- threads that follow others ---- */

/* The intervals of a thread that has ended, and its progress to the next check. A thread that begins goes on from
 * there: so a program of many short threads is measured no more than one of a few long threads. `busy`: a thread copies
 * the others; no thread waits for that. */
static struct {
	volatile AO_t busy;
	uint32_t every, close_in;
	struct itm_pace pace;
} ended;

/* A thread that follows another begins with an interval of at most this: its transactions may be longer, and are
 * checked sooner so. */
#define FOLLOWED_MAX 256

void itm_sampling_end(void)
{
	struct itm_thread *self = &itm_self;
	REQUIRES(self->thread != NULL);
	if (itm_agent.options.sample != NATIVE_SAMPLE_AUTO || !AO_compare_and_swap_full(&ended.busy, 0, 1))
		return;
	struct stmlog_attempts measured = stmlog_measured_attempts(self->thread);
	if (itm_pace_end(&ended.pace, &self->sampling.pace, &measured) || ended.every == 0) {
		ended.every = self->sampling.every;
		ended.close_in = self->sampling.close_in;
	}
	AO_store_release(&ended.busy, 0);
}

static bool follow(struct itm_sampling *sampling)
{
	if (!AO_compare_and_swap_full(&ended.busy, 0, 1))
		return false;
	bool has_ended = ended.every != 0;
	if (has_ended) {
		sampling->every = ended.every < FOLLOWED_MAX ? ended.every : FOLLOWED_MAX;
		sampling->close_in = FOLLOWED_MAX / sampling->every;
		if (sampling->close_in > ended.close_in)
			sampling->close_in = ended.close_in;
		sampling->weight = sampling->every;
		sampling->pace = itm_pace_follow(&ended.pace);
	}
	AO_store_release(&ended.busy, 0);
	return has_ended;
}

bool itm_sampling_begin(void)
{
	struct itm_thread *self = &itm_self;
	uint32_t sample = itm_agent.options.sample;
	uint32_t every = sample == NATIVE_SAMPLE_AUTO ? 1 : sample;
	self->sampling =
		(struct itm_sampling){.every = every, .weight = every, .close_in = 1, .look_ns = stmlog_now_ns()};
	if (every > 1 && has_two_kinds())
		self->sampling.close_in = 2;
	bool is_follower = sample == NATIVE_SAMPLE_AUTO && follow(&self->sampling);
	self->countdown = itm_draw();
	itm_late_from_begin(self, stmlog_now_ns());
	return is_follower;
}

/* The interval changes because the transactions' length has changed; so as much time is owed as before. */
static void set_intervals(struct itm_sampling *sampling, uint32_t every, uint32_t close_in)
{
	if (every == sampling->every && close_in == sampling->close_in)
		return;
	sampling->owed = sampling->owed * every / sampling->every;
	sampling->every = every;
	sampling->close_in = close_in;
	sampling->mark.at_ns = 0; /* a phase with two intervals is not compared */
	if (has_bursts(sampling))
		stmlog_set_sampling(burst_every(sampling) * ITM_BURST_WEIGHT);
	else if (every * close_in > 1)
		stmlog_set_sampling(every * close_in);
}

/* The first transactions are all measured closely: many programs have no others. Later most are left alone where there
 * are many, however long they are: even if measuring takes no time to speak of, looking into each conflict would change
 * what happens next. Where there are few, chance would say little of them. */
#define CLOSE_MIN 16
#define FEW_PER_S 10000
#define CLOSE_MAX 1024
#define TIMED_MAX 256
#define SHARE 0.01

/* The cost of timing a transaction: of reporting it, and of choosing it, which takes about as long. */
static double timed_cost_ns(const struct itm_thread *self)
{
	double own_ns = 2 * self->watch.own_ns;
	return own_ns > itm_agent.probe_ns ? own_ns : itm_agent.probe_ns;
}

double itm_close_cost_ns(void)
{
	enum { RING_NS = 20, RINGS_IN_PROBE = 4 };
	AO_t owned = AO_load(&itm_rings_owned);
	uint32_t rings = owned < ITM_RINGS_LOOK_MAX ? (uint32_t)owned : ITM_RINGS_LOOK_MAX;
	return itm_agent.probe_ns + (rings > RINGS_IN_PROBE ? rings - RINGS_IN_PROBE : 0) * RING_NS;
}

/* The transactions since the last check, if they were few. */
struct few {
	double time_ns;  /* of the time since then, the part of the measured ones; 0: they were not few */
	double reads_ns; /* what the data barriers of a measured transaction have cost */
};

/* Where transactions are few, measuring them takes little of the thread's time, although it may take much of theirs:
 * their data barriers are the agent's. Of many threads that share a processor each has few. */
static struct few look_for_few(struct itm_sampling *sampling, uint32_t interval)
{
	enum { READ_NS = 1 };
	uint64_t now_ns = stmlog_now_ns();
	uint64_t time_ns = (uint64_t)((double)(now_ns - sampling->look_ns) /
				      itm_threads_of_processor(AO_load(&itm_rings_owned), itm_agent.processors));
	double passed = (double)(sampling->passed - sampling->look_passed), reads = (double)sampling->reads;
	bool are_few = passed * 1e9 <= (double)time_ns * FEW_PER_S;
	sampling->look_ns = now_ns;
	sampling->look_passed = sampling->passed;
	sampling->reads = 0;
	return are_few ? (struct few){(double)time_ns / interval, reads * READ_NS * interval / (passed + 1)}
		       : (struct few){0, 0};
}

static void adjust_intervals(struct itm_thread *self)
{
	struct itm_sampling *sampling = &self->sampling;
	struct itm_pace *pace = &sampling->pace;
	if (!itm_pace_is_due(pace, is_crowded()))
		return;
	uint32_t old = sampling->every * sampling->close_in;
	struct few few = look_for_few(sampling, old);
	bool has_two = has_two_kinds(), has_min = has_two && pace->looks > EXACT_LOOKS && few.time_ns == 0;
	const struct itm_pace_limits timed = {SHARE / 2, 1, TIMED_MAX, 0},
				     close = {has_two ? SHARE / 2 : SHARE, has_min ? CLOSE_MIN : 1,
					     has_two ? CLOSE_MAX : TIMED_MAX, few.time_ns};
	struct stmlog_attempts measured = stmlog_measured_attempts(self->thread);
	double cost_ns = itm_close_cost_ns() + few.reads_ns;
	uint32_t closely = itm_pace_look(pace, old, cost_ns, &measured, &close);
	uint32_t every = itm_pace_timed(pace, sampling->every, timed_cost_ns(self), &timed);
	if (closely == 1 || !has_two)
		every = closely;
	else if (every > closely / 2)
		every = closely / 2;
	set_intervals(sampling, every, closely / every);
}

/* Counts the transactions since the last measured one; all of them are over. */
static void count_passed(struct itm_thread *self)
{
	uint64_t over = itm_counts_over(&self->ring->counts);
	self->sampling.passed += over > self->sampling.over ? over - self->sampling.over : 0;
	self->sampling.over = over;
	itm_counts_note(&self->ring->counts, itm_restarts());
}

/* After an off phase too, chance decides whether the first transaction is measured. */
static bool is_first_drawn(struct itm_thread *self)
{
	self->sampling.weight = next_weight(&self->sampling);
	self->countdown = itm_draw();
	return self->countdown-- == 0;
}

/* Counts the transaction as passed when it begins. One that is only timed is counted like those that are not sampled:
 * when it is over. */
static void measure_with(struct itm_thread *self, uint32_t weight)
{
	self->sampling.passed++;
	self->sampling.weight_now = weight;
	stmlog_set_weight(self->thread, weight);
	itm_counts_pause(&self->ring->counts);
}

/* Chance decides between the two kinds, too; so both stand for more transactions than the interval says. */
static void choose_kind(struct itm_thread *self, uint32_t weight, uint32_t close_in)
{
	self->sampling.is_timed = close_in > 1 && !is_one_in(self, close_in);
	if (self->sampling.is_timed)
		self->watch.weight = (double)weight * close_in / (close_in - 1);
	else
		measure_with(self, weight * close_in);
}

/* The weight of the transaction that is sampled now. */
static uint32_t consume_weight(struct itm_sampling *sampling)
{
	uint32_t weight = sampling->weight;
	sampling->weight = next_weight(sampling);
	return weight;
}

/* The weight of the transaction that is timed now, by the interval of its countdown: one transaction in `drawn` was
 * sampled, and in a burst not all of these are timed. */
static double consume_timed_weight(struct itm_sampling *sampling)
{
	double drawn = sampling->drawn, closely = sampling->drawn_close;
	double weight = closely > 0 ? drawn * closely / (closely - drawn) : drawn;
	return weight * next_weight(sampling) / sampling->every;
}

/* As choose_kind(), where there are bursts. The chances are those by which the countdown was drawn. Only timed
 * transactions make up for those of off phases: bursts take more of the remaining time instead (bursts.h), so
 * transactions that are measured in them need not. Returns false if the transaction is neither timed nor measured,
 * because the burst is over for which it was drawn. */
static bool choose_kind_by_bursts(struct itm_thread *self)
{
	struct itm_sampling *sampling = &self->sampling;
	uint32_t closely = sampling->drawn_close;
	sampling->is_timed = closely == 0 || (random_next(self) >> 32) % closely >= sampling->drawn;
	if (sampling->is_timed) {
		self->watch.weight = consume_timed_weight(sampling);
		return true;
	}
	if (itm_bursts_is_on()) {
		measure_with(self, closely * ITM_BURST_WEIGHT);
		return true;
	}
	sampling->is_timed = true; /* none was measured */
	return false;
}

/* Choosing takes as long as a short transaction. A transaction that began so much later would conflict with others less
 * often, so a timed transaction is chosen some transactions ahead. Returns false if there is no time for that. */
#define AHEAD 4

static bool postpone(struct itm_thread *self)
{
	if (self->countdown < AHEAD || self->sampling.every < 2 * AHEAD)
		return false;
	self->watch.is_next = 1;
	self->watch.weight_next = self->watch.weight;
	self->watch.countdown = self->countdown - AHEAD;
	self->countdown = AHEAD - 1;
	return true;
}

uint64_t itm_choose_held(void)
{
	struct itm_thread *self = &itm_self;
	struct itm_sampling *sampling = &self->sampling;
	if (itm_agent.options.sample != 1) {
		count_passed(self);
		sampling->is_timed = false;
		measure_with(self, 1);
	}
	return stmlog_now_ns();
}

void itm_choose_late(void)
{
	struct itm_thread *self = &itm_self;
	count_passed(self);
	measure_with(self, 1);
}

/* All transactions are measured closely. Threads that begin do not know yet whether they are alone. */
static uint64_t choose_all(struct itm_thread *self)
{
	uint64_t now_ns = stmlog_now_ns();
	itm_bursts_look(now_ns, self->published_struct == NULL);
	self->countdown = 0;
	return now_ns;
}

uint64_t itm_choose(void)
{
	struct itm_thread *self = &itm_self;
	struct itm_sampling *sampling = &self->sampling;
	bool was_off = sampling->is_off;
	REQUIRES(self->thread != NULL);
	if (itm_agent.options.sample == 1)
		return choose_all(self);
	if (self->countdown > 0) { /* drawn when the thread was attached, just now */
		self->countdown--;
		return 0;
	}
	count_passed(self);
	if (!was_off && !sampling->is_timed && itm_agent.options.sample == NATIVE_SAMPLE_AUTO)
		adjust_intervals(self);
	uint64_t now_ns = stmlog_now_ns();
	itm_preemption_learn(self, now_ns);
	itm_late_from_choose(self, now_ns);
	look_for_many(sampling, now_ns);
	change_phase(sampling, now_ns);
	itm_bursts_look(now_ns, !has_bursts(sampling) && !sampling->is_off);
	if (sampling->is_off) {
		self->countdown = rest_on(sampling, now_ns);
		return 0;
	}
	if (was_off && !is_first_drawn(self))
		return 0;
	bool is_chosen = true;
	if (has_bursts(sampling))
		is_chosen = choose_kind_by_bursts(self);
	else
		choose_kind(self, consume_weight(sampling), sampling->close_in);
	self->countdown = itm_draw();
	return !is_chosen || (sampling->is_timed && postpone(self)) ? 0 : now_ns;
}
