/* SPDX-License-Identifier: MIT
 * Merges files, and compares two of them. */
#ifndef MERGED_H
#define MERGED_H

#include "loaded.h"

#include <inttypes.h>

#include "merge.h"
#include "recording_sample.h"
#include "temp_dir.h"
#include "verify.h"

/* ---- a recording as a text ----
 * It is sorted, with a line for each key and its sums, in which nothing has an address: what has the same text tells
 * the same. */

enum { MAX_LINES = 2000 };

struct text {
	char *lines[MAX_LINES];
	size_t len;
};

static inline void add_line(struct text *text, char *line)
{
	assert_true(text->len < MAX_LINES);
	text->lines[text->len++] = line;
}

static inline void print_site(FILE *out, const struct recording *recording, uint32_t site)
{
	const struct stmlog_site_record *record = &recording->sites[site];
	if (record->module == STMLOG_NO_MODULE) {
		bool is_named = record->function != 0 || record->file != 0;
		fprintf(out, " %" PRIu32 ":%" PRIu64 ":%s:%s:%" PRIu32 ":%" PRIu64, record->kind,
			record->kind == STMLOG_SITE_PLACE ? 0 : record->code,
			recording_string(recording, record->function), recording_string(recording, record->file),
			record->line, is_named ? 0 : record->position);
		return;
	}
	const struct stmlog_module_record *module = &recording->modules[record->module];
	assert_in_range(record->position, module->start, module->end - 1);
	fprintf(out, " %s+%" PRIu64, module->build_id_len != 0 ? "id" : recording_string(recording, module->path),
		record->position - module->bias);
}

static inline void print_traceback(FILE *out, const struct recording *recording, uint32_t traceback)
{
	struct recording_traceback view = recording_traceback(recording, traceback);
	fprintf(out, " [%d%d", view.is_known, view.is_cut);
	for (size_t i = 0; i < view.len; i++)
		print_site(out, recording, view.sites[i]);
	fputs("]", out);
}

/* The caller frees it. */
static inline char *key_of(const struct recording *recording, const struct stmlog_entry_record *entry)
{
	char *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);
	fprintf(out, "entry %" PRIu32 " %" PRIu32 " %s", entry->reason, entry->contention,
		recording_string(recording, entry->detail));
	print_traceback(out, recording, entry->local);
	print_traceback(out, recording, entry->remote);
	fclose(out);
	return line;
}

static inline void print_numbers(FILE *out, const uint64_t *numbers, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(out, " %" PRIu64, numbers[i]);
}

static inline void take_entries(struct text *text, const struct recording *recording)
{
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *e = &recording->entries[i];
		const uint64_t sums[] = {e->grade, e->count, e->lost_ns, e->longest_ns, e->shortest_ns, e->first_ns,
			e->last_ns, e->false_conflicts, e->wasted, e->wasted_ns, e->undecided, e->certain,
			e->false_aliases, (uint64_t)e->estimated_ns, (uint64_t)e->variance_ns2, e->descheduled_ns};
		char *key = key_of(recording, e), *line = NULL;
		size_t len;
		FILE *out = open_memstream(&line, &len);
		fputs(key, out);
		print_numbers(out, sums, sizeof sums / sizeof sums[0]);
		fclose(out);
		free(key);
		add_line(text, line);
	}
}

static inline void take_sums(struct text *text, const struct recording *recording)
{
	char *line;
	for (size_t i = 0; i <= recording->total_count; i++) {
		const struct stmlog_total_record *t = &recording->totals[i];
		assert_true(
			asprintf(&line, "total %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %.0f %.0f", t->reason,
				t->contention, t->count, t->lost_ns, t->estimated_ns, t->variance_ns2) > 0);
		add_line(text, line);
	}
	for (size_t i = 0; i < recording->thread_count; i++) {
		const struct stmlog_thread_record *t = &recording->threads[i];
		size_t len;
		FILE *out = open_memstream(&line, &len);
		fprintf(out, "thread %" PRIu32 " %s %" PRIu32, t->id, recording_string(recording, t->name), t->flags);
		print_numbers(out, &t->attached_at_ns,
			(offsetof(struct stmlog_thread_record, row_variance_ns2) -
				offsetof(struct stmlog_thread_record, attached_at_ns)) /
				8);
		for (size_t row = 0; row < STMLOG_ACCOUNT_ARRAY; row++)
			fprintf(out, " %.9g+-%" PRIu64, t->row_variance_ns2[row], t->row_doubt_ns[row]);
		print_numbers(out, &t->blocked_ns, 4);
		fprintf(out, " %.9g", t->blocked_variance_ns2);
		print_numbers(out, &t->blocked_doubt_ns, 4);
		fclose(out);
		add_line(text, line);
	}
}

static inline void take_spent(struct text *text, const struct recording *recording)
{
	for (size_t i = 0; i < recording->path_count + recording->transaction_count; i++) {
		char *line = NULL;
		size_t len;
		FILE *out = open_memstream(&line, &len);
		if (i < recording->path_count) {
			const struct stmlog_path_record *path = &recording->paths[i];
			fprintf(out, "path %" PRIu32, path->flags);
			print_traceback(out, recording, path->traceback);
			print_numbers(out, &path->commits, 8);
			fprintf(out, " %.0f %.0f %.0f %.0f", path->estimated_committed_ns, path->estimated_aborted_ns,
				path->estimated_paused_ns, path->estimated_waiting_ns);
		} else {
			const struct stmlog_transaction_record *t = &recording->transactions[i - recording->path_count];
			fputs("transactions", out);
			if (t->site != STMLOG_NO_SITE)
				print_site(out, recording, t->site);
			print_numbers(out, &t->commits, 5 + STMLOG_ATTEMPT_BUCKETS + STMLOG_LOST_BUCKETS + 3);
			fprintf(out, " %.0f %.0f", t->estimated_committed_ns, t->estimated_commits);
		}
		fclose(out);
		add_line(text, line);
	}
}

/* A line of each waker, since their order means nothing. */
static inline void take_wakers(
	struct text *text, const struct recording *recording, const struct stmlog_blocked_record *blocked)
{
	for (size_t i = 0; i < STMLOG_WAKERS && blocked->wakers[i].count != 0; i++) {
		char *line = NULL;
		size_t len;
		FILE *out = open_memstream(&line, &len);
		fprintf(out, "woken %" PRIu64, blocked->wakers[i].count);
		print_site(out, recording, blocked->wakers[i].site);
		if (blocked->site != STMLOG_NO_SITE)
			print_site(out, recording, blocked->site);
		fclose(out);
		add_line(text, line);
	}
}

static inline void take_blocked(struct text *text, const struct recording *recording)
{
	for (size_t i = 0; i < recording->blocked_count; i++) {
		const struct stmlog_blocked_record *blocked = &recording->blocked[i];
		char *line = NULL;
		size_t len;
		FILE *out = open_memstream(&line, &len);
		fputs("blocked", out);
		if (blocked->site != STMLOG_NO_SITE)
			print_site(out, recording, blocked->site);
		print_numbers(out, &blocked->count, 4);
		fprintf(out, " %.0f %" PRIu64 " %" PRIu64, blocked->estimated_ns, blocked->wakes_known,
			blocked->for_ever);
		fclose(out);
		add_line(text, line);
		take_wakers(text, recording, blocked);
	}
}

static inline void take_info(struct text *text, const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	const uint64_t numbers[] = {info->runs, info->wall_ns, info->began_ns, info->unix_ns, info->probe_events,
		info->probe_cost_ns, info->misuses, info->tracebacks_unavailable, info->wasted_aborts, info->wasted_ns,
		info->undecided_aborts, info->sample_every, info->sampled, info->timed_commits, info->commits_known,
		info->counters_known};
	char *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);
	fputs("info", out);
	print_numbers(out, numbers, sizeof numbers / sizeof numbers[0]);
	for (size_t i = 0; i < info->args.len; i++)
		fprintf(out, " %s", info->args.at[i]);
	fclose(out);
	add_line(text, line);
}

static inline int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The caller frees it. */
static inline char *text_of(const char *path)
{
	struct recording recording;
	struct text text = {.len = 0};
	char *whole = NULL;
	size_t len;
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	take_info(&text, &recording);
	take_entries(&text, &recording);
	take_sums(&text, &recording);
	take_spent(&text, &recording);
	take_blocked(&text, &recording);
	recording_fini(&recording);
	qsort(text.lines, text.len, sizeof text.lines[0], by_text);
	FILE *out = open_memstream(&whole, &len);
	for (size_t i = 0; i < text.len; i++) {
		fprintf(out, "%s\n", text.lines[i]);
		free(text.lines[i]);
	}
	fclose(out);
	return whole;
}

/* ---- merging ---- */

static inline void assert_same_sums(const char *path, const char *other)
{
	OWNED(owned_free) char *text = text_of(path), *other_text = text_of(other);
	assert_string_equal(text, other_text);
}

static inline void merge_paths_into(const char *out, const char *const *paths, size_t count)
{
	OWNED(merge_fini) struct merge merge;
	merge_init(&merge);
	for (size_t i = 0; i < count; i++) {
		OWNED(recording_fini) struct recording recording;
		assert_int_equal(recording_load(&recording, paths[i]), RECORDING_WHOLE);
		assert_null(merge_add(&merge, &recording));
	}
	assert_true(merge_save(&merge, out));
}
#define MERGE(out, ...)                                           \
	merge_paths_into(out, (const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* temp_dir_path() has four places only. */
struct names {
	char name[8][256];
};

static inline struct names names_in(void)
{
	struct names names;
	for (size_t i = 0; i < 8; i++) {
		char name[16];
		snprintf(name, sizeof name, "%zu", i);
		snprintf(names.name[i], sizeof names.name[i], "%s", temp_dir_path(name));
	}
	return names;
}

static inline void print_violation(const char *text, void *arg)
{
	(void)arg;
	print_message("%s\n", text);
}

static inline void assert_right(const char *path)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	assert_int_equal(verify_recording(&recording, print_violation, NULL), 0);
}

/* The sample with another line of INFO, which comes after the others and so replaces one. */
static inline void save_sample(const char *path, const char *line)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	if (line != NULL)
		writer_info(&writer, line);
	writer_save(&writer, path);
}

#endif
