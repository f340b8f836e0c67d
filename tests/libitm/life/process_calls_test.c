/* SPDX-License-Identifier: MIT
 * The environment of the next process image. The calls are made by hand; nothing is executed. */

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "asm_shared.h"
#include "life.h"
#include "test.h"

static char *no_variables[] = {NULL};
static char *variables[] = {"A=1", "STMLOG_GENERATION=41", "B=2", NULL};

/* Ten arguments: six in registers, four on the stack. */
static struct {
	struct itm_call call;
	char *on_stack[4];
} frame;

static void set_up(void)
{
	memset(&frame, 0, sizeof frame);
	itm_agent.pid = getpid();
	AO_store(&itm_agent.has_seen, 1);
}

static const struct test_fixture fixture = {.set_up = set_up};

static char **environment_at(char **place)
{
	return (char **)(void *)*place;
}

static void put(char **place, char **environment)
{
	*place = (char *)(void *)environment;
}

TEST_WITH(fixture, the_real_function_is_returned_and_errno_kept)
{
	errno = 77;
	assert_ptr_equal(itm_leave(ITM_EXIT_NOW, &frame.call), dlsym(RTLD_NEXT, "_exit"));
	assert_ptr_equal(itm_leave(ITM_EXECVP, &frame.call), dlsym(RTLD_NEXT, "execvp"));
	assert_int_equal(errno, 77);
}

TEST_WITH(fixture, the_next_image_is_told_its_generation)
{
	put(&frame.call.registers[2], no_variables);
	itm_leave(ITM_EXECVE, &frame.call);
	char **given = environment_at(&frame.call.registers[2]);
	assert_string_equal(given[0], "STMLOG_GENERATION=1");
	assert_null(given[1]);
	assert_null(no_variables[0]);
}

TEST_WITH(fixture, no_environment_at_all_is_an_empty_one)
{
	itm_leave(ITM_EXECVPE, &frame.call);
	char **given = environment_at(&frame.call.registers[2]);
	assert_string_equal(given[0], "STMLOG_GENERATION=1");
	assert_null(given[1]);
}

TEST_WITH(fixture, a_generation_counts_on_and_other_variables_stay)
{
	put(&frame.call.registers[3], variables);
	itm_leave(ITM_EXECVEAT, &frame.call);
	char **given = environment_at(&frame.call.registers[3]);
	assert_string_equal(given[0], "A=1");
	assert_string_equal(given[1], "B=2");
	assert_string_equal(given[2], "STMLOG_GENERATION=42");
	assert_null(given[3]);
	assert_string_equal(variables[1], "STMLOG_GENERATION=41");
}

TEST_WITH(fixture, execle_finds_its_environment_behind_the_list)
{
	for (size_t list = 0; list <= 7; list++) {
		set_up();
		char **arguments[10];
		for (size_t i = 0; i < 10; i++)
			arguments[i] = i < 6 ? &frame.call.registers[i] : &frame.on_stack[i - 6];
		for (size_t i = 1; i <= list; i++)
			*arguments[i] = "argument";
		put(arguments[list + 2], no_variables);
		itm_leave(ITM_EXECLE, &frame.call);
		assert_string_equal(environment_at(arguments[list + 2])[0], "STMLOG_GENERATION=1");
	}
}

TEST_WITH(fixture, exec_without_an_environment_changes_the_process_own)
{
	char **saved = environ;
	environ = variables;
	itm_leave(ITM_EXECV, &frame.call);
	char **given = environ;
	environ = saved;
	assert_string_equal(given[2], "STMLOG_GENERATION=42");
}

TEST_WITH(fixture, exit_takes_no_environment)
{
	char **saved = environ;
	itm_leave(ITM_EXIT_NOW_C, &frame.call);
	assert_ptr_equal(environ, saved);
	for (size_t i = 0; i < 6; i++)
		assert_null(frame.call.registers[i]);
}

TEST_WITH(fixture, a_vfork_child_and_a_process_without_transactions_pass_through)
{
	put(&frame.call.registers[2], variables);
	itm_agent.pid = getpid() + 1;
	itm_leave(ITM_EXECVE, &frame.call);
	assert_ptr_equal(environment_at(&frame.call.registers[2]), variables);
	itm_agent.pid = getpid();
	AO_store(&itm_agent.has_seen, 0);
	itm_leave(ITM_EXECVE, &frame.call);
	assert_ptr_equal(environment_at(&frame.call.registers[2]), variables);
}
