/* SPDX-License-Identifier: MIT
 * Which losses of several runs and builds have the same key. */
#include "loaded.h"

#include <stmlog/read.h>

#include "diff.h"
#include "random.h"

#define LEN(array) (sizeof(array) / sizeof(array)[0])

/* An abort in `function` at this line, called by main, with an unknown culprit; the line is also the time lost. */
static void add_abort(struct writer *writer, const char *function, const char *file, uint32_t line)
{
	uint32_t sites[] = {writer_place(writer, function, file, line), writer_place(writer, "work", "main.c", 7)};
	struct stmlog_entry_record entry = {.reason = STMLOG_SELF_ABORT,
		.contention = STMLOG_WRITE_WRITE,
		.local = writer_traceback(writer, sites, 2, 0),
		.count = 2,
		.lost_ns = line};
	writer_entry(writer, &entry);
}

/* Adds a run of which this much was evicted, and ends the writer. */
static void add_run_with(struct diff_keys *keys, size_t run, struct writer *writer, uint64_t count, uint64_t lost_ns)
{
	OWNED(recording_fini) struct recording recording;
	writer_total(writer, UINT32_MAX, UINT32_MAX, count, lost_ns);
	if (load_written(&recording, writer) != RECORDING_WHOLE)
		fail_msg("%s", recording.fault);
	OWNED(symbols_destroy) struct symbols *symbols = symbols_create(&recording);
	diff_keys_add(keys, run, &recording, symbols, 3);
}

static void add_run(struct diff_keys *keys, size_t run, struct writer *writer)
{
	add_run_with(keys, run, writer, 0, 0);
}

/* A side of one run that has aborted at these lines of one function. */
static struct diff_keys keys_at(const uint32_t *lines, size_t len)
{
	struct writer writer;
	struct diff_keys keys = diff_keys_init(1);
	writer_init(&writer);
	for (size_t i = len; i-- > 0;)
		add_abort(&writer, "f", "f.c", lines[i]);
	add_run(&keys, 0, &writer);
	return keys;
}

static uint32_t line_of(const struct diff_key *key)
{
	return key != NULL ? key->local.frames[0].line : 0;
}

/* `expected` are pairs of lines, 0: none. */
static void expect_matches(
	const uint32_t *old_lines, size_t old_len, const uint32_t *new_lines, size_t new_len, uint32_t expected[][2])
{
	OWNED(diff_keys_fini) struct diff_keys old = keys_at(old_lines, old_len), new = keys_at(new_lines, new_len);
	size_t len;
	OWNED(owned_free) struct diff_match *matches = diff_keys_match(&old, &new, &len);
	assert_int_equal(len, old_len > new_len ? old_len : new_len);
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(line_of(matches[i].key[0]), expected[i][0]);
		assert_int_equal(line_of(matches[i].key[1]), expected[i][1]);
	}
}

TEST(equal_names_and_lines_are_one_key_in_all_runs)
{
	struct writer writer;
	OWNED(diff_keys_fini) struct diff_keys keys = diff_keys_init(2);
	writer_init(&writer);
	add_abort(&writer, "f", "/build/one/f.c", 10);
	add_abort(&writer, "f", "/build/one/f.c", 10);
	add_run(&keys, 0, &writer);
	writer_init(&writer);
	add_abort(&writer, "f", "/build/other/f.c", 10);
	add_run(&keys, 1, &writer);
	assert_int_equal(keys.len, 1);
	assert_true(keys.at[0]->losses[0].lost_ns > 19.9 && keys.at[0]->losses[0].lost_ns < 20.1);
	assert_true(keys.at[0]->losses[1].lost_ns > 9.9 && keys.at[0]->losses[1].lost_ns < 10.1);
	assert_true(keys.at[0]->losses[1].aborts > 5.9 && keys.at[0]->losses[1].aborts < 6.1);
	assert_false(keys.at[0]->losses[1].paused_ns > 0);
}

TEST(another_function_file_or_line_is_another_key)
{
	struct writer writer;
	OWNED(diff_keys_fini) struct diff_keys keys = diff_keys_init(1);
	writer_init(&writer);
	add_abort(&writer, "f", "f.c", 10);
	add_abort(&writer, "g", "f.c", 10);
	add_abort(&writer, "f", "g.c", 10);
	add_abort(&writer, "f", "f.c", 11);
	add_run(&keys, 0, &writer);
	assert_int_equal(keys.len, 4);
}

/* Entries that differ in one thing each. */
TEST(a_cause_and_the_other_side_make_a_key)
{
	struct writer writer;
	OWNED(diff_keys_fini) struct diff_keys keys = diff_keys_init(1);
	writer_init(&writer);
	struct stmlog_entry_record entry = {.reason = STMLOG_SELF_ABORT, .count = 1, .lost_ns = 1};
	writer_entry(&writer, &entry);
	entry.remote = 1;
	writer_entry(&writer, &entry);
	entry.local = 1;
	writer_entry(&writer, &entry);
	entry.detail = writer_string(&writer, "LOCKED_READ");
	writer_entry(&writer, &entry);
	entry.contention = STMLOG_WRITE_READ;
	writer_entry(&writer, &entry);
	entry.local_thread = 4; /* no part of a key */
	writer_entry(&writer, &entry);
	entry.reason = STMLOG_PAUSE;
	writer_entry(&writer, &entry);
	add_run(&keys, 0, &writer);
	assert_int_equal(keys.len, 6);
	assert_false(keys.at[5]->losses[0].aborts > 0);
	assert_true(keys.at[5]->losses[0].paused_ns > 0);
}

TEST(what_was_evicted_is_a_key)
{
	struct writer writer;
	OWNED(diff_keys_fini) struct diff_keys keys = diff_keys_init(1);
	writer_init(&writer);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 5, 100);
	add_run_with(&keys, 0, &writer, 5, 100);
	assert_int_equal(keys.len, 1);
	assert_true(keys.at[0]->is_evicted);
	assert_true(keys.at[0]->losses[0].lost_ns > 99 && keys.at[0]->losses[0].aborts > 14);
}

TEST(names_with_any_bytes_have_their_own_frames)
{
	struct writer writer;
	OWNED(diff_keys_fini) struct diff_keys old = diff_keys_init(1), new = diff_keys_init(1);
	size_t len;
	writer_init(&writer);
	add_abort(&writer, "f\nf.c\n=g", "f.c", 10);
	add_run(&old, 0, &writer);
	writer_init(&writer);
	add_abort(&writer, "f", "f.c\n=g\nf.c", 10);
	add_abort(&writer, "f", "f.c\n=g\nf.c", 12);
	add_run(&new, 0, &writer);
	OWNED(owned_free) struct diff_match *matches = diff_keys_match(&old, &new, &len);
	assert_in_range(len, 2, 3);
}

TEST(lines_that_an_edit_above_has_shifted_are_the_same_keys)
{
	static const uint32_t old[] = {10, 20, 30}, new[] = {25, 35, 45};
	uint32_t expected[][2] = {{10, 25}, {20, 35}, {30, 45}};
	expect_matches(old, 1, new, 1, expected);
	expect_matches(old, 3, new, 3, expected);
}

TEST(a_new_key_between_two_old_ones_is_new)
{
	static const uint32_t old[] = {10, 20}, between[] = {10, 15, 20}, shifted[] = {110, 115, 120};
	static const uint32_t made_room[] = {10, 15, 25};
	uint32_t in_place[][2] = {{10, 10}, {0, 15}, {20, 20}}, below[][2] = {{10, 110}, {0, 115}, {20, 120}};
	uint32_t apart[][2] = {{10, 10}, {0, 15}, {20, 25}};
	expect_matches(old, 2, between, 3, in_place);
	expect_matches(old, 2, shifted, 3, below);
	expect_matches(old, 2, made_room, 3, apart);
}

TEST(a_key_that_has_gone_from_between_two_is_the_one_that_vanished)
{
	static const uint32_t old[] = {10, 15, 20}, new[] = {110, 120};
	uint32_t expected[][2] = {{10, 110}, {15, 0}, {20, 120}}, all[][2] = {{10, 0}, {15, 0}, {20, 0}};
	expect_matches(old, 3, new, 2, expected);
	expect_matches(old, 3, new, 0, all);
}

/* Some of the old lines, shifted by less than the distance of any two. */
TEST(keys_that_are_left_of_many_are_found_again)
{
	struct random random = {.state = 11};
	for (size_t round = 0; round < 50; round++) {
		uint32_t old[12], new[LEN(old)], expected[LEN(old)][2], line = 1000;
		size_t new_len = 0;
		for (size_t i = 0; i < LEN(old); i++) {
			line += 10 + (1u << i) + random_below(&random, 2);
			old[i] = line;
			bool is_kept = i == 0 || random_below(&random, 3) > 0;
			expected[i][0] = line;
			expected[i][1] = is_kept ? line + 3 : 0;
			if (is_kept)
				new[new_len++] = line + 3;
		}
		expect_matches(old, LEN(old), new, new_len, expected);
	}
}

TEST(names_of_one_side_only_are_matched_with_none)
{
	static const uint32_t line[] = {10};
	struct writer writer;
	OWNED(diff_keys_fini) struct diff_keys old = keys_at(line, 1), new = diff_keys_init(1);
	size_t len;
	writer_init(&writer);
	add_abort(&writer, "g", "f.c", 10);
	add_run(&new, 0, &writer);
	OWNED(owned_free) struct diff_match *matches = diff_keys_match(&old, &new, &len);
	assert_int_equal(len, 2);
	assert_ptr_equal(matches[0].key[0], old.at[0]);
	assert_null(matches[0].key[1]);
	assert_null(matches[1].key[0]);
	assert_ptr_equal(matches[1].key[1], new.at[0]);
}

/* Keys as a file may have them: the matching ends, and each key is matched once. */
TEST(very_many_keys_of_equal_names_are_matched_in_order)
{
	enum { OLD = 3000, NEW = 1500 };
	static uint32_t old[OLD], expected[OLD][2];
	for (uint32_t i = 0; i < OLD; i++) {
		old[i] = 10 + i;
		expected[i][0] = 10 + i;
		expected[i][1] = i < NEW ? 10 + i : 0;
	}
	expect_matches(old, OLD, old, NEW, expected);
}
