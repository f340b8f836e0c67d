/* SPDX-License-Identifier: MIT
 * Adds transactions to the rows of their sites, and reads the rows. */
#include "tries.h"

#include <errno.h>
#include <string.h>

#include "account.h"
#include "index.h"
#include "mem.h"

/* The sizes of a thread's first piece of memory, and of each further one. */
enum { FIRST_PIECE = 4096, FURTHER_PIECE = 4 * FIRST_PIECE };

struct tries_piece {
	_Alignas(64) struct tries_piece *next;
	size_t size;
};

/* Release; partner: the barriers in read_row(). */
static void add_to(volatile AO_t *word, AO_t more)
{
	AO_store_release(word, AO_load(word) + more);
}

static void raise_to(volatile AO_t *word, AO_t min)
{
	if (AO_load(word) < min)
		AO_store_release(word, min);
}

static bool add_piece(struct tries *tries, size_t size)
{
	int saved = errno;
	struct tries_piece *piece = mem_alloc(size);
	errno = saved;
	if (piece == NULL)
		return false;
	*piece = (struct tries_piece){tries->pieces, size};
	tries->pieces = piece;
	tries->left = size - sizeof *piece;
	return true;
}

void tries_reserve(struct tries *tries)
{
	if (tries->pieces == NULL)
		add_piece(tries, FIRST_PIECE);
}

/* Returns zeroed memory, a multiple of 8 bytes; NULL: there is none. */
static void *allocate(struct tries *tries, size_t size)
{
	if (tries->left < size && !add_piece(tries, tries->pieces == NULL ? FIRST_PIECE : FURTHER_PIECE))
		return NULL;
	tries->left -= size;
	return (char *)tries->pieces + tries->pieces->size - tries->left - size;
}

static struct tries_row *add_row(struct tries *tries, struct tries_row **chain, struct tb_site site)
{
	struct tries_row *row = tries->len < TRIES_MAX ? allocate(tries, sizeof *row) : NULL;
	if (row == NULL)
		return &tries->others;
	AO_store(&row->code, site.code);
	AO_store(&row->position, site.position);
	row->older = *chain;
	*chain = row;
	AO_store_release(tries->newest != NULL ? &tries->newest->newer : &tries->first, (AO_t)row);
	tries->newest = row;
	tries->len++;
	return row;
}

static struct tries_row *tries_row_of(struct tries *tries, struct tb_site site)
{
	struct tries_row **chain = &tries->chains[(site_hash(site) >> 32) % TRIES_CHAINS];
	if (site.position == 0)
		return &tries->others;
	for (struct tries_row *row = *chain; row != NULL; row = row->older)
		if (tries_row_is_of(row, site))
			return row;
	return add_row(tries, chain, site);
}

/* Returns the row's bucket. NULL: there is no memory for it, and the row is not `others`. */
static volatile AO_t *bucket_of(struct tries *tries, struct tries_row *row, size_t bucket)
{
	size_t number = bucket / TRIES_PART;
	volatile AO_t *part = (volatile AO_t *)AO_load(&row->parts[number]);
	if (part == NULL) {
		part = row == &tries->others ? tries->others_parts[number] : allocate(tries, TRIES_PART * sizeof *part);
		AO_store_release(&row->parts[number], (AO_t)part); /* partner: tries_copy() */
	}
	return part != NULL ? &part[bucket % TRIES_PART] : NULL;
}

static void buckets_add(struct tries *tries, struct tries_row *row, uint64_t attempts, uint64_t lost_ns)
{
	size_t by_attempts = tries_bucket(attempts, STMLOG_ATTEMPT_BUCKETS);
	size_t by_lost_ns = STMLOG_ATTEMPT_BUCKETS + tries_bucket(lost_ns, STMLOG_LOST_BUCKETS);
	if (bucket_of(tries, row, by_attempts) == NULL || bucket_of(tries, row, by_lost_ns) == NULL)
		row = &tries->others;
	add_to(&row->attempts, attempts);
	add_to(&row->lost_ns, lost_ns);
	raise_to(&row->max_attempts, attempts);
	raise_to(&row->longest_ns, lost_ns);
	add_to(bucket_of(tries, row, by_attempts), 1);
	add_to(bucket_of(tries, row, by_lost_ns), 1);
}

/* Returns the row of the site, which is most often the row of the last transaction. */
static inline struct tries_row *tries_find(struct tries *tries, struct tb_site site)
{
	if (tries->last != NULL && tries_row_is_of(tries->last, site))
		return tries->last;
	struct tries_row *row = tries_row_of(tries, site);
	if (row != &tries->others)
		tries->last = row;
	return row;
}

void tries_add_on(struct tries *tries, struct tb_site site, uint64_t attempts, uint64_t lost_ns, uint64_t committed_ns)
{
	struct tries_row *row = tries_find(tries, site);
	add_to(&row->committed_ns, committed_ns);
	if (attempts == 1 && lost_ns == 0)
		add_to(&row->clean, 1);
	else
		buckets_add(tries, row, attempts, lost_ns);
}

void tries_add_like_committed(struct tries *tries, struct tb_site site, uint32_t extra, uint64_t committed_ns)
{
	struct tries_row *row = tries_find(tries, site);
	account_add_saturated(&row->surplus_committed_ns, saturated_product(committed_ns, extra));
	add_to(&row->surplus_commits, extra);
}

void tries_add_reads(struct tries *tries, struct tb_site site, uint64_t reads)
{
	struct tries_row *row = tries_find(tries, site);
	account_add_saturated(&row->reads, reads);
	add_to(&row->reads_known, 1);
}

void tries_add_timed(struct tries *tries, const struct stmlog_timed_transaction *timed)
{
	double weight = timed->weight;
	const uint64_t lost_ns[TRIES_LOST] = {[TRIES_ABORTED] = timed->aborted_ns,
		[TRIES_PAUSED] = timed->paused_ns,
		[TRIES_WAITING] = timed->waiting_ns};
	struct tries_row *row = tries_find(tries, timed->site);
	account_add_double(&row->timed_committed_ns, weight * (double)timed->committed_ns);
	if (timed->has_committed)
		account_add_double(&row->timed_commits, weight);
	for (int i = 0; i < TRIES_LOST; i++) {
		double ns = (double)lost_ns[i];
		if (lost_ns[i] == 0)
			continue;
		add_to(&row->lost[i].timed, 1);
		account_add_double(&row->lost[i].timed_ns, weight * ns);
		account_add_double(&row->lost[i].square_ns2, weight * (weight - 1) * ns * ns);
	}
}

void tries_add_loss_on(
	struct tries *tries, struct tb_site site, enum tries_lost_row lost, uint32_t extra, uint64_t lost_ns)
{
	struct tries_row *row = tries_find(tries, site);
	if (extra == 0)
		add_to(&row->lost[lost].exact_ns, lost_ns);
	else
		account_add_double(&row->lost[lost].close_ns, (1.0 + extra) * (double)lost_ns);
}

void tries_add_like(
	struct tries *tries, struct tb_site site, enum tries_lost_row lost, uint64_t others, uint64_t lost_ns)
{
	account_add_double(&tries_find(tries, site)->lost[lost].close_ns, (double)others * (double)lost_ns);
}

void tries_add_blocked(struct tries *tries, struct tb_site site, uint32_t extra, uint64_t ns)
{
	struct tries_row *row = tries_find(tries, site);
	add_to(&row->blocked.count, 1);
	account_add_saturated(&row->blocked.ns, ns);
	account_add_saturated(&row->blocked.surplus_ns, saturated_product(ns, extra));
	raise_to(&row->blocked.longest_ns, ns);
}

void tries_add_futile_wake(struct tries *tries, struct tb_site site)
{
	add_to(&tries_find(tries, site)->blocked.in_vain, 1);
}

void tries_add_for_ever(struct tries *tries, struct tb_site site)
{
	add_to(&tries_find(tries, site)->blocked.for_ever, 1);
}

/* Returns the memory for the row's wakes; NULL: there is none. */
static struct tries_wakes *wakes_of(struct tries *tries, struct tries_row *row)
{
	struct tries_wakes *wakes = (struct tries_wakes *)AO_load(&row->wakes);
	if (wakes == NULL) {
		wakes = allocate(tries, sizeof *wakes);
		AO_store_release(&row->wakes, (AO_t)wakes); /* partner: read_wakes() */
	}
	return wakes;
}

/* Wakes by transactions of further sites are only counted. */
void tries_add_wake(struct tries *tries, struct tb_site site, struct tb_site waker)
{
	struct tries_wakes *wakes = waker.position != 0 ? wakes_of(tries, tries_find(tries, site)) : NULL;
	if (wakes == NULL)
		return;
	add_to(&wakes->known, 1);
	for (size_t i = 0; i < STMLOG_WAKERS; i++) {
		if (AO_load(&wakes->by[i].count) == 0) {
			AO_store(&wakes->by[i].code, waker.code);
			AO_store(&wakes->by[i].position, waker.position);
		} else if (AO_load(&wakes->by[i].code) != waker.code ||
			   AO_load(&wakes->by[i].position) != waker.position) {
			continue;
		}
		add_to(&wakes->by[i].count, 1); /* partner: read_wakes() */
		return;
	}
}

void tries_clear(struct tries *tries)
{
	struct tries_piece *next;
	for (struct tries_piece *piece = tries->pieces; piece != NULL; piece = next) {
		next = piece->next;
		mem_free(piece, piece->size);
	}
	memset(tries, 0, sizeof *tries);
}

/* ---- reading ---- */

/* Copies the buckets from `first` on, and returns their sum. */
static uint64_t tries_copy(const struct tries_row *row, size_t first, uint64_t *to, size_t len)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < len; i++) {
		/* Acquire; partner: bucket_of(). */
		const volatile AO_t *part =
			(const volatile AO_t *)AO_load_acquire(&row->parts[(first + i) / TRIES_PART]);
		sum += to[i] = part != NULL ? AO_load(&part[(first + i) % TRIES_PART]) : 0;
	}
	return sum;
}

static void read_record(const struct tries_row *row, struct stmlog_transaction_record *record)
{
	record->reads_known = AO_load_acquire(&row->reads_known); /* partner: add_to() */
	record->reads = AO_load(&row->reads);
	uint64_t clean = AO_load(&row->clean);
	uint64_t by_lost = tries_copy(row, STMLOG_ATTEMPT_BUCKETS, record->by_lost_ns, STMLOG_LOST_BUCKETS) + clean;
	AO_nop_read(); /* partner: add_to() */
	record->commits = tries_copy(row, 0, record->by_attempts, STMLOG_ATTEMPT_BUCKETS) + clean;
	AO_nop_read();
	record->longest_ns = AO_load(&row->longest_ns);
	record->max_attempts = AO_load(&row->max_attempts);
	record->lost_ns = AO_load(&row->lost_ns);
	record->attempts = AO_load(&row->attempts) + clean;
	record->committed_ns = AO_load(&row->committed_ns);
	record->estimated_committed_ns = (double)record->committed_ns + (double)AO_load(&row->surplus_committed_ns);
	record->estimated_commits = (double)record->commits + (double)AO_load(&row->surplus_commits);
	if (record->max_attempts == 0)
		record->max_attempts = clean > 0;
	record->by_attempts[1] += clean;
	record->by_lost_ns[0] +=
		clean + (record->commits - by_lost); /* the difference: a transaction that is being added */
}

/* Reads the losses of a row. Returns whether there were any. */
static bool read_lost(const struct tries_row *row, struct tries_lost *lost)
{
	double sum_ns = 0;
	for (int i = 0; i < TRIES_LOST; i++) {
		double exact_ns = (double)AO_load(&row->lost[i].exact_ns);
		lost[i] = (struct tries_lost){
			.timed = AO_load(&row->lost[i].timed),
			.timed_ns = account_double(&row->lost[i].timed_ns) + exact_ns,
			.square_ns2 = account_double(&row->lost[i].square_ns2),
			.close_ns = account_double(&row->lost[i].close_ns) + exact_ns,
		};
		sum_ns += lost[i].timed_ns + lost[i].close_ns;
	}
	return sum_ns > 0;
}

static void read_blocked(const struct tries_row *row, struct stmlog_blocked_record *blocked)
{
	uint64_t in_vain = AO_load_acquire(&row->blocked.in_vain); /* partner: add_to() */
	*blocked = (struct stmlog_blocked_record){
		.in_vain = in_vain,
		.count = AO_load(&row->blocked.count),
		.blocked_ns = AO_load(&row->blocked.ns),
		.longest_ns = AO_load(&row->blocked.longest_ns),
		.for_ever = AO_load(&row->blocked.for_ever),
	};
	blocked->estimated_ns = (double)blocked->blocked_ns + (double)AO_load(&row->blocked.surplus_ns);
}

static void read_wakes(const struct tries_row *row, struct tries_site *found)
{
	/* Acquire; partner: wakes_of(). */
	const struct tries_wakes *wakes = (const struct tries_wakes *)AO_load_acquire(&row->wakes);
	for (size_t i = 0; i < STMLOG_WAKERS && wakes != NULL; i++) {
		found->blocked.wakers[i].count = AO_load_acquire(&wakes->by[i].count); /* partner: add_to() */
		found->wakers[i] = tb_site_make(AO_load(&wakes->by[i].code), AO_load(&wakes->by[i].position));
	}
	found->blocked.wakes_known = wakes != NULL ? AO_load(&wakes->known) : 0;
}

static void read_row(const struct tries_row *row, struct tb_site site,
	void (*each)(const struct tries_site *site, void *arg), void *arg)
{
	struct tries_site found = {.site = site};
	read_record(row, &found.record);
	read_blocked(row, &found.blocked);
	read_wakes(row, &found);
	found.timed_committed_ns = account_double(&row->timed_committed_ns);
	found.timed_commits = account_double(&row->timed_commits);
	bool has_committed = found.record.commits != 0 || found.timed_committed_ns > 0;
	bool has_slept = (found.blocked.count | found.blocked.wakes_known | found.blocked.for_ever) != 0;
	if (read_lost(row, found.lost) || has_committed || has_slept)
		each(&found, arg);
}

void tries_each(const struct tries *tries, void (*each)(const struct tries_site *site, void *arg), void *arg)
{
	/* Both acquire; partner: add_row() */
	const struct tries_row *row = (const struct tries_row *)AO_load_acquire(&tries->first);
	for (; row != NULL; row = (const struct tries_row *)AO_load_acquire(&row->newer))
		read_row(row, tb_site_make(AO_load(&row->code), AO_load(&row->position)), each, arg);
	read_row(&tries->others, tb_site_make(0, 0), each, arg);
}
