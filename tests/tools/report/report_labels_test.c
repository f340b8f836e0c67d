/* SPDX-License-Identifier: MIT
 * The labels of data in the report: table by table, and as the names of objects. */
#include "report_words.h"

static const struct report_options full = {.top = 2, .is_full = true};

static void write_label(const char *text, uint64_t count, uint64_t ns)
{
	struct stmlog_label_record label = {.count = count, .estimated_ns = ns};
	strcpy(label.text, text);
	writer_label(&writer, &label);
}

TEST(without_labels_there_is_no_table)
{
	recording_sample(&writer);
	OWNED(owned_free) char *text = text_of(full);
	assert_null(strstr(text, "Labels"));
}

/* The costliest table comes first, whatever the order of the file. */
TEST(labels_that_differ_in_numbers_are_a_table)
{
	recording_sample(&writer);
	write_label("queue", 7, 1000);
	write_label("account 3", 1, 300000);
	write_label("account 17", 9, 610000);
	write_label("account 4", 2, 90000);
	expect_words(full, (const char *[]){"\nLabels: account\n"
					    "label        share      lost  count\n"
					    "account 17  61.0 %  610.0 us      9\n"
					    "account 3   30.0 %  300.0 us      1\n"
					    "... 1 more (--top=N)\n"
					    "\nLabels: queue\n"
					    "label    share    lost  count\n"
					    "queue  100.0 %  1.0 us      7\n",
				   NULL});
}

TEST(only_a_full_report_has_the_table)
{
	recording_sample(&writer);
	write_label("account 3", 1, 300000);
	OWNED(owned_free) char *text = text_of(plain);
	assert_null(strstr(text, "Labels"));
}

TEST(digits_within_a_label_and_alone_are_left_out)
{
	recording_sample(&writer);
	write_label("row 1, column 2", 1, 10);
	write_label("row 12, column 1", 1, 30);
	write_label("17", 1, 5);
	expect_words(full, (const char *[]){"\nLabels: row , column\n", "\nrow 12, column 1  75.0 %", "\nLabels: \n",
				   "\n17     100.0 %", NULL});
}

TEST(losses_without_any_time_have_no_share)
{
	recording_sample(&writer);
	write_label("account 3", 1, 0);
	expect_words(full, (const char *[]){"\nlabel      count\naccount 3      1\n", NULL});
}

TEST(a_label_is_printable)
{
	recording_sample(&writer);
	write_label("\033[31mred", 1, 10);
	expect_words(full, (const char *[]){"\n?[31mred  100.0 %", NULL});
}

TEST(the_other_object_of_a_false_conflict_has_its_label)
{
	recording_sample(&writer);
	struct stmlog_entry_record *entry = written_entry(0);
	entry->false_conflicts = entry->count;
	entry->objects[0].address = 4096;
	entry->object_others[0] = 4104;
	entry->object_names[0] = writer_string(&writer, "account 1");
	writer_label(&writer, &(struct stmlog_label_record){.address = 4104, .size = 8, .text = "account 2"});
	expect_words(plain, (const char *[]){"account 1 and account 2; pad or align", NULL});
}
