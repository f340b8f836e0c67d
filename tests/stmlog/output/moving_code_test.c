/* SPDX-License-Identifier: MIT
 * A managed runtime whose collector moves code objects at each collection, and frees those that are not called any
 * more: the report has the right name of each, as it was when the code ran. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "losses.h"
#include "session_fixture.h"
#include "own_report.h"
#include "test.h"

/* ---- the runtime: two halves of a heap, and code objects that are in one of them ---- */

enum { CODES = 40 };

struct code {
	uintptr_t number; /* goes with the object wherever it moves */
	char function[16], file[16];
};

static struct code halves[2][CODES];
static unsigned half, len;
static struct code *live[CODES]; /* what the program can still call; NULL: it is gone */

static struct code *make_code(const char *function, const char *file)
{
	struct code *code = &halves[half][len++];
	snprintf(code->function, sizeof code->function, "%s", function);
	snprintf(code->file, sizeof code->file, "%s", file);
	code->number = tb_code_intern(code->function, code->file);
	return code;
}

/* Copies what is live in the order of `live`, and poisons where it was. */
static void collect(void)
{
	unsigned from = half;
	half = !half;
	len = 0;
	for (unsigned i = 0; i < CODES; i++) {
		if (live[i] == NULL)
			continue;
		halves[half][len] = *live[i];
		live[i] = &halves[half][len++];
	}
	memset(halves[from], 0x5a, sizeof halves[from]);
}

/* Calls a function at a line, which aborts once. */
static void call(const struct code *code, unsigned line)
{
	stmlog_push(me(), tb_site_make(code->number, line));
	stmlog_start(me());
	fake_clock_advance(MS);
	abort_asked(me(), NULL);
	stmlog_retry(me());
	stmlog_commit(me());
	stmlog_pop(me());
}

/* ---- what comes of it ---- */

static void set_up(void)
{
	memset(live, 0, sizeof live);
	half = len = 0;
	tb_code_intern("a first one", "takes the memory of the process"); /* before bytes are counted */
	session_set_up();
}

static const struct test_fixture moving_fixture = {set_up, session_tear_down};

/* The name of the function on top of an entry's traceback. */
static void expect_entry(struct stmlog_entry entry, const char *function, uint64_t count)
{
	struct tb_place place;
	assert_true(tb_code_place(tb_frame_site(entry.local), &place));
	assert_string_equal(place.function, function);
	assert_int_equal(entry.count, count);
}

/* The report has a line with the place, and the function on it. */
static void assert_names(const char *report, const char *function, const char *place)
{
	const char *at = strstr(report, place), *line = at;
	while (line != NULL && line > report && line[-1] != '\n')
		line--;
	const char *name = line != NULL ? strstr(line, function) : NULL;
	if (name == NULL || name > line + strcspn(line, "\n"))
		fail_msg("\"%s\" \"%s\" is not in:\n%s", function, place, report);
}

TEST_WITH(moving_fixture, code_that_moves_is_one_place_and_code_in_its_old_memory_another)
{
	char report[8192];
	live[0] = make_code("doomed", "a.py");
	live[1] = make_code("transfer", "b.py");
	call(live[0], 11);
	call(live[1], 22);
	live[0] = NULL;
	collect(); /* "transfer" is where another object of the other half was, and "doomed" is nowhere */
	call(live[1], 22);
	live[0] = live[1];
	live[1] = make_code("audit", "c.py");
	collect();
	live[2] = make_code("sweep", "d.py");
	call(live[1], 33); /* in the memory of the first "transfer" */
	call(live[0], 22); /* in that of "doomed" */
	call(live[2], 44);
	memset(halves, 0x5a, sizeof halves); /* the runtime is gone */
	expect_entry(entry_at(fixture_log, 0), "transfer", 3);
	assert_int_equal(stmlog_timelog_len(fixture_log), 4);
	read_report(report, sizeof report);
	assert_names(report, "doomed", "a.py:11");
	assert_names(report, "transfer", "b.py:22");
	assert_names(report, "audit", "c.py:33");
	assert_names(report, "sweep", "d.py:44");
}

/* The collections change which addresses the objects have, so each address has had several functions. */
TEST_WITH(moving_fixture, many_collections_mix_nothing_up)
{
	char name[16];
	for (unsigned i = 0; i < CODES / 2; i++) {
		snprintf(name, sizeof name, "f%u", i);
		live[i] = make_code(name, "many.py");
	}
	for (unsigned round = 0; round < 100; round++) {
		struct code *first = live[0];
		memmove(live, live + 1, (CODES / 2 - 1) * sizeof *live);
		live[CODES / 2 - 1] = first;
		collect();
		for (unsigned i = 0; i < CODES / 2; i++)
			call(live[i], 1 + (unsigned)atoi(live[i]->function + 1));
	}
	assert_int_equal(stmlog_timelog_len(fixture_log), CODES / 2);
	for (unsigned rank = 0; rank < CODES / 2; rank++) {
		struct stmlog_entry entry = entry_at(fixture_log, rank);
		snprintf(name, sizeof name, "f%u", (unsigned)tb_frame_site(entry.local).position - 1);
		expect_entry(entry, name, 100);
	}
}

TEST_WITH(moving_fixture, a_number_outlasts_its_session)
{
	char report[8192];
	uintptr_t number = tb_code_intern("transfer", "b.py");
	session_open_with("top=5");
	call(&(struct code){.number = number}, 7);
	read_report(report, sizeof report);
	assert_names(report, "transfer", "b.py:7");
}

TEST_WITH(moving_fixture, unknown_code_is_called_so_and_has_its_line)
{
	char report[8192];
	call(&(struct code){.number = TB_CODE_UNKNOWN}, 8);
	read_report(report, sizeof report);
	assert_names(report, "where", "unknown code:8");
}

TEST_WITH(moving_fixture, code_without_a_file_has_its_line_behind_its_name)
{
	static const char *const files[] = {"", NULL};
	char report[8192];
	for (int i = 0; i < 2; i++)
		call(&(struct code){.number = tb_code_intern("transfer", files[i])}, 9 + (unsigned)i);
	read_report(report, sizeof report);
	assert_names(report, "where", "transfer:9\n");
	assert_names(report, "where", "transfer:10\n");
}
