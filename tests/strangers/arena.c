/* SPDX-License-Identifier: MIT
 *
 * Threads take blocks of memory from an allocator, which is a plugin, and give them back. The first thread also asks it
 * to tidy up. The plugin is loaded when the program's threads need it.
 */
#include "plugin.h"

static const struct plugin *arena;
static const char *program;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	arena = plugin_load(program);
}

static void use_memory(struct member *me)
{
	pthread_once(&once, load);
	while (is_open()) {
		if (me->number == 0)
			arena->maintain(me);
		else
			arena->serve(me);
		idle(10000);
	}
}

int main(int argc, char **argv)
{
	program = argv[0];
	return crew_run(argc, argv, crew_twice(), use_memory);
}
