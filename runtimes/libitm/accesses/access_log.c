/* SPDX-License-Identifier: MIT
 * Notes the calls of a thread that logs, and publishes the records of whole transactions. */
#include "access_log.h"

#include <string.h>

#include <stmlog/agent.h>

#include "bursts.h"
#include "pages.h"
#include "preemption.h"
#include "requires.h"
#include "wait.h"
#include "windows.h"

_Static_assert(offsetof(struct itm_access_log, returned) == ITM_LOG_RETURNED, "asm_shared.h");

/* A thread has logged enough in a window when it has ENOUGH_RECORDS, or has logged for ENOUGH_NS, rounded up to whole
 * transactions. */
#define ENOUGH_RECORDS (ITM_ACCESS_RECORDS / 8)
#define ENOUGH_NS UINT64_C(1000000)

/* At the beginning of a window at most SKIPPED_RECORDS are left out, and only for SKIPPED_NS. */
#define SKIPPED_RECORDS (ENOUGH_RECORDS / 2)
#define SKIPPED_NS (ENOUGH_NS / 2)

/* A data barrier's arguments may be in vector registers: functions that its hook calls leave these alone. */
#define NO_VECTORS __attribute__((target("general-regs-only")))

/* ---- the rows of barriers.def ---- */

enum {
	READ_NOT = 0,
	READ_PLAIN = STMLOG_ACCESS_READ,
	READ_AFTER_READ = STMLOG_ACCESS_READ_AFTER_READ,
	READ_AFTER_WRITE = STMLOG_ACCESS_READ_AFTER_WRITE,
	READ_FOR_WRITE = STMLOG_ACCESS_READ_FOR_WRITE,
	WRITE_NOT = 0,
	WRITE_PLAIN = STMLOG_ACCESS_WRITE,
	WRITE_AFTER_READ = STMLOG_ACCESS_WRITE_AFTER_READ,
	WRITE_AFTER_WRITE = STMLOG_ACCESS_WRITE_AFTER_WRITE
};

/* reads, writes: the kind of record; 0: the barrier does not read, or write. */
static const struct row {
	uint16_t reads, writes, size;
} rows[] = {
#define BARRIER(kind, leaves, address, size, reads, writes, name) {READ_##reads, WRITE_##writes, size},
#include "barriers.def"
#undef BARRIER
};

/* ---- threads' logs ---- */

/* A log is published by storing its address in `made`. Logs stay as long as the process. */
static struct {
	volatile AO_t claimed; /* elements of `made`; more than there are if threads claim the last one at once */
	volatile AO_t made[STMLOG_ACCESS_STREAMS];
	volatile AO_t stamp_ticks; /* ticks that reading a time stamp adds to a gap; 0: not known yet */
} logs;

static struct itm_access_log *made(size_t number)
{
	return (struct itm_access_log *)AO_load_acquire(&logs.made[number]);
}

/* Each log is a stream of the library's, which has the thread's number. So no thread gets the log of one that has
 * ended, and the threads that come after the first STMLOG_ACCESS_STREAMS have none. */
static struct itm_access_log *make_log(struct itm_thread *self)
{
	AO_t number = AO_load(&logs.claimed);
	if (number < STMLOG_ACCESS_STREAMS)
		number = AO_fetch_and_add1(&logs.claimed);
	if (number >= STMLOG_ACCESS_STREAMS)
		return NULL;
	struct itm_access_log *log = native_pages(sizeof *log);
	if (log == NULL || !stmlog_accesses_share(stmlog_thread_id(self->thread), log->records, &log->len))
		return NULL;
	AO_store_release(&logs.made[number], (AO_t)log);
	return log;
}

NO_VECTORS static inline uint64_t read_stamp(void)
{
	uint32_t low, high;
	if (native_has_no_clock())
		return 0;
	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return low | (uint64_t)high << 32;
}

/* Measures the mean of many readings, since the counter may advance in steps. */
static void measure_stamp(void)
{
	enum { STAMPS = 256 };
	uint64_t from = read_stamp(), last = from;
	for (int i = 0; i < STAMPS; i++)
		last = read_stamp();
	AO_store(&logs.stamp_ticks, (last - from) / STAMPS);
}

/* ---- records ---- */

/* Gaps are in ticks until the transaction is over. */
NO_VECTORS static inline void put(
	struct itm_access_log *log, uint16_t kind, uintptr_t address, size_t size, uint64_t gap)
{
	uint32_t ticks = gap < UINT32_MAX ? (uint32_t)gap : UINT32_MAX;
	if (log->next >= ITM_ACCESS_RECORDS) {
		log->is_full = true;
		return;
	}
	struct stmlog_access_record *record = &log->records[log->next++];
	record->address = address;
	record->kind = kind;
	record->size = (uint16_t)(size < UINT16_MAX ? size : UINT16_MAX);
	memcpy(&record->gap_ns, &ticks, sizeof ticks);
}

NO_VECTORS static inline uint64_t gap_until(const struct itm_access_log *log, uint64_t now)
{
	uint64_t gap = now - log->returned, own = AO_load(&logs.stamp_ticks);
	return gap > own ? gap - own : 0;
}

/* Failed attempts of the transaction under way, as begin.S or the hook of begin counts them. */
NO_VECTORS static inline uint64_t failures_of(const struct itm_thread *self)
{
	return self->watch.failed + self->failures;
}

/* The gap before an access. If an attempt has failed since the last access, its records are dropped; the program's own
 * time before the next attempt's first access is taken from the first attempt. */
NO_VECTORS static inline uint64_t gap_of_access(struct itm_thread *self, struct itm_access_log *log, uint64_t now)
{
	uint64_t gap = gap_until(log, now), failures = failures_of(self);
	if (!log->has_begun) {
		log->has_begun = true;
		log->first_gap = gap;
		log->failures = failures;
	} else if (failures != log->failures) {
		log->failures = failures;
		log->next = log->len + 1;
		gap = log->first_gap;
	}
	return gap;
}

/* The log of the transaction under way; NULL: it is not logged, since it began before the window, or the window is over
 * and some of its calls were not noted. */
NO_VECTORS static inline struct itm_access_log *log_of(struct itm_thread *self)
{
	struct itm_access_log *log = self->current_log;
	if (log != NULL && log->window == AO_load(&itm_windows.open))
		return log;
	return self->current_log = NULL;
}

NO_VECTORS void itm_log_access(uintptr_t first, uintptr_t second, size_t len, uint32_t number)
{
	uint64_t now = read_stamp();
	struct itm_thread *self = &itm_self;
	struct itm_access_log *log = log_of(self);
	const struct row *row = &rows[number];
	size_t size = row->size == ITM_SIZE_ARGUMENT ? len : row->size;
	if (log == NULL)
		return;
	uint64_t gap = gap_of_access(self, log, now);
	if (row->reads != 0) {
		put(log, row->reads, row->size == ITM_SIZE_ARGUMENT ? second : first, size, gap);
		gap = 0;
	}
	if (row->writes != 0)
		put(log, row->writes, first, size, gap);
}

/* ---- begin ---- */

/* How many of the first records to leave out: hashed, so that it follows no rhythm of the program. */
static size_t some_records(uint64_t window, uint64_t now)
{
	uint64_t hash = (window ^ now) * UINT64_C(0x9e3779b97f4a7c15);
	return (hash >> 32) % SKIPPED_RECORDS;
}

/* Whether the thread logs in the window. */
static bool joins(struct itm_thread *self, uint64_t window)
{
	if (self->log == NULL && self->thread != NULL)
		self->log = make_log(self);
	if (self->log == NULL)
		return false;
	if (self->log->window == window)
		return !self->log->has_enough;
	if (self->log->is_full || self->log->len + self->log->largest > ITM_ACCESS_RECORDS)
		return false;
	if (AO_load(&logs.stamp_ticks) == 0)
		measure_stamp();
	self->log->window = window;
	self->log->has_enough = false;
	self->log->started = self->log->len;
	self->log->joined = read_stamp();
	self->log->skipped = some_records(window, self->log->joined);
	self->log->returned = 0;
	AO_fetch_and_add1(&itm_windows.logging);
	return true;
}

/* Called between two transactions. If the window has waited only for this thread, the window ends. */
static void leave_if_enough(struct itm_access_log *log, uint64_t ticks)
{
	size_t len = log->len - log->started;
	if (!log->is_full && len < ENOUGH_RECORDS && (len == 0 || itm_ticks_to_ns(ticks) < ENOUGH_NS))
		return;
	log->has_enough = true;
	AO_fetch_and_sub1(&itm_windows.logging);
	itm_bursts_look(stmlog_now_ns(), false);
}

/* The program's own time before this transaction. UINT32_MAX: not known, because the transaction before is not in the
 * stream, or because the thread was preempted, whose time off the processor is not the program's own. */
static uint64_t outside_ticks(const struct itm_thread *self, const struct itm_access_log *log, uint64_t now)
{
	return log->returned == 0 || log->is_dropped || itm_was_preempted(self) ? UINT32_MAX : gap_until(log, now);
}

void itm_log_begin(uint32_t properties, uintptr_t site)
{
	struct itm_thread *self = &itm_self;
	uint64_t now = read_stamp(), window = AO_load(&itm_windows.open);
	if (self->depth > 0 || self->has_no_clock)
		return;
	if (log_of(self) != NULL)
		leave_if_enough(self->current_log, now - self->current_log->joined);
	self->current_log = NULL;
	if (window == 0 || !joins(self, window))
		return;
	struct itm_access_log *log = self->log;
	log->next = log->len;
	log->has_begun = false;
	put(log, STMLOG_ACCESS_BEGIN, site, properties & UINT16_MAX, outside_ticks(self, log, now));
	self->current_log = log;
	log->returned = read_stamp();
}

/* ---- what ends a transaction ---- */

static float gap_ns(const struct stmlog_access_record *record)
{
	uint32_t ticks;
	memcpy(&ticks, &record->gap_ns, sizeof ticks);
	if (ticks == UINT32_MAX)
		return record->kind == STMLOG_ACCESS_BEGIN ? -1 : (float)itm_ticks_to_ns_cached(ticks);
	return (float)itm_ticks_to_ns_cached((uint64_t)ticks * 16) / 16;
}

/* Whether the transaction is one of the first, which are left out. */
static bool skips(struct itm_access_log *log)
{
	size_t records = log->next - log->len;
	if (log->skipped == 0)
		return false;
	bool is_last = records >= log->skipped || itm_ticks_to_ns(log->returned - log->joined) > SKIPPED_NS;
	log->skipped = is_last ? 0 : log->skipped - records;
	return true;
}

/* Makes the records of the transaction visible to other threads; or drops them, if there was no room for all of them,
 * or if the thread was interrupted. Requires that the records are those of a transaction, which begin at `len`. */
static void publish(struct itm_access_log *log)
{
	REQUIRES(log->len <= log->next && log->next <= ITM_ACCESS_RECORDS);
	log->is_dropped |= skips(log);
	if (!log->is_full && !log->is_dropped) {
		(void)itm_ticks_to_ns(0); /* renews the ratio of ticks and time */
		for (size_t i = log->len; i < log->next; i++)
			log->records[i].gap_ns = gap_ns(&log->records[i]);
		if (log->len == log->started) /* the first transaction in the window has the window's number */
			log->records[log->len].gap_ns = -1 - (float)log->window;
		if (log->next - log->started > log->largest)
			log->largest = log->next - log->started;
		__atomic_store_n(&log->len, log->next, __ATOMIC_RELEASE); /* partner: the library's output */
	}
	log->next = log->len;
}

void itm_log_commit(void)
{
	uint64_t now = read_stamp();
	struct itm_thread *self = &itm_self;
	struct itm_access_log *log = log_of(self);
	if (log == NULL || self->depth > 1)
		return;
	uint64_t gap = gap_of_access(self, log, now);
	log->is_dropped = itm_was_preempted(self);
	put(log, STMLOG_ACCESS_COMMIT, 0, 0, gap);
}

void itm_log_committed(void)
{
	struct itm_thread *self = &itm_self;
	if (self->current_log != NULL && self->depth == 0)
		publish(self->current_log);
}

void itm_log_alone(struct itm_thread *self)
{
	uint64_t now = read_stamp();
	struct itm_access_log *log = log_of(self);
	if (log != NULL)
		put(log, STMLOG_ACCESS_ALONE, 0, 0, gap_of_access(self, log, now));
}

void itm_log_is_alone(struct itm_thread *self)
{
	if (self->current_log != NULL)
		self->current_log->returned = read_stamp();
}

/* As if libitm had not been called: the time before the call belongs to that before the next access. */
void itm_log_is_not_alone(struct itm_thread *self)
{
	struct itm_access_log *log = self->current_log;
	uint32_t ticks;
	if (log == NULL || log->next <= log->len + 1 || log->records[log->next - 1].kind != STMLOG_ACCESS_ALONE)
		return;
	memcpy(&ticks, &log->records[--log->next].gap_ns, sizeof ticks);
	log->has_begun = log->next > log->len + 1;
	log->returned = read_stamp() - ticks;
}

void itm_log_cancel(struct itm_thread *self)
{
	uint64_t now = read_stamp();
	struct itm_access_log *log = log_of(self);
	if (log == NULL)
		return;
	uint64_t gap = gap_of_access(self, log, now);
	log->is_dropped = itm_was_preempted(self);
	put(log, STMLOG_ACCESS_CANCEL, 0, 0, gap);
	publish(log);
	log->returned = read_stamp();
}

/* ---- threads and processes ---- */

void itm_log_leave(struct itm_thread *self)
{
	if (self->log != NULL && self->log->window == AO_load(&itm_windows.open) && !self->log->has_enough)
		AO_fetch_and_sub1(&itm_windows.logging);
	self->current_log = NULL;
	self->log = NULL;
}

void itm_log_after_fork(void)
{
	itm_self.current_log = NULL;
	itm_self.log = NULL;
	AO_store(&logs.claimed, 0);
	for (size_t i = 0; i < STMLOG_ACCESS_STREAMS; i++) {
		if (made(i) != NULL)
			native_pages_free(made(i), sizeof(struct itm_access_log));
		AO_store(&logs.made[i], 0);
	}
	itm_windows_forget();
}
