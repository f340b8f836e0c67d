/* SPDX-License-Identifier: MIT
 * Finds the agents, in the build directory or as installed. */
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "lookup.h"
#include "record.h"

/* Why there is no agent for the processor that this command is built for; NULL: there are agents. */
#ifdef __x86_64__
static const char *const why_none = NULL;
#else
static const char *const why_none = "the agents for libitm are for x86-64 only; a program that embeds the library "
				    "records by itself: STMLOG_OPTIONS=out=stmlog.data COMMAND";
#endif

char *record_agent_find(enum record_agent which)
{
	static const char *const names[RECORD_AGENTS] = {
		[RECORD_LIBITM] = "libstmlog-itm.so",
		[RECORD_GHC] = "libstmlog-ghc.so",
		[RECORD_OBJECTS] = "libstmlog-objects.so",
	};
	const char *name = names[which];
	if (why_none != NULL) {
		diag("record", "%s", why_none);
		return NULL;
	}
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
