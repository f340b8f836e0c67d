/* SPDX-License-Identifier: MIT
 * Loads the reporter from libstmlog-report.so, in the folder of the preloaded agent. It stays loaded. */
#include "reporter.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include <stmlog/read.h>

/* Set while the session opens, before other threads use it. */
static const struct process_reporter *loaded;

/* Sets `path` to that of the library in the folder of the agent. Returns false if the folder is not known. */
static bool path_beside_agent(char path[PATH_MAX])
{
	static const char name[] = "libstmlog-report.so";
	Dl_info agent;
	if (dladdr(&loaded, &agent) == 0 || agent.dli_fname == NULL)
		return false;
	const char *slash = strrchr(agent.dli_fname, '/');
	size_t folder_len = slash != NULL ? (size_t)(slash - agent.dli_fname) + 1 : 0;
	if (folder_len + sizeof name > PATH_MAX)
		return false;
	memcpy(path, agent.dli_fname, folder_len);
	memcpy(path + folder_len, name, sizeof name);
	return true;
}

static const struct process_reporter *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct process_reporter *reporter = library != NULL ? dlsym(library, "stmlog_process_reporter") : NULL;
	if (reporter == NULL)
		dlerror(); /* the program shall not find our error in its next call */
	return reporter != NULL && strcmp(reporter->version, STMLOG_VERSION) == 0 ? reporter : NULL;
}

bool reporter_find(void)
{
	char path[PATH_MAX];
	if (loaded == NULL && path_beside_agent(path))
		loaded = load(path);
	return loaded != NULL;
}

const struct process_reporter *reporter_get(void)
{
	return loaded;
}
