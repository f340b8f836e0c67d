/* SPDX-License-Identifier: MIT
 * Compiled without -fgnu-tm: no transaction passes through here. */
#include "scenes.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "total.h"

void scenes_transact(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		total_add(1);
}

void scenes_tell_child(int child)
{
	int status = 0;
	if (child < 0 || waitpid(child, &status, 0) != child)
		printf("no child\n");
	else if (WIFSIGNALED(status))
		printf("child: signal %d%s\n", WTERMSIG(status), WCOREDUMP(status) ? ", core dumped" : "");
	else
		printf("child: status %d\n", WEXITSTATUS(status));
}

int scenes_main(int argc, char **argv, const struct scene *scenes, size_t count)
{
	const char *name = argc > 1 ? argv[1] : "";
	for (size_t i = 0; i < count; i++) {
		if (strcmp(name, "--list") == 0)
			puts(scenes[i].name);
		else if (strcmp(name, scenes[i].name) == 0)
			return scenes[i].play();
	}
	if (strcmp(name, "--list") != 0)
		scenes_transact(TOTAL_ROUNDS);
	return 0;
}
