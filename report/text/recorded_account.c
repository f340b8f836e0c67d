/* SPDX-License-Identifier: MIT
 * Adds up the account from the records of threads, and computes the shares of its rows. */
#include "recorded_account.h"

#include <string.h>

#include <stmlog/agent.h>

#include "check.h"

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
	REQUIRES(row < STMLOG_ACCOUNT_ROWS);
	return row == STMLOG_ACCOUNT_BLOCKED ? thread->blocked_variance_ns2 : thread->row_variance_ns2[row];
}

uint64_t account_doubt_ns(const struct stmlog_thread_record *thread, size_t row)
{
	REQUIRES(row < STMLOG_ACCOUNT_ROWS);
	return row == STMLOG_ACCOUNT_BLOCKED ? thread->blocked_doubt_ns : thread->row_doubt_ns[row];
}

struct account_under_way account_under_way(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct account_under_way under_way = {0, 0};
	uint64_t room_ns = thread->open_ns != 0 ? thread->open_ns : thread->outside_ns;
	for (size_t i = 0; i < recording->open_count; i++) {
		const struct stmlog_open_record *open = &recording->open[i];
		uint64_t ns = smaller_ns(open->open_ns, room_ns);
		if (open->thread != thread->id || open->kind == STMLOG_OPEN_TRANSACTION)
			continue;
		*(open->kind == STMLOG_OPEN_WAIT ? &under_way.waiting_ns : &under_way.paused_ns) += ns;
		room_ns -= ns;
	}
	return under_way;
}

static void move_under_way(struct recorded_account *account, struct account_under_way under_way)
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
	move_under_way(&account, account_under_way(recording, thread));
	return account;
}

/* An account has only members of type uint64_t. */
bool account_add(struct recorded_account *sum, const struct recorded_account *more)
{
	bool fits = true;
	uint64_t *to = &sum->attached_ns;
	const uint64_t *from = &more->attached_ns;
	_Static_assert(sizeof *sum == 21 * sizeof *to, "every member is a uint64_t");
	for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
		fits &= !__builtin_add_overflow(to[i], from[i], &to[i]);
	return fits;
}

struct recorded_account account_total(const struct recording *recording)
{
	struct recorded_account sum = {0};
	for (size_t i = 0; i < recording->thread_count; i++) {
		struct recorded_account own = account_of(recording, &recording->threads[i]);
		account_add(&sum, &own);
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

uint64_t account_measured_every(const struct recording *recording)
{
	uint64_t commits = account_total(recording).commits, measured = account_measured_commits(recording);
	return measured != 0 ? (commits + measured / 2) / measured : 0;
}

uint64_t account_sample_interval(const struct recording *recording)
{
	uint64_t every = account_measured_every(recording);
	return recording->info.sample_every > 1 || every == 0 ? recording->info.sample_every : every;
}

int64_t account_residual(const struct recorded_account *account)
{
	return (int64_t)(account->attached_ns - account->outside_ns - account->committed_ns - account->aborted_ns -
			 account->paused_ns - account->waiting_ns - account->other_ns - account->blocked_ns -
			 account->descheduled_ns - account->open_ns);
}

struct account_placeless account_placeless(const struct recording *recording, uint64_t ns)
{
	uint64_t evicted_ns = smaller_ns(estimate_whole(recording->evicted_estimated_ns), ns), waits_ns = 0;
	for (size_t i = 0; i < recording->thread_count; i++)
		waits_ns += recording->threads[i].estimated_waiting_none_ns;
	uint64_t no_entry_ns = ns - evicted_ns;
	if (recording_is_sampled(recording))
		no_entry_ns = smaller_ns(waits_ns, no_entry_ns);
	return (struct account_placeless){{
		[ACCOUNT_EVICTED] = {"in entries that had no room", evicted_ns},
		[ACCOUNT_NO_ENTRY] = {"in waits without an entry", no_entry_ns},
		[ACCOUNT_UNMEASURED] = {"not measured closely", ns - evicted_ns - no_entry_ns},
	}};
}

/* ---- shares, rounded by the method of the largest remainder ---- */

enum { WHOLE = 1000 };

/* The row that rounding down has cut most, of those not rounded up yet. */
static size_t max_cut(const double *rests)
{
	size_t max = 0;
	for (size_t i = 1; i < ACCOUNT_SHARES; i++)
		if (rests[i] > rests[max])
			max = i;
	return max;
}

/* At most WHOLE, so that times of a damaged file never make a NaN or a larger share. */
static double exact_share(uint64_t ns, uint64_t attached_ns)
{
	double share = attached_ns != 0 ? (double)ns / (double)attached_ns * WHOLE : 0;
	return share < WHOLE ? share : WHOLE;
}

struct account_shares account_shares_of(const struct account_parts *parts, uint64_t whole_ns)
{
	struct account_shares shares = {.tenths = {0}};
	double rests[ACCOUNT_SHARES], sum = 0;
	for (size_t i = 0; i < ACCOUNT_SHARES; i++) {
		double share = exact_share(parts->ns[i], whole_ns);
		shares.tenths[i] = (unsigned)share;
		rests[i] = share - shares.tenths[i];
		sum += rests[i];
	}
	for (unsigned left = (unsigned)(sum + 0.5); left > 0; left--) {
		size_t row = max_cut(rests);
		shares.tenths[row]++;
		rests[row] = -1;
	}
	return shares;
}

struct account_parts account_parts(const struct recording *recording)
{
	struct account_parts parts = {.ns = {[ACCOUNT_OPEN] = account_total(recording).open_ns}};
	memcpy(parts.ns, recording->row_ns, sizeof recording->row_ns);
	return parts;
}

uint64_t account_running_ns(const struct recording *recording)
{
	uint64_t attached_ns = account_total(recording).attached_ns;
	return attached_ns - smaller_ns(recording->row_ns[STMLOG_ACCOUNT_DESCHEDULED], attached_ns);
}

struct account_shares account_shares(const struct recording *recording)
{
	struct account_parts parts = account_parts(recording);
	return account_shares_of(&parts, account_total(recording).attached_ns);
}

unsigned account_lost_tenths(const struct account_shares *shares)
{
	unsigned sum = 0;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		sum += (TALLY_LOSSES & TALLY_ROW(row)) != 0 ? shares->tenths[row] : 0;
	return sum;
}
