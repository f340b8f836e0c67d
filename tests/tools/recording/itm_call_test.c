/* SPDX-License-Identifier: MIT
 * The lines of commits. This program is the module that ran; the functions that libitm has are its own, and nothing but
 * what a transaction calls. */
#include "loaded.h"

#include <stmlog/stmlog.h>

#include "own_module.h"
#include "symbol.h"

#define HERE __attribute__((noinline, noclone))

static uint64_t began_at, committed_at, wrote_at;

static uint64_t *const returns_at[] = {&began_at, &committed_at, &wrote_at};

#define RETURNS(name, where)                                                           \
	void name(void);                                                               \
	HERE void name(void)                                                           \
	{                                                                              \
		*returns_at[where] = (uint64_t)(uintptr_t)__builtin_return_address(0); \
		__asm__ volatile("" ::: "memory");                                     \
	}
RETURNS(_ITM_beginTransaction, 0)
RETURNS(_ITM_commitTransaction, 1)
RETURNS(_ITM_WU8, 2)

static uint64_t begin_line, write_line, commit_line;

static HERE void transact(void)
{
	begin_line = __LINE__ + 1;
	_ITM_beginTransaction();
	write_line = __LINE__ + 1;
	_ITM_WU8();
	commit_line = __LINE__ + 1;
	_ITM_commitTransaction();
	__asm__ volatile("" ::: "memory");
}

static HERE void transact_elsewhere(void)
{
	_ITM_beginTransaction();
	__asm__ volatile("" ::: "memory");
}

static void add_entry(struct writer *writer, uint32_t module, uint32_t local, uint64_t began)
{
	struct stmlog_entry_record entry = {.reason = STMLOG_PAUSE, .count = 1};
	entry.local = writer_traceback(writer, &local, 1, 0);
	entry.site = began != 0 ? writer_address(writer, module, began) : 0;
	writer_entry(writer, &entry);
}

/* The line of the site of a loss at `at`, whose transaction began at each of two addresses; 0: not known. */
static uint64_t line_of(uint64_t at, uint64_t began, uint64_t began_again)
{
	struct recording recording;
	struct writer writer;
	writer_init(&writer);
	struct stmlog_module_record record = own_module();
	record.path = writer_string(&writer, own_module_path());
	uint32_t module = writer_module(&writer, &record);
	writer_place(&writer, "first", "first.c", 1);
	uint32_t local = writer_address(&writer, module, at);
	add_entry(&writer, module, local, began);
	if (began_again != 0)
		add_entry(&writer, module, local, began_again);
	writer_total(&writer, STMLOG_PAUSE, 0, 2, 0);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct symbols *symbols = symbols_create(&recording);
	uint32_t site = recording_traceback(&recording, recording.entries[0].local).sites[0];
	assert_string_equal(symbols_site(symbols, site)->frames[0].function, "transact");
	uint64_t line = symbols_site(symbols, site)->frames[0].line;
	symbols_destroy(&symbols);
	recording_fini(&recording);
	return line;
}

static void a_commit_has_the_line_of_its_begin(void **state)
{
	(void)state;
	transact();
	assert_int_equal(line_of(committed_at, began_at, 0), begin_line);
}

static void other_calls_keep_their_lines(void **state)
{
	(void)state;
	transact();
	assert_int_equal(line_of(wrote_at, began_at, 0), write_line);
	assert_int_equal(line_of(began_at, began_at, 0), begin_line);
}

static void a_commit_whose_begin_is_not_known_for_certain_keeps_its_line(void **state)
{
	(void)state;
	transact();
	assert_int_equal(line_of(committed_at, 0, 0), commit_line);
	assert_int_equal(line_of(committed_at, began_at, wrote_at), commit_line);
	transact_elsewhere();
	assert_int_equal(line_of(committed_at, began_at, 0), commit_line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_commit_has_the_line_of_its_begin),
		cmocka_unit_test(other_calls_keep_their_lines),
		cmocka_unit_test(a_commit_whose_begin_is_not_known_for_certain_keeps_its_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
