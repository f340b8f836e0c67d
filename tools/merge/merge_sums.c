/* SPDX-License-Identifier: MIT
 * Adds up totals by cause, threads by number, green threads by label or number, the runtime's own work by word,
 * paths by traceback, transactions and time blocked by site, and processes by program. */
#include <string.h>

#include "memory.h"
#include "merge_parts.h"
#include "record_sums.h"
#include "report.h"

/* The number of the program, and how many of its processes were before: in this recording, or in all of the run. */
struct process_key {
	uint32_t program, before;
};

/* ---- processes ----
 * In a merge of one run each has a record of its own, its threads keep theirs, and what was under way stays known. In a
 * merge of runs the n-th processes of a program are added up, as threads of the same number are. */

uint32_t merge_thread_number(const struct merge_map *map, uint32_t id)
{
	if (!map->merge->info.is_one_run || id == 0)
		return id;
	return recording_thread(map->recording, id) != NULL ? map->merge->threads_before + id : 0;
}

void merge_open(struct merge_map *map)
{
	struct keyed *all = &map->merge->open;
	for (size_t i = 0; i < map->recording->open_count && map->merge->info.is_one_run; i++) {
		struct stmlog_open_record open = map->recording->open[i];
		size_t number = keyed_count(all);
		bool is_new;
		open.thread = merge_thread_number(map, open.thread);
		open.other_thread = merge_thread_number(map, open.other_thread);
		open.site = merge_site(map, open.site);
		open.other_site = merge_site(map, open.other_site);
		memcpy(keyed_find(all, &number, sizeof number, &is_new), &open, sizeof open);
	}
}

static struct process_key key_of(struct merge *merge, const char *name)
{
	bool is_new;
	struct merge_program *program = keyed_find(&merge->programs, name, strlen(name) + 1, &is_new);
	if (!merge->info.is_one_run && program->recording != merge->recordings)
		*program = (struct merge_program){.recording = merge->recordings};
	uint32_t number = (uint32_t)(program - (struct merge_program *)merge->programs.records);
	return (struct process_key){number, program->processes++};
}

#define PROCESS_SUMS offsetof(struct stmlog_process_record, attached_ns)
enum { PROCESS_NUMBERS = (sizeof(struct stmlog_process_record) - PROCESS_SUMS) / sizeof(uint64_t) };

static void merge_process(struct merge *merge, const struct process *process)
{
	const struct stmlog_process_record *from = &process->record;
	struct process_key key = key_of(merge, process->program);
	bool is_new;
	struct stmlog_process_record *sum = keyed_find(&merge->processes, &key, sizeof key, &is_new);
	if (is_new)
		sum->pid = from->pid;
	sum->program = key.program;
	sum->pid = sum->pid == from->pid ? sum->pid : 0;
	sum->threads = sum->threads > from->threads ? sum->threads : from->threads;
	numbers_add(&sum->attached_ns, &from->attached_ns, PROCESS_NUMBERS);
}

void merge_processes(struct merge_map *map)
{
	const struct recording *recording = map->recording;
	map->merge->recordings++;
	for (size_t i = 0; i < processes_count(recording); i++) {
		struct process process = processes_at(recording, i);
		merge_process(map->merge, &process);
	}
	if (recording->thread_count != 0)
		map->merge->threads_before += recording->threads[recording->thread_count - 1].id;
}

void merge_name_programs(struct merge *merge)
{
	struct stmlog_process_record *processes = merge->processes.records;
	const struct unique *names = &merge->programs.keys;
	for (size_t i = 0; i < keyed_count(&merge->processes); i++) {
		const char *name = (const char *)names->bytes + names->at[processes[i].program];
		processes[i].program = merge_text(merge, name);
	}
}

/* ---- totals; the record of evicted entries, the last one, has a cause of its own ---- */

static void merge_total(struct merge *merge, const struct stmlog_total_record *total)
{
	const uint32_t key[] = {total->reason, total->contention};
	bool is_new;
	struct stmlog_total_record *sum = keyed_find(&merge->totals, key, sizeof key, &is_new);
	sum->reason = total->reason;
	sum->contention = total->contention;
	sum->count += total->count;
	sum->lost_ns += total->lost_ns;
	sum->estimated_ns += total->estimated_ns;
	sum->variance_ns2 += total->variance_ns2;
}

void merge_totals(struct merge_map *map)
{
	for (size_t i = 0; i <= map->recording->total_count; i++)
		merge_total(map->merge, &map->recording->totals[i]);
}

/* ---- threads ---- */

#define THREAD_SUMS offsetof(struct stmlog_thread_record, attached_ns)
enum { THREAD_NUMBERS = (offsetof(struct stmlog_thread_record, row_variance_ns2) - THREAD_SUMS) / sizeof(uint64_t) };

/* The runs are independent of each other, their doubts are not. */
static void add_intervals(struct stmlog_thread_record *sum, const struct stmlog_thread_record *thread)
{
	for (size_t row = 0; row < STMLOG_ACCOUNT_ARRAY; row++)
		sum->row_variance_ns2[row] += thread->row_variance_ns2[row];
	numbers_add(sum->row_doubt_ns, thread->row_doubt_ns, STMLOG_ACCOUNT_ARRAY);
}

static void add_blocked(struct stmlog_thread_record *sum, const struct stmlog_thread_record *thread)
{
	sum->blocked_ns += thread->blocked_ns;
	sum->blocked += thread->blocked;
	sum->blocked_in_vain += thread->blocked_in_vain;
	sum->estimated_blocked_ns += thread->estimated_blocked_ns;
	sum->blocked_variance_ns2 += thread->blocked_variance_ns2;
	sum->blocked_doubt_ns += thread->blocked_doubt_ns;
	sum->blocked_unattached_ns += thread->blocked_unattached_ns;
	sum->blocked_unattached += thread->blocked_unattached;
	sum->blocked_unattached_in_vain += thread->blocked_unattached_in_vain;
}

static void merge_thread(struct merge_map *map, const struct stmlog_thread_record *thread)
{
	uint64_t at_ns = merge_time(&map->merge->info, map->recording, thread->attached_at_ns);
	uint32_t name = merge_string(map, thread->name), runtime = merge_string(map, thread->runtime);
	uint32_t id = merge_thread_number(map, thread->id);
	bool is_new;
	struct stmlog_thread_record *sum = keyed_find(&map->merge->threads, &id, sizeof id, &is_new);
	if (is_new) {
		sum->id = id;
		sum->name = name;
		sum->runtime = runtime;
		sum->system_id = thread->system_id;
		sum->flags = thread->flags;
		sum->attached_at_ns = at_ns;
	}
	sum->name = sum->name == name ? name : 0;
	sum->runtime = sum->runtime == runtime ? runtime : 0;
	sum->system_id = sum->system_id == thread->system_id ? thread->system_id : 0;
	sum->flags &= thread->flags;
	if (merge_is_earlier(at_ns, sum->attached_at_ns))
		sum->attached_at_ns = at_ns;
	numbers_add((uint64_t *)(void *)((char *)sum + THREAD_SUMS),
		(const uint64_t *)(const void *)((const char *)thread + THREAD_SUMS), THREAD_NUMBERS);
	add_intervals(sum, thread);
	add_blocked(sum, thread);
}

void merge_threads(struct merge_map *map)
{
	for (size_t i = 0; i < map->recording->thread_count; i++)
		merge_thread(map, &map->recording->threads[i]);
}

static bool has_committed(const struct recording *recording)
{
	for (size_t i = 0; i < recording->thread_count; i++) {
		if (recording->threads[i].commits != 0)
			return true;
	}
	return false;
}

/* ---- paths ---- */

static void merge_path(struct merge_map *map, const struct stmlog_path_record *path)
{
	const uint32_t key[] = {merge_traceback(map, path->traceback), path->flags & STMLOG_PATH_OVERFLOW};
	bool is_new;
	struct stmlog_path_record *sum = keyed_find(&map->merge->paths, key, sizeof key, &is_new);
	sum->traceback = key[0];
	sum->flags = key[1];
	path_record_add(sum, path);
}

void merge_paths(struct merge_map *map)
{
	const struct recording *recording = map->recording;
	if (recording->path_count == 0 && has_committed(recording))
		map->merge->lacks_paths = true;
	for (size_t i = 0; i < recording->path_count; i++)
		merge_path(map, &recording->paths[i]);
}

/* ---- transactions ---- */

static void merge_transaction(struct merge_map *map, const struct stmlog_transaction_record *from)
{
	uint32_t site = merge_site(map, from->site);
	bool is_new;
	struct stmlog_transaction_record *sum = keyed_find(&map->merge->transactions, &site, sizeof site, &is_new);
	sum->site = site;
	transaction_record_add(sum, from);
}

void merge_transactions(struct merge_map *map)
{
	const struct recording *recording = map->recording;
	if (recording->transaction_count == 0 && has_committed(recording))
		map->merge->lacks_transactions = true;
	for (size_t i = 0; i < recording->transaction_count; i++)
		merge_transaction(map, &recording->transactions[i]);
}

/* ---- green threads; a label stands for all threads that have it, as in the library (runtime_sums.c) ---- */

/* Returns the number in the merge, from 1 on; 0 if the number is too large for an entry. */
static uint16_t add_green(struct keyed *all, const struct stmlog_green_record *green)
{
	struct stmlog_green_record key = {.id = green->label[0] == '\0' ? green->id : 0};
	strcpy(key.label, green->label);
	bool is_new;
	struct stmlog_green_record *sum = keyed_find(all, &key, sizeof key, &is_new);
	if (is_new) {
		*sum = key;
		sum->id = green->id;
	}
	sum->id = sum->id == green->id ? sum->id : 0;
	sum->count += green->count;
	sum->estimated_ns += green->estimated_ns;
	sum->led_count += green->led_count;
	sum->led_estimated_ns += green->led_estimated_ns;
	ptrdiff_t number = sum - (struct stmlog_green_record *)all->records + 1;
	return number <= UINT16_MAX ? (uint16_t)number : 0;
}

void merge_green(struct merge_map *map)
{
	const struct recording *recording = map->recording;
	map->green = memory_zeroed(recording->green_count, sizeof *map->green);
	for (size_t i = 0; i < recording->green_count; i++)
		map->green[i] = add_green(&map->merge->green, &recording->green[i]);
}

void merge_own_work(struct merge_map *map)
{
	for (size_t i = 0; i < map->recording->own_work_count; i++) {
		const struct stmlog_own_work_record *work = &map->recording->own_work[i];
		struct stmlog_own_work_record key = {.count = 0};
		strcpy(key.word, work->word);
		bool is_new;
		struct stmlog_own_work_record *sum = keyed_find(&map->merge->own_work, &key, sizeof key, &is_new);
		if (is_new)
			*sum = key;
		sum->count += work->count;
		sum->ns += work->ns;
	}
}

void merge_labels(struct merge_map *map)
{
	for (size_t i = 0; i < map->recording->label_count; i++) {
		const struct stmlog_label_record *label = &map->recording->labels[i];
		if (label->size != 0)
			continue;
		bool is_new;
		struct stmlog_label_record *sum =
			keyed_find(&map->merge->labels, label->text, strlen(label->text) + 1, &is_new);
		strcpy(sum->text, label->text);
		sum->count += label->count;
		sum->estimated_ns += label->estimated_ns;
	}
}

/* ---- blocked ---- */

void merge_blocked(struct merge_map *map)
{
	const struct recording *recording = map->recording;
	for (size_t i = 0; i < recording->blocked_count; i++) {
		uint32_t site = merge_site(map, recording->blocked[i].site);
		bool is_new;
		struct stmlog_blocked_record *sum = keyed_find(&map->merge->blocked, &site, sizeof site, &is_new);
		sum->site = site;
		struct stmlog_blocked_record more = recording->blocked[i];
		for (size_t k = 0; k < STMLOG_WAKERS && more.wakers[k].count != 0; k++)
			more.wakers[k].site = merge_site(map, more.wakers[k].site);
		blocked_record_add(sum, &more);
	}
}
