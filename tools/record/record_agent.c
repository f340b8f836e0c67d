/* SPDX-License-Identifier: MIT
 * Finds the library that is preloaded: in the build directory, or as installed. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "memory.h"
#include "record.h"

/* The directory of this executable; false: unknown. */
static bool own_directory(char directory[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", directory, PATH_MAX - 1);
	if (len <= 0)
		return false;
	directory[len] = '\0';
	char *slash = strrchr(directory, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	return true;
}

/* `path` is consumed; NULL if it is not there. */
static char *resolve(char *path)
{
	char *absolute = realpath(path, NULL);
	free(path);
	return absolute;
}

char *record_agent_find(enum record_agent which)
{
	static const char *const names[RECORD_AGENTS] = {
		[RECORD_ORDINARY] = "libstmlog-itm.so",
		[RECORD_LIGHT] = "libstmlog-itm-light.so",
		[RECORD_FULL] = "libstmlog-itm-full.so",
		[RECORD_PASSIVE] = "libstmlog-itm-passive.so",
		[RECORD_OBJECTS] = "libstmlog-objects.so",
	};
	const char *name = names[which];
	char directory[PATH_MAX];
	char *agent = NULL;
	if (own_directory(directory)) {
		agent = resolve(memory_format("%s/%s", directory, name));
		if (agent == NULL)
			agent = resolve(memory_format("%s/../lib/stmlog/%s", directory, name));
	}
	if (agent == NULL) {
		diag(name, "not found beside stmlog nor in ../lib/stmlog; build or install it");
		return NULL;
	}
	if (strpbrk(agent, " :") != NULL) {
		diag(agent, "LD_PRELOAD cannot hold a path with a space or colon; install stmlog elsewhere");
		free(agent);
		return NULL;
	}
	return agent;
}
