/* SPDX-License-Identifier: MIT
 * Places have their texts after their code is gone. */
#include "fixture.h"

#include <string.h>

#include <stmlog/traceback.h>

#include "mem.h"

static struct tb_stack *stack;
/* As in a library that is unloaded. */
static char function[600], file[600];
static struct tb_place gone;

static void set_up(void)
{
	fixture_set_up();
	strcpy(function, "transfer");
	strcpy(file, "plugin.c");
	gone = (struct tb_place){function, file, 7};
	stack = tb_stack_create(0);
	assert_non_null(stack);
}

static void tear_down(void)
{
	tb_stack_destroy(&stack);
	fixture_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

static void unload(void)
{
	memset(function, 'x', sizeof function);
	memset(file, 'x', sizeof file);
	memset(&gone, 0xff, sizeof gone);
}

static void expect(const char *expected_function, const char *expected_file, uint32_t line)
{
	struct tb_place text = tb_place_text(&gone);
	assert_string_equal(text.function, expected_function);
	assert_string_equal(text.file, expected_file);
	assert_int_equal(text.line, line);
}

TEST_WITH(fixture, a_place_without_frames_is_its_own_text)
{
	expect("transfer", "plugin.c", 7);
	tb_push(stack, tb_place_site(&gone));
	tb_pop(stack);
	strcpy(function, "changed");
	expect("changed", "plugin.c", 7);
}

TEST_WITH(fixture, a_captured_place_has_its_text_when_it_is_gone)
{
	tb_push(stack, tb_place_site(&gone));
	struct tb_frame *traceback = tb_capture(stack);
	tb_pop(stack);
	unload();
	expect("transfer", "plugin.c", 7);
	tb_unref(stack, traceback);
	expect("transfer", "plugin.c", 7);
}

TEST_WITH(fixture, so_has_one_of_a_built_traceback)
{
	struct tb_site site = tb_place_site(&gone);
	struct tb_frame *traceback = tb_build(stack, &site, 1, TB_EMPTY);
	unload();
	expect("transfer", "plugin.c", 7);
	tb_unref(stack, traceback);
}

TEST_WITH(fixture, long_names_are_cut_and_missing_ones_are_empty)
{
	memset(function, 'f', sizeof function - 1);
	gone.file = NULL;
	tb_push(stack, tb_place_site(&gone));
	tb_current(stack);
	tb_pop(stack);
	struct tb_place text = tb_place_text(&gone);
	assert_int_equal(strlen(text.function), 255);
	assert_string_equal(text.file, "");
}

TEST_WITH(fixture, without_memory_the_frame_is_there_and_the_place_is_its_own_text)
{
	tb_push(stack, tb_site_make(7, 7));
	tb_current(stack); /* the frames have their memory */
	tb_push(stack, tb_place_site(&gone));
	mem_fail_at(1);
	assert_false(tb_is_unknown(tb_current(stack)));
	assert_int_equal(mem_fail_left(), 0);
	tb_pop(stack);
	strcpy(file, "changed");
	expect("transfer", "changed", 7);
}
