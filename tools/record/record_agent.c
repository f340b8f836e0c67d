/* SPDX-License-Identifier: MIT
 * Finds the libraries for the program, in the build directory or as installed. */
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "lookup.h"
#include "record.h"

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
	char *agent = lookup_beside(name);
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

char *record_library_find(void)
{
	char *library = lookup_beside("libstmlog.so");
	return library != NULL ? library : lookup_beside("../libstmlog.so");
}
