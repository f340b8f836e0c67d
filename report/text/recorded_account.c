/* SPDX-License-Identifier: MIT */
#include "recorded_account.h"

#include "check.h"

#include <stmlog/stmlog.h>

struct account_aborts account_aborts(const struct stmlog_thread_record *thread, uint32_t contention)
{
	REQUIRES(contention < STMLOG_CONTENTIONS);
	if (contention == STMLOG_DATA)
		return (struct account_aborts){
			thread->aborts_data, thread->aborted_data_ns, thread->estimated_aborted_data_ns};
	return (struct account_aborts){
		thread->aborts[contention], thread->aborted_ns[contention], thread->estimated_aborted_ns[contention]};
}

struct account_aborts account_all_aborts(const struct stmlog_thread_record *thread)
{
	struct account_aborts sum = {0};
	for (uint32_t contention = 0; contention < STMLOG_CONTENTIONS; contention++) {
		struct account_aborts aborts = account_aborts(thread, contention);
		sum.count += aborts.count;
		sum.lost_ns += aborts.lost_ns;
		sum.estimated_ns += aborts.estimated_ns;
	}
	return sum;
}

double account_variance_ns2(const struct stmlog_thread_record *thread, size_t row)
{
	return row == STMLOG_ACCOUNT_BLOCKED ? thread->blocked_variance_ns2 : thread->row_variance_ns2[row];
}

uint64_t account_doubt_ns(const struct stmlog_thread_record *thread, size_t row)
{
	return row == STMLOG_ACCOUNT_BLOCKED ? thread->blocked_doubt_ns : thread->row_doubt_ns[row];
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct account_under_way account_under_way(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct account_under_way under_way = {0, 0};
	uint64_t room_ns = thread->open_ns != 0 ? thread->open_ns : thread->outside_ns;
	for (size_t i = 0; i < recording->open_count; i++) {
		const struct stmlog_open_record *open = &recording->open[i];
		uint64_t ns = smaller(open->open_ns, room_ns);
		if (open->thread != thread->id || open->kind == STMLOG_OPEN_TRANSACTION)
			continue;
		*(open->kind == STMLOG_OPEN_WAIT ? &under_way.waiting_ns : &under_way.paused_ns) += ns;
		room_ns -= ns;
	}
	return under_way;
}

static void move(struct recorded_account *account, struct account_under_way under_way)
{
	uint64_t ns = under_way.paused_ns + under_way.waiting_ns;
	account->paused_ns += under_way.paused_ns;
	account->waiting_ns += under_way.waiting_ns;
	*(account->open_ns != 0 ? &account->open_ns : &account->outside_ns) -= ns;
}

static struct recorded_account recorded(const struct stmlog_thread_record *thread)
{
	struct account_aborts aborts = account_all_aborts(thread);
	return (struct recorded_account){
		.attached_ns = thread->attached_ns,
		.outside_ns = thread->outside_ns,
		.committed_ns = thread->committed_ns,
		.aborted_ns = aborts.lost_ns,
		.paused_ns = thread->paused_ns,
		.waiting_ns = thread->waiting_inevitable_ns + thread->waiting_none_ns,
		.other_ns = thread->other_ns,
		.blocked_ns = thread->blocked_ns,
		.descheduled_ns = thread->descheduled_ns,
		.open_ns = thread->open_ns,
		.commits = thread->commits + thread->unmeasured_commits,
		.aborts = aborts.count + thread->unmeasured_aborts,
		.pauses = thread->pauses,
		.waits = thread->waits_inevitable + thread->waits_none,
		.others = thread->others,
		.blocked = thread->blocked,
		.blocked_in_vain = thread->blocked_in_vain,
		.descheduled = thread->descheduled,
		.unattached_ns = thread->blocked_unattached_ns,
		.unattached = thread->blocked_unattached,
		.unattached_in_vain = thread->blocked_unattached_in_vain,
	};
}

struct recorded_account account_of(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct recorded_account account = recorded(thread);
	move(&account, account_under_way(recording, thread));
	return account;
}

/* An account has only members of type uint64_t. */
static void add(struct recorded_account *sum, const struct recorded_account *more)
{
	uint64_t *to = &sum->attached_ns;
	const uint64_t *from = &more->attached_ns;
	_Static_assert(sizeof *sum == 21 * sizeof *to, "every member is a uint64_t");
	for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
		to[i] += from[i];
}

struct recorded_account account_total(const struct recording *recording)
{
	struct recorded_account sum = {0};
	for (size_t i = 0; i < recording->thread_count; i++) {
		struct recorded_account one = account_of(recording, &recording->threads[i]);
		add(&sum, &one);
	}
	return sum;
}

uint64_t account_measured_commits(const struct recording *recording)
{
	uint64_t commits = 0;
	for (size_t i = 0; i < recording->thread_count; i++)
		commits += recording->threads[i].commits;
	return commits;
}

int64_t account_residual(const struct recorded_account *account)
{
	return (int64_t)(account->attached_ns - account->outside_ns - account->committed_ns - account->aborted_ns -
			 account->paused_ns - account->waiting_ns - account->other_ns - account->blocked_ns -
			 account->descheduled_ns - account->open_ns);
}
