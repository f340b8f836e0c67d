/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <jansson.h>

#include <stmlog/read.h>

#define BLOCK 0x70001000u

static struct recording recording;
static json_t *report;

/* Loads a recording with one entry and parses its report. */
static void load(const struct stmlog_entry_record *entry)
{
	struct writer writer;
	json_error_t error;
	writer_init(&writer);
	uint32_t make = writer_place(&writer, "make_node", "src/list.c", 33);
	struct stmlog_block_record block = {
		BLOCK, 64, writer_traceback(&writer, &make, 1, STMLOG_TRACEBACK_CUT), STMLOG_BLOCK_FREED};
	writer_block(&writer, &block);
	writer_entry(&writer, entry);
	writer_label(&writer, &(struct stmlog_label_record){.count = 1, .estimated_ns = 3, .text = "node 1"});
	writer_label(&writer, &(struct stmlog_label_record){.count = 2, .estimated_ns = 9, .text = "node 2"});
	writer_label(&writer, &(struct stmlog_label_record){.address = BLOCK + 56, .size = 8, .text = "node 2"});
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(owned_free)
	char *text = printed_report(&recording, (struct report_options){.top = REPORT_ALL}, report_json);
	report = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (report == NULL)
		fail_msg("line %d: %s in:\n%s", error.line, error.text, text);
	recording_fini(&recording);
}

static json_t *entry_member(const char *name)
{
	return json_object_get(json_array_get(json_object_get(report, "entries"), 0), name);
}

static void expect_text(const json_t *object, const char *name, const char *expected)
{
	assert_string_equal(json_string_value(json_object_get(object, name)), expected);
}

static void expect_number(const json_t *object, const char *name, json_int_t expected)
{
	assert_int_equal(json_integer_value(json_object_get(object, name)), expected);
}

TEST(an_object_has_its_block_and_the_others_object)
{
	struct stmlog_entry_record entry = {.count = 3, .objects = {{BLOCK + 16, 2}}, .object_others = {BLOCK + 63}};
	load(&entry);
	json_t *object = json_array_get(entry_member("objects"), 0), *other = json_object_get(object, "other");
	json_t *block = json_object_get(object, "block"), *frames = json_object_get(block, "frames");
	expect_text(object, "address", "0x70001010");
	expect_number(object, "count", 2);
	expect_number(block, "size", 64);
	expect_number(block, "offset", 16);
	assert_true(json_is_true(json_object_get(block, "freed")));
	assert_true(json_is_true(json_object_get(block, "cut")));
	expect_text(other, "name", "node 2");
	expect_text(json_array_get(frames, 0), "function", "make_node");
	expect_text(other, "address", "0x7000103f");
	expect_number(json_object_get(other, "block"), "offset", 63);
	json_decref(report);
}

TEST(what_is_not_known_is_null)
{
	static const char *const members[] = {"name", "symbol", "block", "other"};
	struct stmlog_entry_record entry = {.count = 3, .objects = {{BLOCK + 64, 2}}};
	load(&entry);
	json_t *object = json_array_get(entry_member("objects"), 0);
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
		assert_true(json_is_null(json_object_get(object, members[i])));
	json_decref(report);
}

TEST(an_entry_says_how_many_are_certain_and_how_many_false)
{
	struct stmlog_entry_record entry = {.count = 9, .certain = 7, .false_conflicts = 5, .false_aliases = 3};
	load(&entry);
	assert_int_equal(json_array_size(entry_member("objects")), 0);
	assert_int_equal(json_integer_value(entry_member("certain")), 7);
	assert_int_equal(json_integer_value(entry_member("false_conflicts")), 5);
	assert_int_equal(json_integer_value(entry_member("false_aliases")), 3);
	json_decref(report);
}

TEST(labels_have_the_shares_of_their_table)
{
	load(&(struct stmlog_entry_record){.count = 3});
	json_t *labels = json_object_get(report, "labels"), *first = json_array_get(labels, 0);
	assert_int_equal(json_array_size(labels), 2);
	expect_text(first, "text", "node 2");
	expect_text(first, "table", "node");
	expect_number(first, "count", 2);
	expect_number(first, "estimated_ns", 9);
	assert_float_equal(json_real_value(json_object_get(first, "share")), 0.75, 0);
	json_decref(report);
}
