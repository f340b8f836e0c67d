/* SPDX-License-Identifier: MIT
 * Processes. In a merge of one run each has a record of its own, its threads keep theirs, and what was under way stays
 * known. In a merge of runs the n-th processes of a program are added up, as threads of the same number are. */
#include <string.h>

#include "merge_parts.h"
#include "record_sums.h"
#include "report.h"

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

/* The number of the program, and how many of its processes were before: in this recording, or in all of the run. */
struct process_key {
	uint32_t program, before;
};

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
