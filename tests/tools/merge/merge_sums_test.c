/* SPDX-License-Identifier: MIT
 * How records of one key become one: threads, entries of one transaction, green threads, own work, labels. */
#include "merged.h"

#include <stmlog/read.h>

#include "recording_sample.h"
#include "temp_dir.h"

static struct stmlog_thread_record merged_thread(const struct stmlog_thread_record threads[2])
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording merged;
	for (size_t i = 0; i < 2; i++) {
		OWNED(writer_fini) struct writer writer;
		writer_init(&writer);
		writer_info(&writer, "sampled=1");
		writer_thread(&writer, &threads[i]);
		writer_save(&writer, n.name[i]);
	}
	MERGE(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	struct stmlog_thread_record thread = merged.threads[0];
	return thread;
}

TEST(variances_and_doubts_of_rows_are_added)
{
	struct stmlog_thread_record threads[2] = {{.id = 1}, {.id = 1}};
	for (size_t i = 0; i < 2; i++) {
		threads[i].descheduled_ns = 100 + i;
		threads[i].descheduled = 1 + i;
		threads[i].attached_ns = 1000 + threads[i].descheduled_ns;
		threads[i].outside_ns = 1000;
		for (size_t row = 0; row < STMLOG_ACCOUNT_ARRAY; row++) {
			threads[i].row_variance_ns2[row] = 0.5 + (double)(row * (1 + i));
			threads[i].row_doubt_ns[row] = 10 * row + i;
		}
	}
	struct stmlog_thread_record merged = merged_thread(threads);
	assert_int_equal(merged.descheduled_ns, 201);
	assert_int_equal(merged.descheduled, 3);
	for (size_t row = 0; row < STMLOG_ACCOUNT_ARRAY; row++) {
		double variance_ns2 = merged.row_variance_ns2[row] - (1 + 3 * (double)row);
		assert_true(variance_ns2 > -1e-9 && variance_ns2 < 1e-9);
		assert_int_equal(merged.row_doubt_ns[row], 20 * row + 1);
	}
}

/* Saves an entry of a transaction that begins at this line; 0: that is not known. */
static void save_beginning(const char *path, uint32_t line, uint64_t descheduled_ns)
{
	OWNED(writer_fini) struct writer writer;
	struct stmlog_entry_record entry = {.local = 1, .count = 1, .lost_ns = 5, .descheduled_ns = descheduled_ns};
	writer_init(&writer);
	for (uint32_t i = 0; i < line; i++) /* no site has the same number in two files */
		writer_place(&writer, "before", "bank.c", 100 + i);
	entry.site = line != 0 ? writer_place(&writer, "transfer", "bank.c", line) : STMLOG_NO_SITE;
	writer_entry(&writer, &entry);
	writer_save(&writer, path);
}

TEST(the_site_of_an_entry_is_kept_where_all_runs_have_the_same)
{
	struct names n = names_in();
	static const uint32_t lines[][2] = {{3, 3}, {3, 4}, {3, 0}, {0, 0}};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		OWNED(recording_fini) struct recording merged;
		save_beginning(n.name[0], lines[i][0], 7);
		save_beginning(n.name[1], lines[i][1], 8);
		MERGE(n.name[2], n.name[0], n.name[1]);
		assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
		assert_int_equal(merged.entry_count, 1);
		assert_int_equal(merged.entries[0].descheduled_ns, 15);
		if (i == 0)
			assert_int_equal(merged.sites[merged.entries[0].site].line, 3);
		else
			assert_int_equal(merged.entries[0].site, STMLOG_NO_SITE);
	}
}

/* The sample, whose first thread has this number of the system's. */
static void save_numbered(const char *name, uint32_t system_id)
{
	static struct writer writer;
	recording_sample(&writer);
	((struct stmlog_thread_record *)(void *)writer.sections[STMLOG_SECTION_THREADS].bytes)->system_id = system_id;
	writer_save(&writer, name);
	writer_fini(&writer);
}

TEST(a_thread_keeps_the_number_of_the_system_where_all_runs_have_the_same)
{
	struct names n = names_in();
	struct recording merged;
	save_numbered(n.name[0], 4711);
	save_numbered(n.name[1], 4712);
	MERGE(n.name[2], n.name[0], n.name[0]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.threads[0].system_id, 4711);
	recording_fini(&merged);
	MERGE(n.name[2], n.name[0], n.name[1], n.name[0]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.threads[0].system_id, 0);
	recording_fini(&merged);
}

/* One entry, and two green threads; the entry has them in this order. */
static void save_green(const char *path, uint64_t longest_ns, const struct stmlog_green_record green[2])
{
	OWNED(writer_fini) struct writer writer;
	struct stmlog_entry_record entry = {
		.count = 1, .lost_ns = longest_ns, .longest_ns = longest_ns, .local_green = 1, .remote_green = 2};
	writer_init(&writer);
	entry.site = STMLOG_NO_SITE;
	writer_green(&writer, &green[0]);
	writer_green(&writer, &green[1]);
	writer_entry(&writer, &entry);
	writer_save(&writer, path);
}

TEST(green_threads_are_added_up_by_label_or_else_by_number)
{
	static const struct stmlog_green_record first[] = {{17, "reader", 1, 10, 2, 20}, {.id = 5, .count = 3}};
	static const struct stmlog_green_record second[] = {
		{.id = 5, .count = 4}, {18, "reader", 100, 1000, 200, 2000}};
	struct names n = names_in();
	OWNED(recording_fini) struct recording merged;
	save_green(n.name[0], 7, first);
	save_green(n.name[1], 9, second);
	MERGE(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.green_count, 2);
	const struct stmlog_green_record *local = recording_green(&merged, merged.entries[0].local_green);
	const struct stmlog_green_record *remote = recording_green(&merged, merged.entries[0].remote_green);
	assert_int_equal(local->id, 5);
	assert_int_equal(local->count, 7);
	assert_string_equal(remote->label, "reader");
	assert_int_equal(remote->id, 0);
	assert_int_equal(remote->count, 101);
	assert_int_equal(remote->estimated_ns, 1010);
	assert_int_equal(remote->led_count, 202);
	assert_int_equal(remote->led_estimated_ns, 2020);
}

static void save_own_work(const char *path, const char *word, uint64_t ns)
{
	OWNED(writer_fini) struct writer writer;
	struct stmlog_own_work_record work = {"mutex", 1, 10};
	writer_init(&writer);
	writer_own_work(&writer, &work);
	work.ns = ns;
	strcpy(work.word, word);
	writer_own_work(&writer, &work);
	writer_save(&writer, path);
}

TEST(own_work_is_added_up_by_word)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording merged;
	save_own_work(n.name[0], "back-off", 7);
	save_own_work(n.name[1], "collection", 9);
	MERGE(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.own_work_count, 3);
	assert_string_equal(merged.own_work[0].word, "mutex");
	assert_int_equal(merged.own_work[0].count, 2);
	assert_int_equal(merged.own_work[0].ns, 20);
	assert_string_equal(merged.own_work[2].word, "collection");
	assert_int_equal(merged.own_work[2].ns, 9);
}

static void save_labels(const char *path, const char *text)
{
	OWNED(writer_fini) struct writer writer;
	struct stmlog_label_record label = {.count = 2, .estimated_ns = 20, .text = "account 1"};
	writer_init(&writer);
	writer_label(&writer, &label);
	strcpy(label.text, text);
	writer_label(&writer, &label);
	label = (struct stmlog_label_record){.address = 4096, .size = 8, .text = "account 1"};
	writer_label(&writer, &label);
	writer_save(&writer, path);
}

/* An address of one run means nothing in another. */
TEST(labels_are_added_up_by_text_and_have_no_places)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording merged;
	save_labels(n.name[0], "account 2");
	save_labels(n.name[1], "account 3");
	MERGE(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.label_count, 3);
	assert_string_equal(merged.labels[0].text, "account 1");
	assert_int_equal(merged.labels[0].count, 4);
	assert_int_equal(merged.labels[0].estimated_ns, 40);
	assert_string_equal(merged.labels[2].text, "account 3");
	assert_int_equal(merged.labels[2].count, 2);
	assert_null(recording_label(&merged, 4096));
}

GROUP_WITH(temp_dir_fixture);
