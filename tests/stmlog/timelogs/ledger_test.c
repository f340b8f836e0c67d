/* SPDX-License-Identifier: MIT
 * One thread reads while another goes on recording: what is read is whole, and nothing is lost. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "account.h"
#include "fake_clock.h"
#include "ledger.h"
#include "mem.h"
#include "random.h"
#include "test.h"

struct owner {
	struct ledger ledger;
	struct account account;
	struct tb_stack *stack;
	struct stmlog_timelog *log;
	struct tb_frame *place[8];
	volatile AO_t has_ended;
	uint64_t count, lost_ns; /* the owner's own sums */
};

static struct owner *owner;
static size_t bytes_before;

static void set_up(void)
{
	owner = calloc(1, sizeof *owner);
	bytes_before = mem_live_bytes();
	owner->stack = tb_stack_create(0);
	owner->log = timelog_create(4, owner->stack);
	account_init(&owner->account, 0);
	ledger_init(&owner->ledger, owner->stack);
	for (uintptr_t i = 0; i < 8; i++) {
		struct tb_site sites[4] = {{2, i}, {2, 0}, {2, 1}, {2, 2}};
		owner->place[i] = tb_build(owner->stack, sites, 4, TB_EMPTY);
	}
	ledger_lock(&owner->ledger);
	ledger_activate(&owner->ledger, owner->log);
	ledger_unlock(&owner->ledger);
}

static void tear_down(void)
{
	ledger_lock(&owner->ledger);
	if (owner->log->is_active)
		ledger_deactivate(&owner->ledger, owner->log);
	ledger_unlock(&owner->ledger);
	ledger_fini(&owner->ledger);
	timelog_destroy(&owner->log);
	for (size_t i = 0; i < 8; i++)
		tb_unref(owner->stack, owner->place[i]);
	assert_int_equal(tb_live_frames(), 0);
	tb_stack_destroy(&owner->stack);
	assert_int_equal(mem_live_bytes(), bytes_before);
	free(owner);
}

static const struct test_fixture fixture = {set_up, tear_down};

/* One loss, as a hook records it. */
static void record(size_t place, uint64_t lost_ns)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct measured_loss measured = {.loss = &loss, .lost_ns = lost_ns, .at_ns = owner->count, .thread = 1};
	measured.weight.transaction = 1 + owner->count / 2;
	loss.local = owner->place[place];
	struct detour *detour = ledger_enter_loss(&owner->ledger, &owner->account);
	account_start(&owner->account, owner->lost_ns);
	account_settle(&owner->account, owner->lost_ns + lost_ns, ABORTED_SLOT + STMLOG_WRITE_WRITE, ABORTED_STATE);
	ledger_put(&owner->ledger, detour, &measured);
	ledger_leave(&owner->ledger);
	owner->count++;
	owner->lost_ns += lost_ns;
}

static void lose_in(uint64_t transaction, size_t place, uint32_t extra, struct culprit culprit)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct measured_loss measured = {.loss = &loss,
		.lost_ns = 10,
		.weight = {.transaction = transaction, .extra = extra},
		.culprit = culprit};
	loss.local = owner->place[place];
	struct detour *detour = ledger_enter_loss(&owner->ledger, &owner->account);
	ledger_put(&owner->ledger, detour, &measured);
	ledger_leave(&owner->ledger);
}

TEST_WITH(fixture, the_first_loss_of_a_transaction_goes_into_the_timelog_if_it_is_as_the_last_one)
{
	static struct attempts attempts;
	struct ledger *ledger = &owner->ledger;
	const struct culprit none = {NULL, 0};
	lose_in(1, 0, 0, none);
	assert_int_equal(ledger->pending.len, 1);
	ledger_hand_over(ledger);
	lose_in(2, 0, 0, none);
	assert_int_equal(ledger->pending.len, 0);
	assert_int_equal(owner->log->groups[0].entry.count, 2);
	lose_in(2, 0, 0, none);
	lose_in(2, 0, 0, none);
	assert_int_equal(ledger->pending.len, 1);
	ledger_hand_over(ledger);
	assert_int_equal(owner->log->groups[0].entry.count, 4);
	assert_int_equal(owner->log->groups[0].entry.lost_ns, 40);
	assert_true(timelog_is_valid(owner->log));
	lose_in(3, 1, 0, none);
	lose_in(4, 1, 1, none);
	lose_in(5, 0, 0, none);
	assert_int_equal(owner->log->len, 1);
	ledger_hand_over(ledger);
	attempts_begin(&attempts);
	lose_in(6, 0, 0, (struct culprit){&attempts, 1});
	assert_int_equal(ledger->pending.len, 1);
}

/* Also in their bounds, which are of no sum. */
TEST_WITH(fixture, losses_that_go_different_ways_come_to_the_same)
{
	struct random random = {7};
	OWNED(timelog_destroy) struct stmlog_timelog *plain = timelog_create(4, owner->stack);
	for (uint64_t i = 1; i <= 5000; i++) {
		struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
		struct measured_loss measured = {.loss = &loss, .at_ns = i, .thread = random_below(&random, 3)};
		measured.lost_ns = random_below(&random, 1000);
		measured.weight.transaction = i / 3;
		loss.local = owner->place[random_below(&random, 8) < 6 ? 0 : random_below(&random, 4)];
		loss.object = random_below(&random, 8);
		loss.grade = random_below(&random, 3);
		struct detour *detour = ledger_enter_loss(&owner->ledger, &owner->account);
		ledger_put(&owner->ledger, detour, &measured);
		ledger_leave(&owner->ledger);
		timelog_add_loss(plain, &measured);
		if (i % 3 == 2)
			ledger_hand_over(&owner->ledger);
	}
	ledger_hand_over(&owner->ledger);
	assert_true(timelog_is_valid(owner->log));
	for (size_t rank = 0; rank < 4; rank++) {
		const struct stmlog_entry *a = &timelog_at(owner->log, rank)->entry,
					  *b = &timelog_at(plain, rank)->entry;
		assert_ptr_equal(a->local, b->local);
		assert_int_equal(a->count, b->count);
		assert_int_equal(a->lost_ns, b->lost_ns);
		assert_int_equal(a->shortest_ns, b->shortest_ns);
		assert_int_equal(a->longest_ns, b->longest_ns);
		assert_int_equal(a->first_ns, b->first_ns);
		assert_int_equal(a->last_ns, b->last_ns);
		assert_int_equal(a->certain, b->certain);
		assert_int_equal(a->grade, b->grade);
		assert_true(a->estimated_ns == b->estimated_ns);
	}
}

/* The aborts of the account, with the losses that are in the ledger. */
static struct stmlog_sum read_account(void)
{
	struct stmlog_account figures;
	struct account_spread spread;
	assert_true(account_read(&owner->account, &figures, &spread));
	const struct account *before = ledger_account_before_detour(&owner->ledger);
	if (before != NULL)
		assert_true(account_read(before, &figures, &spread));
	return (struct stmlog_sum){figures.aborts[STMLOG_WRITE_WRITE], figures.aborted_ns[STMLOG_WRITE_WRITE]};
}

/* Also: account and ledger have the same losses. */
static struct stmlog_sum read_all(struct tb_stack *stack)
{
	struct stmlog_timelog *copy = timelog_create(64, stack);
	assert_int_equal(ledger_hold(&owner->ledger, false), 0);
	struct stmlog_sum account = read_account();
	ledger_read(&owner->ledger, owner->log, copy);
	ledger_release(&owner->ledger);
	assert_true(timelog_is_valid(copy));
	struct stmlog_cost cost = timelog_recorded(copy);
	timelog_destroy(&copy);
	assert_int_equal(account.count, cost.count);
	assert_int_equal(account.lost_ns, cost.lost_ns);
	return (struct stmlog_sum){cost.count, cost.lost_ns};
}

TEST_WITH(fixture, what_is_recorded_while_a_reader_is_here_is_read_by_the_next)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	record(0, 10);
	assert_int_equal(ledger_hold(&owner->ledger, false), 0);
	assert_null(ledger_account_before_detour(&owner->ledger));
	record(1, 20);
	assert_int_equal(read_account().lost_ns, 10);
	record(1, 20);
	assert_int_equal(read_account().lost_ns, 10);
	assert_int_equal(owner->ledger.pending.len, 1);
	ledger_release(&owner->ledger);
	assert_int_equal(ledger_hold(&owner->ledger, false), 0);
	assert_null(ledger_account_before_detour(&owner->ledger));
	assert_int_equal(read_account().lost_ns, 50);
	ledger_release(&owner->ledger);
	assert_int_equal(read_all(stack).lost_ns, 50);
	record(2, 5); /* comes home with this one */
	assert_null(owner->ledger.unread);
	assert_int_equal(read_all(stack).count, 4);
}

TEST_WITH(fixture, an_idle_thread_that_is_read_again_and_again_takes_no_more_memory)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	read_all(stack);
	size_t bytes = mem_live_bytes();
	for (int i = 0; i < 100; i++)
		read_all(stack);
	assert_int_equal(mem_live_bytes(), bytes);
}

TEST_WITH(fixture, more_than_a_detour_holds_is_evicted_into_exact_totals)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	assert_int_equal(ledger_hold(&owner->ledger, false), 0);
	for (uintptr_t i = 0; i < 200; i++) {
		struct tb_site site = {3, i};
		struct tb_frame *kept = owner->place[0];
		owner->place[0] = tb_build(owner->stack, &site, 1, TB_EMPTY);
		record(0, 1 + i);
		tb_unref(owner->stack, owner->place[0]);
		owner->place[0] = kept;
	}
	ledger_release(&owner->ledger);
	struct stmlog_sum sum = read_all(stack);
	assert_int_equal(sum.count, owner->count);
	assert_int_equal(sum.lost_ns, owner->lost_ns);
}

TEST_WITH(fixture, a_signal_handler_on_the_owner_is_refused_while_the_owner_is_inside)
{
	ledger_enter(&owner->ledger);
	assert_int_equal(ledger_hold(&owner->ledger, true), -EBUSY);
	ledger_leave(&owner->ledger);
	assert_int_equal(ledger_hold(&owner->ledger, true), 0);
	ledger_release(&owner->ledger);
}

TEST_WITH(fixture, a_reader_gives_up_when_the_owner_stays_inside_and_a_later_one_reads)
{
	record(0, 1);
	ledger_enter(&owner->ledger);
	fake_clock_set_reading(1000000);
	assert_int_equal(ledger_hold(&owner->ledger, false), -ETIMEDOUT);
	fake_clock_set_reading(0);
	ledger_leave(&owner->ledger);
	record(0, 1);
	assert_int_equal(ledger_hold(&owner->ledger, false), 0);
	ledger_release(&owner->ledger);
	assert_int_equal(owner->ledger.pending.len, 1);
}

TEST_WITH(fixture, without_memory_for_a_detour_nothing_changes)
{
	size_t bytes = mem_live_bytes();
	for (size_t n = 1; n <= 2; n++) {
		mem_fail_at(n);
		assert_int_equal(ledger_hold(&owner->ledger, false), -ENOMEM);
		assert_int_equal(mem_live_bytes(), bytes);
	}
	record(0, 1);
	assert_int_equal(owner->ledger.pending.len, 1);
}

static void *record_for_a_while(void *arg)
{
	(void)arg;
	unsigned random = 1;
	for (int i = 0; i < 50000; i++) {
		random = random * 1103515245u + 12345u;
		record(random >> 16 & 7, random >> 20 & 255);
		if (i % 3 == 0)
			ledger_hand_over(&owner->ledger);
	}
	AO_store_release(&owner->has_ended, 1);
	return NULL;
}

TEST_WITH(fixture, readers_see_valid_and_growing_sums_and_in_the_end_all_of_it)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct stmlog_sum last = {0, 0};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, record_for_a_while, NULL), 0);
	while (AO_load_acquire(&owner->has_ended) == 0) {
		struct stmlog_sum sum = read_all(stack);
		assert_true(sum.count >= last.count && sum.lost_ns >= last.lost_ns);
		last = sum;
	}
	pthread_join(thread, NULL);
	last = read_all(stack);
	assert_int_equal(last.count, owner->count);
	assert_int_equal(last.lost_ns, owner->lost_ns);
}

/* ---- accounts under readers ---- */

static struct account account;
static volatile AO_t stop;

/* Valgrind lets a thread run for 100,000 blocks of code at a time: rounds of one length may have it stop within a write
 * each time. */
static void pass_some_blocks(struct random *random)
{
	for (volatile uint32_t blocks = random_below(random, 16); blocks > 0; blocks--)
		;
}

static void *move_for_a_while(void *arg)
{
	struct random random = {1};
	(void)arg;
	for (uint64_t now = 1; AO_load_acquire(&stop) == 0; now += 3) {
		pass_some_blocks(&random);
		account_start(&account, now);
		account_settle(
			&account, now + 1, now % 2 ? COMMITTED_SLOT : ABORTED_SLOT + STMLOG_WRITE_READ, OUTSIDE_STATE);
	}
	return NULL;
}

TEST(an_account_is_never_read_half_written)
{
	pthread_t thread;
	account_init(&account, 0);
	AO_store(&stop, 0);
	assert_int_equal(pthread_create(&thread, NULL, move_for_a_while, NULL), 0);
	for (int i = 0; i < 2000; i++) {
		struct stmlog_account a;
		struct account_spread spread;
		assert_true(account_read(&account, &a, &spread));
		assert_int_equal(
			a.attached_ns, a.outside_ns + a.committed_ns + a.aborted_ns[STMLOG_WRITE_READ] + a.open_ns);
		assert_true(a.commits + a.aborts[STMLOG_WRITE_READ] <= a.events);
	}
	AO_store_release(&stop, 1);
	pthread_join(thread, NULL);
}
