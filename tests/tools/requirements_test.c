/* SPDX-License-Identifier: MIT
 * Requirements of the command's rooms (base/check.h): for each room a call that breaks one. A build without
 * STMLOG_CHECKS checks none. */
#include "arguments.h"
#include "child.h"
#include "code.h"
#include "diff_words.h"
#include "export.h"
#include "inlining.h"
#include "libitm.h"
#include "live.h"
#include "manual.h"
#include "merge.h"
#include "module.h"
#include "output.h"
#include "picture.h"
#include "record.h"
#include "recording.h"
#include "test.h"
#include "transactions.h"
#include "try.h"

static void break_analysis(void)
{
	distribution_quantile(NULL, 0, 0, 0);
}

static void break_code(void)
{
	instruction_effect((const uint8_t *)"\xc3", 1); /* ret */
}

static void break_command(void)
{
	char *argv[] = {NULL};
	arguments_of(&(struct command){.name = "name"}, 0, argv);
}

static void break_common(void)
{
	pager_rows("", 0, 0);
}

static void break_diff(void)
{
	diff_words_throughput(&(struct diff){.has_throughput = false});
}

static void break_export(void)
{
	export_graph(&(struct export){.work = NULL});
}

static void break_help(void)
{
	roff_word("two\nlines", 9);
}

static void break_libitm(void)
{
	struct libitm_value values[LIBITM_PIECES];
	libitm_read(NULL, values);
}

static void break_live(void)
{
	struct live *live = live_begin();
	live_leave(live);
	live_look(live, "/nowhere", 1);
}

static void break_merge(void)
{
	struct merge merge;
	merge_init(&merge);
	merge_save(&merge, "/dev/null");
}

static void break_record(void)
{
	record_run(&(struct record_run){.argv = NULL}, &(struct record_outcome){.pid = 0});
}

static void break_recording(void)
{
	const struct recording_section sections[] = {{.type = STMLOG_SECTION_SITES}, {.type = STMLOG_SECTION_INFO}};
	recording_save("/dev/null", sections, 2);
}

static void break_symbols(void)
{
	code_name(&(struct module){.elf = NULL}, 0);
}

static void break_tasks(void)
{
	layout_graph(&(struct work){.fault = "none"});
}

static void break_try(void)
{
	try_judge(&(struct try_race){.len = 0});
}

static const struct {
	void (*breach)(void);
	const char *place, *requirement;
} rooms[] = {
	{break_analysis, "/transactions.c:", "percent >= 1"},
	{break_code, "/code.c:", "is_plain(code, len)"},
	{break_command, "tools/arguments.c:", "argc > 0"},
	{break_common, "/output.c:", "columns > 0"},
	{break_diff, "/diff_words.c:", "diff->has_throughput"},
	{break_export, "/export.c:", "export->work != NULL"},
	{break_help, "/manual.c:", "memchr(word, '\\n', len) == NULL"},
	{break_libitm, "/libitm.c:", "findings != NULL"},
	{break_live, "/live.c:", "!live->has_left"},
	{break_merge, "/merge.c:", "merge->info.is_begun"},
	{break_record, "/record_child.c:", "are_signals_guarded()"},
	{break_recording, "/file.c:", "sections[i - 1].type < sections[i].type"},
	{break_symbols, "/module.c:", "module->elf != NULL"},
	{break_tasks, "/layout.c:", "work->fault == NULL"},
	{break_try, "/try.c:", "race->settings[0].runs > 0"},
};

TEST(a_broken_requirement_of_any_room_ends_the_command_and_names_itself)
{
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
		child_is_stopped(rooms[i].breach, rooms[i].place);
		child_is_stopped(rooms[i].breach, rooms[i].requirement);
	}
}
