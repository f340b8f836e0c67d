/* SPDX-License-Identifier: MIT
 * The merge from its beginning to the file; merge_parts.h has the steps for each kind of record. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "merge_parts.h"
#include "sort.h"

void merge_init(struct merge *merge)
{
	*merge = (struct merge){
		.modules.size = sizeof(struct merge_module),
		.totals.size = sizeof(struct stmlog_total_record),
		.threads.size = sizeof(struct stmlog_thread_record),
		.entries.size = sizeof(struct stmlog_entry_record),
		.paths.size = sizeof(struct stmlog_path_record),
		.transactions.size = sizeof(struct stmlog_transaction_record),
		.blocked.size = sizeof(struct stmlog_blocked_record),
		.green.size = sizeof(struct stmlog_green_record),
		.own_work.size = sizeof(struct stmlog_own_work_record),
		.labels.size = sizeof(struct stmlog_label_record),
		.open.size = sizeof(struct stmlog_open_record),
		.programs.size = sizeof(struct merge_program),
		.processes.size = sizeof(struct stmlog_process_record),
	};
	unique_find(&merge->strings, "", 1);
}

void merge_init_run(struct merge *merge)
{
	merge_init(merge);
	merge->info.is_one_run = true;
}

const char *merge_add(struct merge *merge, const struct recording *recording)
{
	const char *mismatch = merge_info_mismatch(&merge->info, recording);
	if (mismatch != NULL)
		return mismatch;
	struct merge_map map;
	merge_map_init(&map, merge, recording);
	merge_info_add(&merge->info, recording);
	merge_totals(&map);
	merge_threads(&map);
	merge_green(&map);
	merge_own_work(&map);
	merge_labels(&map);
	merge_entries(&map);
	merge_paths(&map);
	merge_transactions(&map);
	merge_blocked(&map);
	merge_open(&map);
	merge_processes(&map);
	merge_map_fini(&map);
	merge->timelines += recording->has_timeline;
	return NULL;
}

void merge_fini(struct merge *merge)
{
	merge_info_fini(&merge->info);
	unique_fini(&merge->strings);
	keyed_fini(&merge->modules);
	unique_fini(&merge->sites);
	unique_fini(&merge->tracebacks);
	keyed_fini(&merge->totals);
	keyed_fini(&merge->threads);
	keyed_fini(&merge->entries);
	keyed_fini(&merge->paths);
	keyed_fini(&merge->transactions);
	keyed_fini(&merge->blocked);
	keyed_fini(&merge->green);
	keyed_fini(&merge->own_work);
	keyed_fini(&merge->labels);
	keyed_fini(&merge->open);
	keyed_fini(&merge->programs);
	keyed_fini(&merge->processes);
}

/* ---- the final form: order, times, addresses ---- */

static uint64_t total_number(const void *record, unsigned rank, const void *arg)
{
	const struct stmlog_total_record *total = record;
	(void)arg;
	return rank == 0 ? total->reason : total->contention;
}

static uint64_t thread_number(const void *record, unsigned rank, const void *arg)
{
	(void)rank;
	(void)arg;
	return ((const struct stmlog_thread_record *)record)->id;
}

/* Highest loss first; entries of equal loss in the order of their keys, which are distinct. */
enum { ENTRY_RANKS = 4 };

static uint64_t entry_number(const void *record, unsigned rank, const void *arg)
{
	const struct stmlog_entry_record *entry = record;
	const uint64_t numbers[ENTRY_RANKS] = {UINT64_MAX - entry->lost_ns,
		(uint64_t)entry->reason << 32 | entry->contention, entry->detail,
		(uint64_t)entry->local << 32 | entry->remote};
	(void)arg;
	return numbers[rank];
}

static uint64_t blocked_number(const void *record, unsigned rank, const void *arg)
{
	const struct stmlog_blocked_record *blocked = record;
	(void)arg;
	return rank == 0 ? UINT64_MAX - blocked->blocked_ns : blocked->site;
}

static uint64_t open_number(const void *record, unsigned rank, const void *arg)
{
	(void)rank;
	(void)arg;
	return UINT64_MAX - ((const struct stmlog_open_record *)record)->open_ns;
}

/* The programs have the order of their first processes. */
static uint64_t process_number(const void *record, unsigned rank, const void *arg)
{
	(void)rank;
	(void)arg;
	return ((const struct stmlog_process_record *)record)->program;
}

static void sort_records(struct keyed *keyed, sort_number *number, unsigned ranks)
{
	sort(keyed->records, keyed_count(keyed), keyed->size, number, ranks, NULL);
}

static void put_times_back(struct merge *merge)
{
	struct stmlog_thread_record *threads = merge->threads.records;
	struct stmlog_entry_record *entries = merge->entries.records;
	for (size_t i = 0; i < keyed_count(&merge->threads); i++)
		threads[i].attached_at_ns = merge_time_back(&merge->info, threads[i].attached_at_ns);
	for (size_t i = 0; i < keyed_count(&merge->entries); i++) {
		entries[i].first_ns = merge_time_back(&merge->info, entries[i].first_ns);
		entries[i].last_ns = merge_time_back(&merge->info, entries[i].last_ns);
	}
}

static void put_addresses_back(struct merge *merge)
{
	const struct merge_module *modules = merge->modules.records;
	struct stmlog_site_record *sites = (void *)merge->sites.bytes;
	for (size_t i = 0; i < merge->sites.count; i++) {
		if (sites[i].module != STMLOG_NO_MODULE)
			sites[i].position += modules[sites[i].module].record.bias;
	}
}

/* Leaves only the records of the modules, one behind the other. */
static void strip_modules(struct merge *merge)
{
	char *records = merge->modules.records;
	for (size_t i = 0; i < keyed_count(&merge->modules); i++) {
		struct merge_module module;
		memcpy(&module, records + i * sizeof module, sizeof module);
		memcpy(records + i * sizeof module.record, &module.record, sizeof module.record);
	}
	merge->modules.size = sizeof(struct stmlog_module_record);
}

static struct recording_section section_of(enum stmlog_section type, const struct keyed *keyed)
{
	return (struct recording_section){
		type, (uint32_t)keyed->size, keyed->records, keyed_count(keyed) * keyed->size};
}

static struct recording_section pieces_of(enum stmlog_section type, size_t size, const struct unique *unique)
{
	return (struct recording_section){type, (uint32_t)size, unique->bytes, unique->len};
}

static bool save(const struct merge *merge, const char *path)
{
	size_t info_len, count = 0;
	char *info = merge_info_text(&merge->info, &info_len);
	struct recording_section sections[STMLOG_SECTION_LABELS];
	sections[count++] = (struct recording_section){STMLOG_SECTION_INFO, 0, info, info_len};
	sections[count++] = pieces_of(STMLOG_SECTION_STRINGS, 0, &merge->strings);
	sections[count++] = section_of(STMLOG_SECTION_MODULES, &merge->modules);
	sections[count++] = pieces_of(STMLOG_SECTION_SITES, sizeof(struct stmlog_site_record), &merge->sites);
	sections[count++] = pieces_of(STMLOG_SECTION_TRACEBACKS, 0, &merge->tracebacks);
	sections[count++] = section_of(STMLOG_SECTION_TOTALS, &merge->totals);
	sections[count++] = section_of(STMLOG_SECTION_THREADS, &merge->threads);
	sections[count++] = section_of(STMLOG_SECTION_ENTRIES, &merge->entries);
	if (!merge->lacks_paths)
		sections[count++] = section_of(STMLOG_SECTION_PATHS, &merge->paths);
	if (!merge->lacks_transactions)
		sections[count++] = section_of(STMLOG_SECTION_TRANSACTIONS, &merge->transactions);
	if (keyed_count(&merge->blocked) != 0)
		sections[count++] = section_of(STMLOG_SECTION_BLOCKED, &merge->blocked);
	if (keyed_count(&merge->open) != 0)
		sections[count++] = section_of(STMLOG_SECTION_OPEN, &merge->open);
	if (keyed_count(&merge->green) != 0)
		sections[count++] = section_of(STMLOG_SECTION_GREEN, &merge->green);
	if (keyed_count(&merge->own_work) != 0)
		sections[count++] = section_of(STMLOG_SECTION_OWN_WORK, &merge->own_work);
	if (keyed_count(&merge->processes) > 1)
		sections[count++] = section_of(STMLOG_SECTION_PROCESSES, &merge->processes);
	if (keyed_count(&merge->labels) != 0)
		sections[count++] = section_of(STMLOG_SECTION_LABELS, &merge->labels);
	bool is_saved = recording_save(path, sections, count);
	free(info);
	return is_saved;
}

bool merge_save(struct merge *merge, const char *path)
{
	REQUIRES(merge->info.is_begun);
	sort_records(&merge->totals, total_number, 2);
	sort_records(&merge->threads, thread_number, 1);
	sort_records(&merge->entries, entry_number, ENTRY_RANKS);
	sort_records(&merge->blocked, blocked_number, 2);
	sort_records(&merge->open, open_number, 1);
	sort_records(&merge->processes, process_number, 1);
	if (keyed_count(&merge->processes) > 1)
		merge_name_programs(merge);
	put_times_back(merge);
	put_addresses_back(merge);
	strip_modules(merge);
	return save(merge, path);
}
