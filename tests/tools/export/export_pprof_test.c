/* SPDX-License-Identifier: MIT
 * Profiles for pprof, decoded by the code that is generated from profile.proto. */
#include "exported.h"

#include <unistd.h>

#include "estimate.h"
#include "inflated.h"
#include "own_module.h"
#include "profile.pb-c.h"

static struct writer writer;
static Pprof__Profile *profile;

/* Exports the recording in the writer, and ends the writer. */
static void decode_of(enum export_of of)
{
	size_t packed_len, len;
	OWNED(owned_free) char *packed = exported_of(&writer, "pprof", of, &packed_len);
	OWNED(owned_free) uint8_t *bytes = inflated(packed, packed_len, &len);
	assert_non_null(bytes);
	profile = pprof__profile__unpack(NULL, len, bytes);
	assert_non_null(profile);
}

static void decode(void)
{
	decode_of(EXPORT_OF_ANY);
}

static void tear_down(void)
{
	if (profile != NULL)
		pprof__profile__free_unpacked(profile, NULL);
	profile = NULL;
}

static const struct test_fixture fixture = {.tear_down = tear_down};

static const char *text(int64_t number)
{
	assert_in_range(number, 0, profile->n_string_table - 1);
	return profile->string_table[number];
}

static const Pprof__Location *location_of(uint64_t id)
{
	for (size_t i = 0; i < profile->n_location; i++) {
		if (profile->location[i]->id == id)
			return profile->location[i];
	}
	fail_msg("no location %d", (int)id);
	return NULL;
}

static const Pprof__Function *function_of(const Pprof__Line *line)
{
	for (size_t i = 0; i < profile->n_function; i++) {
		if (profile->function[i]->id == line->function_id)
			return profile->function[i];
	}
	fail_msg("no function %d", (int)line->function_id);
	return NULL;
}

/* The functions of a sample, leaf first: "transfer worker". */
static const char *stack_of(const Pprof__Sample *sample)
{
	static char names[1000];
	names[0] = '\0';
	for (size_t i = 0; i < sample->n_location_id; i++) {
		const Pprof__Location *location = location_of(sample->location_id[i]);
		for (size_t k = 0; k < location->n_line; k++) {
			size_t used = strlen(names);
			snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? " " : "",
				text(function_of(location->line[k])->name));
		}
	}
	return names;
}

/* NULL: it has none. */
static const char *label_of(const Pprof__Sample *sample, const char *key)
{
	for (size_t i = 0; i < sample->n_label; i++) {
		if (strcmp(text(sample->label[i]->key), key) == 0)
			return text(sample->label[i]->str);
	}
	return NULL;
}

static int64_t sum_of(size_t value)
{
	int64_t sum = 0;
	for (size_t i = 0; i < profile->n_sample; i++) {
		assert_int_equal(profile->sample[i]->n_value, profile->n_sample_type);
		sum += profile->sample[i]->value[value];
	}
	return sum;
}

static bool has_comment(const char *words)
{
	for (size_t i = 0; i < profile->n_comment; i++) {
		if (strstr(text(profile->comment[i]), words) != NULL)
			return true;
	}
	return false;
}

/* ---- the sample recording ---- */

TEST_WITH(fixture, a_profile_is_like_those_of_contention_in_go)
{
	recording_sample(&writer);
	decode();
	assert_string_equal(profile->string_table[0], "");
	assert_int_equal(profile->n_sample_type, 2);
	assert_string_equal(text(profile->sample_type[0]->type), "contentions");
	assert_string_equal(text(profile->sample_type[0]->unit), "count");
	assert_string_equal(text(profile->sample_type[1]->type), "delay");
	assert_string_equal(text(profile->sample_type[1]->unit), "nanoseconds");
	assert_string_equal(text(profile->period_type->type), "contentions");
	assert_string_equal(text(profile->period_type->unit), "count");
	assert_int_equal(profile->period, 1);
	assert_string_equal(text(profile->default_sample_type), "delay");
	assert_true(profile->time_nanos == 1700000000000000000);
	assert_true(profile->duration_nanos == 2000000000);
	assert_true(has_comment("delays are measured"));
	assert_false(has_comment("estimate"));
	assert_false(has_comment("method"));
	assert_false(has_comment("processors"));
}

TEST_WITH(fixture, the_method_and_the_processors_are_comments)
{
	recording_sample_hardware(&writer);
	decode();
	assert_true(has_comment("transactions were run by method htm"));
	assert_true(has_comment("the process might use 2 processors"));
}

TEST_WITH(fixture, samples_have_the_victims_stack_and_name_the_culprit)
{
	static const struct {
		const char *stack, *reason, *contention, *culprit;
		int64_t count, lost_ns;
	} expected[] = {
		{"transfer worker libc.so.6+0x29d90", "self-abort", "write-write", "unknown", 2000, 4000000},
		{"audit libc.so.6+0x29d90 (cut)", "self-abort", "write-read", "transfer bank.c:61", 40, 1000000},
		{"(no frames)", "pause", "write-read", "unknown", 5, 250000},
		{"transfer worker libc.so.6+0x29d90", "aborted-by-other", "write-write", "audit bank.c:85", 4, 150000},
		{"transfer worker libc.so.6+0x29d90", "user-abort", "none", "nobody", 2, 50000},
		{"(evicted)", NULL, NULL, "unknown", 6, 100000},
	};
	recording_sample(&writer);
	decode();
	assert_int_equal(profile->n_sample, sizeof expected / sizeof expected[0]);
	for (size_t i = 0; i < profile->n_sample; i++) {
		const Pprof__Sample *sample = profile->sample[i];
		assert_string_equal(stack_of(sample), expected[i].stack);
		assert_int_equal(sample->value[0], expected[i].count);
		assert_int_equal(sample->value[1], expected[i].lost_ns);
		assert_string_equal(label_of(sample, "runtime"), "libitm");
		assert_string_equal(label_of(sample, "blocked_by"), expected[i].culprit);
		assert_int_equal(sample->n_label, expected[i].reason != NULL ? 4 : 2);
		if (expected[i].reason == NULL)
			continue;
		assert_string_equal(label_of(sample, "reason"), expected[i].reason);
		assert_string_equal(label_of(sample, "contention"), expected[i].contention);
	}
}

TEST_WITH(fixture, frames_have_function_file_and_line)
{
	recording_sample(&writer);
	decode();
	const Pprof__Location *location = location_of(profile->sample[0]->location_id[0]);
	const Pprof__Function *function = function_of(location->line[0]);
	assert_int_equal(location->n_line, 1);
	assert_int_equal(location->mapping_id, 0);
	assert_int_equal(location->line[0]->line, 61);
	assert_string_equal(text(function->name), "transfer");
	assert_string_equal(text(function->system_name), "transfer");
	assert_string_equal(text(function->filename), "bench/bank.c");
}

TEST_WITH(fixture, a_location_is_a_call_in_a_mapping_with_its_build)
{
	recording_sample(&writer);
	decode();
	const Pprof__Location *location = location_of(profile->sample[0]->location_id[2]);
	assert_true(location->address == 0x7f0000029d8f);
	assert_int_equal(profile->n_mapping, 1);
	const Pprof__Mapping *mapping = profile->mapping[0];
	assert_int_equal(mapping->id, location->mapping_id);
	assert_true(mapping->memory_start == 0x7f0000020000);
	assert_true(mapping->memory_limit == 0x7f0000180000);
	assert_true(mapping->file_offset == 0x20000);
	assert_string_equal(text(mapping->filename), "/gone/libc.so.6");
	assert_string_equal(text(mapping->build_id), "deadbeef");
	assert_false(mapping->has_functions);
}

TEST_WITH(fixture, estimates_add_up_to_the_rounded_total)
{
	recording_sample_weighed(&writer);
	struct stmlog_entry_record *entries = (void *)writer.sections[STMLOG_SECTION_ENTRIES].bytes;
	struct stmlog_total_record *totals = (void *)writer.sections[STMLOG_SECTION_TOTALS].bytes;
	for (size_t i = 0; i < 5; i++) {
		entries[i].estimated_ns += 0.25;
		totals[0].estimated_ns += 0.25;
	}
	decode();
	assert_int_equal(sum_of(0), 2057);
	assert_int_equal(sum_of(1), SAMPLE_WEIGHT * 5550000 + 1); /* 1.25, rounded; each by itself would round to 0 */
	assert_true(has_comment("delays are estimates"));
	assert_false(has_comment("delays are measured"));
}

/* ---- addresses of this program ---- */

#define HERE __attribute__((noinline, noclone))

static uint64_t address_within;

/* The return address of the call. */
static HERE void take_address(void)
{
	address_within = (uint64_t)(uintptr_t)__builtin_return_address(0);
	__asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) void an_inlined_function(void)
{
	take_address();
	__asm__ volatile("" ::: "memory");
}

static HERE void a_function_around_it(void)
{
	an_inlined_function();
	__asm__ volatile("" ::: "memory");
}

static void write_own(void)
{
	struct stmlog_module_record module = own_module();
	writer_init(&writer);
	char program[5000];
	snprintf(program, sizeof program, "program=%s", own_module_path());
	writer_info(&writer, program);
	module.path = writer_string(&writer, own_module_path());
	writer_module(&writer, &module);
}

/* The profile of one loss, in a function of this program that was inlined into another one. */
static void export_own_code(void)
{
	write_own();
	a_function_around_it();
	uint32_t site = writer_address(&writer, 0, address_within);
	uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
	writer_entry(&writer, &(struct stmlog_entry_record){.count = 1, .lost_ns = 1, .local = traceback});
	decode();
}

TEST_WITH(fixture, inlined_functions_are_lines_of_one_location)
{
	export_own_code();
	assert_int_equal(profile->n_location, 1);
	assert_string_equal(stack_of(profile->sample[0]), "an_inlined_function a_function_around_it");
	assert_true(profile->location[0]->address == address_within - 1);
	const Pprof__Mapping *mapping = profile->mapping[0];
	assert_true(mapping->has_functions && mapping->has_filenames && mapping->has_line_numbers);
	assert_true(mapping->has_inline_frames);
	assert_string_equal(text(mapping->filename), own_module_path());
	assert_int_equal(strlen(text(mapping->build_id)), 40);
}

/* ---- boundaries ---- */

/* pprof shows a source page by the lines of the profile only of locations without a mapping. */
TEST_WITH(fixture, a_location_with_a_line_has_the_whole_path_of_its_file_and_no_mapping)
{
	export_own_code();
	const Pprof__Location *location = location_of(profile->sample[0]->location_id[0]);
	assert_int_equal(location->mapping_id, 0);
	for (size_t i = 0; i < location->n_line; i++) {
		const Pprof__Function *function = function_of(location->line[i]);
		assert_true(location->line[i]->line >= function->start_line && function->start_line > 0);
		assert_int_equal(text(function->filename)[0], '/');
		assert_int_equal(access(text(function->filename), R_OK), 0);
	}
}

TEST_WITH(fixture, a_profile_of_nothing_is_one)
{
	write_own();
	decode();
	assert_int_equal(profile->n_sample, 0);
	assert_int_equal(profile->n_location, 0);
	assert_int_equal(profile->n_sample_type, 2);
	assert_int_equal(profile->n_mapping, 1); /* the program's: its name */
}

TEST_WITH(fixture, what_was_evicted_is_one_sample)
{
	writer_init(&writer);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 3, 500);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 3, 500);
	decode();
	assert_int_equal(profile->n_sample, 1);
	assert_string_equal(stack_of(profile->sample[0]), "(evicted)");
	assert_int_equal(sum_of(0), 3);
	assert_int_equal(sum_of(1), 500);
	assert_string_equal(label_of(profile->sample[0], "blocked_by"), "unknown");
	assert_null(label_of(profile->sample[0], "runtime")); /* the recording does not say */
}

TEST_WITH(fixture, without_a_traceback_a_sample_is_of_unknown)
{
	writer_init(&writer);
	writer_entry(&writer, &(struct stmlog_entry_record){.count = 1, .lost_ns = 1});
	decode();
	assert_string_equal(stack_of(profile->sample[0]), "unknown place");
}

TEST_WITH(fixture, sites_of_one_function_share_it)
{
	writer_init(&writer);
	uint32_t sites[] = {writer_place(&writer, "transfer", "bank.c", 1),
		writer_place(&writer, "transfer", "bank.c", 2), writer_place(&writer, "transfer", "other.c", 1)};
	writer_place(&writer, "never", "bank.c", 3);
	uint32_t traceback = writer_traceback(&writer, sites, 3, 0);
	writer_entry(&writer, &(struct stmlog_entry_record){.count = 1, .lost_ns = 1, .local = traceback});
	decode();
	assert_int_equal(profile->n_location, 3);
	assert_int_equal(profile->n_function, 2);
}

TEST_WITH(fixture, no_address_is_a_label)
{
	writer_init(&writer);
	uint32_t site = writer_address(&writer, STMLOG_NO_MODULE, 0x7f0000001234);
	uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
	writer_entry(&writer,
		&(struct stmlog_entry_record){.count = 1, .lost_ns = 1, .local = traceback, .remote = traceback});
	decode();
	assert_string_equal(label_of(profile->sample[0], "blocked_by"), "unknown");
}

TEST_WITH(fixture, names_of_any_bytes_are_valid_text)
{
	writer_init(&writer);
	writer_info(&writer, "runtime=st\xffm\n");
	writer_info(&writer, "version=\xc3");
	uint32_t site = writer_place(&writer, "tr\"an\ns\x1b\xff", "ba\nnk\xc3", 1);
	uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
	writer_entry(&writer,
		&(struct stmlog_entry_record){.count = 1, .lost_ns = 1, .local = traceback, .remote = traceback});
	decode();
	const Pprof__Sample *sample = profile->sample[0];
	assert_string_equal(stack_of(sample), "tr\"an?s?\xef\xbf\xbd");
	assert_string_equal(label_of(sample, "runtime"), "st\xef\xbf\xbdm?");
	assert_string_equal(label_of(sample, "blocked_by"), "tr\"an?s?\xef\xbf\xbd ba?nk\xef\xbf\xbd:1");
	assert_string_equal(text(profile->function[0]->filename), "ba?nk\xef\xbf\xbd");
}

/* ---- all time ---- */

/* Checks the types of values from `first` on. */
static void expect_time_types(size_t first)
{
	static const char *const names[] = {"entries", "time", "committed", "aborted", "paused", "waiting"};
	assert_int_equal(profile->n_sample_type, first + 6);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(text(profile->sample_type[first + i]->type), names[i]);
		assert_string_equal(text(profile->sample_type[first + i]->unit), i == 0 ? "count" : "nanoseconds");
	}
}

/* The row of the specification: "fble: output for pprof of all time: the tree of calls, committed time included". */
TEST_WITH(fixture, fble_pprof_has_all_time_by_folded_path)
{
	static const struct {
		const char *stack;
		int64_t values[6];
	} expected[] = {
		{"(root)", {5, 1207, 1003, 200, 0, 4}},
		{"main", {2, 1204, 1000, 200, 0, 4}},
		{"audit main", {3, 1235, 1001, 200, 30, 4}},
		{"leaf main", {4, 1206, 1002, 200, 0, 4}},
		{"(overflow)", {6, 1208, 1004, 200, 0, 4}},
	};
	recording_sample(&writer);
	write_paths(&writer);
	decode_of(EXPORT_OF_TIME);
	expect_time_types(0);
	assert_string_equal(text(profile->default_sample_type), "time");
	assert_string_equal(text(profile->period_type->type), "entries");
	assert_true(has_comment("times by call path are measured") && !has_comment("delays"));
	assert_int_equal(profile->n_sample, sizeof expected / sizeof expected[0]);
	for (size_t i = 0; i < profile->n_sample; i++) {
		const Pprof__Sample *sample = profile->sample[i];
		assert_string_equal(stack_of(sample), expected[i].stack);
		assert_int_equal(sample->n_value, 6);
		assert_memory_equal(sample->value, expected[i].values, sizeof expected[i].values);
		assert_int_equal(sample->n_label, 0);
	}
	const Pprof__Line *line = location_of(profile->sample[2]->location_id[0])->line[0];
	assert_int_equal(line->line, 7);
	assert_string_equal(text(function_of(line)->filename), "bank.c");
}

/* A sample of a loss has 0 for the values of all time, and a sample of all time has 0 for those of losses: pprof leaves
 * out samples with the value 0. */
TEST_WITH(fixture, losses_and_all_time_are_one_profile_where_paths_are_recorded)
{
	recording_sample(&writer);
	write_paths(&writer);
	decode();
	expect_time_types(2);
	assert_string_equal(text(profile->default_sample_type), "delay");
	assert_string_equal(text(profile->period_type->type), "contentions");
	assert_int_equal(profile->n_sample, 6 + 5);
	assert_int_equal(sum_of(0), 2057);
	assert_int_equal(sum_of(1), 5550000);
	assert_int_equal(sum_of(3), 6060);
	for (size_t i = 0; i < profile->n_sample; i++) {
		const Pprof__Sample *sample = profile->sample[i];
		bool is_loss = sample->value[0] != 0;
		assert_true(is_loss == (sample->value[2] == 0) && is_loss == (label_of(sample, "blocked_by") != NULL));
	}
}

TEST_WITH(fixture, losses_alone_are_as_without_paths)
{
	recording_sample(&writer);
	write_paths(&writer);
	decode_of(EXPORT_OF_LOSS);
	assert_int_equal(profile->n_sample_type, 2);
	assert_int_equal(profile->n_sample, 6);
	assert_false(has_comment("by call path"));
}

TEST_WITH(fixture, estimates_of_all_time_are_said_to_be_some)
{
	recording_sample_weighed(&writer);
	write_paths(&writer);
	decode_of(EXPORT_OF_TIME);
	assert_true(has_comment("times by call path are estimates"));
	assert_int_equal(sum_of(1), 0);
	assert_int_equal(sum_of(0), 20);
}
