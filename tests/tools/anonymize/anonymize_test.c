/* SPDX-License-Identifier: MIT */
#include "anonymize.h"

#include <stdio.h>
#include <string.h>

#include <valgrind/valgrind.h>

#include "capture_stderr.h"
#include "loaded.h"
#include "merged.h"
#include "own_module.h"
#include "random_recording.h"

#include <stmlog/read.h>
#include <stmlog/timeline.h>

static char told[1024];

/* What is printed meanwhile is in `told`. */
static void anonymize_path(const char *in, const char *out)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(recording_load(&recording, in), RECORDING_WHOLE);
	capture_stderr_begin();
	assert_true(anonymize(&recording, in, out));
	capture_stderr_end(told, sizeof told);
}

static struct writer_blob bytes_of(const char *path)
{
	struct writer_blob blob = {.cap = 1 << 20};
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	blob.bytes = malloc(blob.cap);
	blob.len = fread(blob.bytes, 1, blob.cap, file);
	assert_true(blob.len < blob.cap);
	fclose(file);
	return blob;
}

/* ---- strings ---- */

/* A word of a cause, or of another fact of the runtime. */
static bool may_stay(const char *text)
{
	static const char *const kept[] = {"LOCKED_READ", "LOCKED_WRITE", "VALIDATE_READ", "libitm"};
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		if (strcmp(text, kept[i]) == 0)
			return true;
	return false;
}

static void assert_without(const struct writer_blob *file, const char *text)
{
	if (memmem(file->bytes, file->len, text, strlen(text)) != NULL)
		fail_msg("'%s' is left", text);
}

static void assert_no_string_left(const char *in, const char *out)
{
	OWNED(recording_fini) struct recording recording;
	struct writer_blob file = bytes_of(out);
	assert_int_equal(recording_load(&recording, in), RECORDING_WHOLE);
	for (size_t at = 0; at < recording.strings_len; at += strlen(recording.strings + at) + 1)
		if (strlen(recording.strings + at) >= 4 && !may_stay(recording.strings + at))
			assert_without(&file, recording.strings + at);
	free(file.bytes);
}

/* The sample with each other string and text that a file may have. */
static void save_all_strings(const char *path)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample_processes(&writer);
	writer_info(&writer, "method=handmade");
	writer_info(&writer, "option=password");
	writer_info(&writer, "value=hunter22");
	writer_green(&writer, &(struct stmlog_green_record){.id = 1, .label = "customer 17"});
	writer_label(&writer, &(struct stmlog_label_record){.count = 1, .text = "client 17"});
	writer_event_place(&writer, &(struct stmlog_place_record){.word = 0});
	writer_event_place(&writer, &(struct stmlog_place_record){.word = writer_string(&writer, "payroll")});
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 3,
				       .name = writer_string(&writer, "cashier"),
				       .runtime = writer_string(&writer, "homebrew")});
	writer_site(&writer, &(struct stmlog_site_record){.kind = STMLOG_SITE_OPAQUE,
				     .module = STMLOG_NO_MODULE,
				     .function = writer_string(&writer, "interpret"),
				     .file = writer_string(&writer, "loop.lua")});
	writer_save(&writer, path);
}

TEST(no_string_of_the_recording_is_left)
{
	struct names n = names_in();
	save_all_strings(n.name[0]);
	anonymize_path(n.name[0], n.name[1]);
	assert_no_string_left(n.name[0], n.name[1]);
	struct writer_blob file = bytes_of(n.name[1]);
	static const char *const others[] = {
		"handmade", "password", "hunter22", "customer", "client", "back-off", "bank", "--threads"};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_without(&file, others[i]);
	assert_null(memmem(file.bytes, file.len, "\xde\xad\xbe\xef", 4)); /* a build-id */
	free(file.bytes);
}

TEST(equal_strings_become_equal_names)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording made;
	save_all_strings(n.name[0]);
	anonymize_path(n.name[0], n.name[1]);
	assert_int_equal(recording_load(&made, n.name[1]), RECORDING_WHOLE);
	assert_string_equal(made.info.program, "program_1");
	assert_string_equal(made.info.args.at[0], "program_1");
	assert_string_equal(made.info.args.at[1], "argument_1");
	assert_string_equal(made.info.method, "word_1");
	assert_string_equal(recording_string(&made, made.processes[0].program), "program_1");
	assert_string_equal(recording_string(&made, made.processes[1].program), "program_2");
	assert_string_equal(recording_string(&made, made.threads[0].name), "thread_1");
	assert_string_equal(recording_string(&made, made.threads[1].name), "thread_2");
	assert_string_equal(recording_string(&made, made.threads[2].runtime), "runtime_1");
	assert_string_equal(recording_string(&made, made.modules[0].path), "module_1/libc.so");
	assert_string_equal(recording_string(&made, made.entries[0].detail), "LOCKED_WRITE");
	assert_string_equal(recording_string(&made, made.entries[0].object_names[0]), "object_1+16");
	assert_string_equal(made.green[0].label, "label_1");
	assert_string_equal(made.own_work[0].word, "word_3");
	assert_string_equal(made.labels[0].text, "object_2 17");
	assert_string_equal(recording_string(&made, made.places[1].word), "word_2");
	assert_string_equal(made.info.options.at[0], "depth");
	assert_string_equal(made.info.options.at[1], "9");
	assert_string_equal(made.info.options.at[2], "option_1");
	assert_string_equal(made.info.options.at[3], "value_1");
}

/* ---- figures ---- */

/* Makes each string of JSON, and what is null in place of one, empty. */
static char *without_strings(char *json)
{
	char *to = json;
	for (const char *from = json; *from != '\0';) {
		bool is_null = strncmp(from, "null", 4) == 0;
		if (*from != '"' && !is_null) {
			*to++ = *from++;
			continue;
		}
		if (is_null)
			from += 4;
		else
			for (from++; *from++ != '"';)
				from += from[-1] == '\\';
		*to++ = '"';
		*to++ = '"';
	}
	*to = '\0';
	return json;
}

static char *figures_of(const char *path)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	return without_strings(printed_report(&recording, (struct report_options){.top = REPORT_ALL}, report_json));
}

static size_t violations(const char *path)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	return verify_recording(&recording, print_violation, NULL);
}

static void assert_same_figures(const char *in, const char *out)
{
	OWNED(owned_free) char *wanted = figures_of(in), *found = figures_of(out);
	assert_string_equal(wanted, found);
	assert_int_equal(violations(in), violations(out));
}

TEST(all_figures_of_the_report_stay)
{
	static void (*const samples[])(struct writer *) = {
		recording_sample, recording_sample_weighed, recording_sample_processes, recording_sample_hardware};
	struct names n = names_in();
	for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
		OWNED(writer_fini) struct writer writer;
		samples[i](&writer);
		writer_save(&writer, n.name[0]);
		anonymize_path(n.name[0], n.name[1]);
		assert_same_figures(n.name[0], n.name[1]);
	}
}

TEST(so_do_those_of_random_recordings)
{
	struct names n = names_in();
	struct random random = {23};
	for (int round = 0; round < (RUNNING_ON_VALGRIND ? 5 : 60); round++) {
		OWNED(writer_fini) struct writer writer;
		random_recording(&writer, &random);
		writer_save(&writer, n.name[0]);
		anonymize_path(n.name[0], n.name[1]);
		assert_string_equal(told, "");
		assert_no_string_left(n.name[0], n.name[1]);
		assert_same_figures(n.name[0], n.name[1]);
	}
}

TEST(an_anonymous_recording_stays_as_it_is)
{
	struct names n = names_in();
	save_all_strings(n.name[0]);
	anonymize_path(n.name[0], n.name[1]);
	anonymize_path(n.name[1], n.name[2]);
	struct writer_blob once = bytes_of(n.name[1]), twice = bytes_of(n.name[2]);
	assert_int_equal(once.len, twice.len);
	assert_memory_equal(once.bytes, twice.bytes, once.len);
	free(once.bytes);
	free(twice.bytes);
}

/* ---- places ---- */

static uint64_t address;
static uint32_t inner_line, outer_line;

static __attribute__((noinline, noclone)) void take_address(void)
{
	address = (uint64_t)(uintptr_t)__builtin_return_address(0);
	__asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) void an_inlined_function(void)
{
	inner_line = __LINE__ + 1;
	take_address();
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline, noclone)) void a_function(void)
{
	outer_line = __LINE__ + 1;
	an_inlined_function();
	__asm__ volatile("" ::: "memory");
}

TEST(an_address_has_the_names_of_all_functions_that_were_inlined_there)
{
	struct names n = names_in();
	OWNED(writer_fini) struct writer writer;
	OWNED(recording_fini) struct recording made;
	a_function();
	recording_sample(&writer);
	struct stmlog_module_record module = own_module();
	module.path = writer_string(&writer, own_module_path());
	uint32_t site = writer_address(&writer, writer_module(&writer, &module), address);
	writer_save(&writer, n.name[0]);
	anonymize_path(n.name[0], n.name[1]);
	assert_int_equal(recording_load(&made, n.name[1]), RECORDING_WHOLE);
	struct symbols *symbols = symbols_create(&made);
	const struct symbol_site *found = symbols_site(symbols, site);
	assert_int_equal(found->len, 2);
	assert_string_equal(found->frames[0].function, "function_4");
	assert_string_equal(found->frames[1].function, "function_5");
	assert_string_equal(found->frames[0].file, "file_2.c");
	assert_string_equal(found->frames[1].file, "file_2.c");
	assert_int_equal(found->frames[0].line, inner_line);
	assert_int_equal(found->frames[1].line, outer_line);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(found->frames[i].module, "module_2");
		assert_true(found->frames[i].offset == address - module.bias);
	}
	symbols_destroy(&symbols);
	struct writer_blob file = bytes_of(n.name[1]);
	assert_without(&file, "a_function");
	assert_without(&file, "an_inlined_function");
	assert_without(&file, "anonymize_test");
	free(file.bytes);
}

/* A variable that symbol tables name. */
extern uint64_t anonymize_test_accounts[16];
uint64_t anonymize_test_accounts[16];

TEST(an_object_has_a_name_for_its_variable)
{
	struct names n = names_in();
	OWNED(writer_fini) struct writer writer;
	OWNED(recording_fini) struct recording made;
	recording_sample(&writer);
	struct stmlog_module_record module = own_module();
	module.path = writer_string(&writer, own_module_path());
	writer_module(&writer, &module);
	struct stmlog_entry_record *entries = (void *)writer.sections[STMLOG_SECTION_ENTRIES].bytes;
	entries[1].objects[0].address = (uint64_t)(uintptr_t)&anonymize_test_accounts[3];
	entries[1].objects[0].count = 3;
	writer_save(&writer, n.name[0]);
	anonymize_path(n.name[0], n.name[1]);
	assert_int_equal(recording_load(&made, n.name[1]), RECORDING_WHOLE);
	assert_string_equal(recording_string(&made, made.entries[1].object_names[0]), "object_2[3]");
	assert_true(made.entries[1].objects[0].address == entries[1].objects[0].address);
	assert_same_figures(n.name[0], n.name[1]);
}

/* ---- what is left out ---- */

TEST(unknown_sections_and_keys_are_left_out_and_that_is_one_line)
{
	struct names n = names_in();
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	writer_append(&writer, 100, "of the future", 13);
	writer_save(&writer, n.name[0]);
	anonymize_path(n.name[0], n.name[1]);
	assert_non_null(strstr(told, "has unknown parts (sections: 1, keys of INFO: 1)"));
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	struct writer_blob file = bytes_of(n.name[1]);
	assert_without(&file, "future");
	free(file.bytes);
}

TEST(a_file_that_cannot_be_written_is_one_line)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording recording;
	save_sample(n.name[0], NULL);
	assert_int_equal(recording_load(&recording, n.name[0]), RECORDING_WHOLE);
	capture_stderr_begin();
	assert_false(anonymize(&recording, n.name[0], "/no/where"));
	capture_stderr_end(told, sizeof told);
	assert_non_null(strstr(told, "/no/where: cannot be written"));
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
}

GROUP_WITH(temp_dir_fixture);
