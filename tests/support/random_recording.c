/* SPDX-License-Identifier: MIT */
#include "random_recording.h"

#include <stdio.h>
#include <string.h>

#include <stmlog/read.h>

enum { TRACEBACKS = 6, THREADS = 4, MAX_ENTRIES = 40, PAGE = 4096 };

/* What the parts of a recording share while it is made. */
struct draft {
	struct writer *writer;
	struct random *random;
	uint32_t tracebacks[TRACEBACKS];
	uint32_t sites[TRACEBACKS];
	uint64_t began_ns;
	struct stmlog_thread_record threads[THREADS]; /* ids from 1 */
	struct stmlog_total_record totals[STMLOG_REASONS][STMLOG_CONTENTIONS];
	struct stmlog_total_record evicted;
};

static uint32_t below(struct draft *draft, uint32_t limit)
{
	return random_below(draft->random, limit);
}

static void say(struct draft *draft, const char *key, uint64_t value)
{
	char line[64];
	snprintf(line, sizeof line, "%s=%llu", key, (unsigned long long)value);
	writer_info(draft->writer, line);
}

static void add_info(struct draft *draft)
{
	static const char *const sums[] = {
		"wall_ns", "probe_events", "probe_cost_ns", "misuses", "tracebacks_unavailable"};
	static const char *const texts[] = {"version=0.1.0", "runtime=libitm", "clock=monotonic"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		writer_info(draft->writer, texts[i]);
	writer_info(draft->writer, below(draft, 2) ? "program=/usr/bin/bank" : "program=/opt/bank");
	writer_info(draft->writer, "arg=bank");
	writer_info(draft->writer, below(draft, 4) ? "arg=--fast" : "arg=--slow");
	for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
		say(draft, sums[i], below(draft, 1000000));
	draft->began_ns = below(draft, 1000000);
	say(draft, "began_ns", draft->began_ns);
	say(draft, "unix_ns", 1700000000000000000 + below(draft, 5) * 1000000000ull);
	say(draft, "descheduled_known", 1);
}

/* One module with a build-id, one without; either may have been loaded anywhere, even where others have the other. */
static uint32_t add_module(struct draft *draft, bool has_id)
{
	uint64_t bias = 0x7f0000000000 + below(draft, 64) * (uint64_t)PAGE;
	struct stmlog_module_record module = {.start = bias + 0x1000,
		.end = bias + 0x9000,
		.bias = bias,
		.path = writer_string(
			draft->writer, has_id ? below(draft, 2) ? "/lib/a.so" : "/opt/a.so" : "/lib/b.so"),
		.build_id_len = has_id ? 4 : 0,
		.build_id = {has_id, 0, 2, 3}};
	return writer_module(draft->writer, &module);
}

static uint32_t add_site(struct draft *draft, uint32_t kind, uint32_t number, const uint32_t *modules)
{
	static const char *const functions[] = {"transfer", "audit", "deposit", ""};
	const struct stmlog_module_record *records =
		(const void *)draft->writer->sections[STMLOG_SECTION_MODULES].bytes;
	if (kind == STMLOG_SITE_ADDRESS) {
		uint64_t bias = records[modules[number % 2]].bias;
		return writer_address(draft->writer, modules[number % 2], bias + 0x1000 + 16 * number);
	}
	/* What has a name may lie anywhere. */
	uint64_t position = number % 4 != 3 ? below(draft, 8) : number;
	struct stmlog_site_record site = {.kind = kind,
		.module = STMLOG_NO_MODULE,
		.code = 1 + kind,
		.line = number,
		.position = position,
		.function = writer_string(draft->writer, functions[number % 4]),
		.file = writer_string(draft->writer, kind == STMLOG_SITE_PLACE ? "bank.c" : "")};
	return writer_site(draft->writer, &site);
}

static void add_tracebacks(struct draft *draft)
{
	uint32_t modules[2];
	bool is_first = below(draft, 2);
	modules[is_first ? 0 : 1] = add_module(draft, is_first);
	modules[is_first ? 1 : 0] = add_module(draft, !is_first);
	for (uint32_t i = 0; i < TRACEBACKS; i++) {
		uint32_t sites[3], len = 1 + below(draft, 4) / 3;
		for (uint32_t k = 0; k < len; k++)
			sites[k] = add_site(draft, below(draft, 3), below(draft, 4), modules);
		draft->sites[i] = sites[0];
		draft->tracebacks[i] = writer_traceback(draft->writer, sites, len, below(draft, 8) == 0);
	}
}

static uint32_t some_traceback(struct draft *draft)
{
	uint32_t number = below(draft, TRACEBACKS + 2);
	return number < 2 ? number : draft->tracebacks[number - 2];
}

/* To the accounts of a thread, and to the path that its transaction came by. */
static void charge(struct draft *draft, const struct stmlog_entry_record *entry)
{
	struct stmlog_thread_record *thread = &draft->threads[entry->local_thread - 1];
	struct stmlog_total_record *total = &draft->totals[entry->reason][entry->contention];
	struct stmlog_path_record path = {.traceback = entry->local};
	thread->attached_ns += entry->lost_ns;
	if (entry->reason == STMLOG_PAUSE) {
		path.pauses = entry->count;
		path.paused_ns = entry->lost_ns;
		thread->pauses += entry->count;
		thread->paused_ns += entry->lost_ns;
	} else {
		path.aborts = entry->count;
		path.aborted_ns = entry->lost_ns;
		bool is_data = entry->contention == STMLOG_DATA;
		*(is_data ? &thread->aborts_data : &thread->aborts[entry->contention]) += entry->count;
		*(is_data ? &thread->aborted_data_ns : &thread->aborted_ns[entry->contention]) += entry->lost_ns;
	}
	path.estimated_aborted_ns = (double)path.aborted_ns;
	path.estimated_paused_ns = (double)path.paused_ns;
	writer_path(draft->writer, &path);
	total->count += entry->count;
	total->lost_ns += entry->lost_ns;
}

static void add_object(struct draft *draft, struct stmlog_entry_record *entry)
{
	entry->objects[0].address = 0x404000 + 8 * below(draft, 4);
	entry->objects[0].count = entry->count;
	if (below(draft, 2))
		entry->object_names[0] = writer_string(draft->writer, "accounts");
}

static void add_entry(struct draft *draft, uint64_t lost_ns)
{
	static const uint32_t reasons[] = {STMLOG_SELF_ABORT, STMLOG_ABORTED_BY_OTHER, STMLOG_PAUSE};
	uint32_t count = 1 + below(draft, 30);
	struct stmlog_entry_record entry = {
		.reason = reasons[below(draft, 3)],
		.contention = below(draft, 3) == 0 ? STMLOG_DATA : below(draft, 2),
		.detail = writer_string(draft->writer, below(draft, 4) ? "LOCKED_READ" : ""),
		.grade = below(draft, STMLOG_GRADES),
		.local = some_traceback(draft),
		.remote = below(draft, 4) != 0 ? 0 : some_traceback(draft),
		.local_thread = 1 + below(draft, THREADS),
		.remote_thread = below(draft, THREADS + 1),
		.count = count,
		.lost_ns = lost_ns,
		.longest_ns = lost_ns / count + lost_ns % count,
		.shortest_ns = lost_ns / count,
		.first_ns = draft->began_ns + below(draft, 1000),
		.last_ns = draft->began_ns + 1000 + below(draft, 1000),
		.false_conflicts = below(draft, count + 1),
		.wasted = below(draft, count + 1),
		.certain = below(draft, count + 1),
	};
	entry.undecided = below(draft, (uint32_t)(count - entry.wasted) + 1);
	entry.wasted_ns = entry.wasted != 0 ? lost_ns / 2 : 0;
	entry.false_aliases = below(draft, (uint32_t)entry.false_conflicts + 1);
	add_object(draft, &entry);
	charge(draft, &entry);
	writer_entry(draft->writer, &entry);
}

/* As the library leaves them: highest first, and a key twice is no harm. */
static void add_entries(struct draft *draft)
{
	uint64_t lost_ns = 1000000, wasted = 0, wasted_ns = 0, undecided = 0;
	for (uint32_t left = below(draft, MAX_ENTRIES); left > 0; left--) {
		lost_ns -= below(draft, 10000);
		add_entry(draft, lost_ns);
	}
	const struct writer_blob *blob = &draft->writer->sections[STMLOG_SECTION_ENTRIES];
	const struct stmlog_entry_record *entries = (const void *)blob->bytes;
	for (size_t i = 0; i < blob->len / sizeof *entries; i++) {
		wasted += entries[i].wasted;
		wasted_ns += entries[i].wasted_ns;
		undecided += entries[i].undecided;
	}
	say(draft, "wasted_aborts", wasted);
	say(draft, "wasted_ns", wasted_ns);
	say(draft, "undecided_aborts", undecided);
}

/* Pauses that were evicted, of the first thread. */
static void add_evicted(struct draft *draft)
{
	struct stmlog_entry_record evicted = {.reason = STMLOG_PAUSE,
		.contention = STMLOG_NONE,
		.local_thread = 1,
		.count = 1 + below(draft, 5),
		.lost_ns = below(draft, 1000)};
	charge(draft, &evicted);
	draft->evicted.count = evicted.count;
	draft->evicted.lost_ns = evicted.lost_ns;
}

static void add_commits(struct draft *draft, struct stmlog_thread_record *thread)
{
	uint32_t commits = below(draft, 20), attempts = below(draft, STMLOG_ATTEMPT_BUCKETS);
	struct stmlog_path_record path = {.traceback = some_traceback(draft),
		.commits = commits,
		.committed_ns = 100 * (uint64_t)commits,
		.estimated_committed_ns = 100.0 * commits};
	struct stmlog_transaction_record transaction = {.commits = commits,
		.attempts = 3 * (uint64_t)commits,
		.lost_ns = below(draft, 1000),
		.max_attempts = below(draft, 9),
		.longest_ns = below(draft, 1000),
		.committed_ns = path.committed_ns,
		.reads = below(draft, 1000),
		.reads_known = below(draft, commits + 1),
		.estimated_committed_ns = path.estimated_committed_ns,
		.estimated_commits = 2.0 * commits};
	uint32_t site = below(draft, TRACEBACKS + 1);
	transaction.site = site < TRACEBACKS ? draft->sites[site] : STMLOG_NO_SITE;
	transaction.by_attempts[attempts] = transaction.by_lost_ns[attempts] = commits;
	thread->commits += commits;
	thread->committed_ns += path.committed_ns;
	thread->attached_ns += path.committed_ns;
	writer_path(draft->writer, &path);
	writer_transaction(draft->writer, &transaction);
}

/* At one site; for half as long again without a thread. */
static void add_blocked(struct draft *draft, struct stmlog_thread_record *thread)
{
	uint32_t count = below(draft, 9), site = below(draft, TRACEBACKS + 1);
	thread->blocked = count;
	thread->blocked_in_vain = below(draft, count + 1);
	thread->blocked_ns = 200 * (uint64_t)count;
	thread->estimated_blocked_ns = thread->blocked_ns;
	thread->attached_ns += thread->blocked_ns;
	thread->blocked_unattached = count;
	thread->blocked_unattached_ns = 100 * (uint64_t)count;
	struct stmlog_blocked_record blocked = {
		.site = site < TRACEBACKS ? draft->sites[site] : STMLOG_NO_SITE,
		.count = 2 * (uint64_t)count,
		.in_vain = thread->blocked_in_vain,
		.blocked_ns = 300 * (uint64_t)count,
		.longest_ns = below(draft, 300),
		.estimated_ns = 300.0 * count,
		.for_ever = below(draft, 3),
	};
	/* The same in all recordings: a record has room for few. */
	static const char *const wakers[] = {"publish", "release"};
	for (size_t i = 0; i < 2; i++) {
		blocked.wakers[i].site = writer_place(draft->writer, wakers[i], "wakers.c", 1);
		blocked.wakers[i].count = 1 + below(draft, 5);
		blocked.wakes_known += blocked.wakers[i].count + i;
	}
	if (count != 0)
		writer_blocked(draft->writer, &blocked);
}

static void add_threads(struct draft *draft)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		struct stmlog_thread_record *thread = &draft->threads[i];
		thread->id = i + 1;
		thread->name = writer_string(draft->writer, below(draft, 3) ? "worker" : "main");
		thread->flags = below(draft, 4) ? STMLOG_THREAD_ENDED : 0;
		thread->attached_at_ns = draft->began_ns + below(draft, 100);
		thread->outside_ns = below(draft, 1000);
		thread->attached_ns += thread->outside_ns;
		add_commits(draft, thread);
		add_blocked(draft, thread);
		writer_thread(draft->writer, thread);
	}
}

static void add_totals(struct draft *draft)
{
	for (uint32_t reason = 0; reason < STMLOG_REASONS; reason++)
		for (uint32_t contention = 0; contention < STMLOG_CONTENTIONS; contention++) {
			const struct stmlog_total_record *total = &draft->totals[reason][contention];
			if (total->count != 0)
				writer_total(draft->writer, reason, contention, total->count, total->lost_ns);
		}
	writer_total(draft->writer, UINT32_MAX, UINT32_MAX, draft->evicted.count, draft->evicted.lost_ns);
}

void random_recording(struct writer *writer, struct random *random)
{
	struct draft draft = {.writer = writer, .random = random};
	writer_init(writer);
	add_info(&draft);
	add_tracebacks(&draft);
	add_entries(&draft);
	add_evicted(&draft);
	add_threads(&draft);
	add_totals(&draft);
}
