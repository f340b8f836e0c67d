/* SPDX-License-Identifier: MIT */
#include "demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "memory.h"

typedef char *cxa_demangle(const char *name, char *buffer, size_t *len, int *status);

/* NULL: there is no C++ library. The library stays loaded to the end. */
static cxa_demangle *find_demangler(void)
{
	static bool is_tried;
	static cxa_demangle *found;
	if (is_tried)
		return found;
	is_tried = true;
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (library != NULL)
		*(void **)(void *)&found = dlsym(library, "__cxa_demangle");
	return found; /* cppcheck-suppress resourceLeak ; it stays loaded */
}

char *demangle(const char *name)
{
	static const char clone_prefix[] = "_ZGTt", clone_words[] = "transaction clone for ";
	if (strncmp(name, "_Z", 2) != 0)
		return memory_text(name);
	cxa_demangle *demangler = find_demangler();
	int status = -1;
	char *readable = demangler != NULL ? demangler(name, NULL, NULL, &status) : NULL;
	if (readable == NULL || status != 0) {
		/* The clone of a C function is named by the prefix, the length of the name, and the name. */
		if (strncmp(name, clone_prefix, strlen(clone_prefix)) == 0) {
			name += strlen(clone_prefix);
			name += strspn(name, "0123456789");
		}
		return memory_text(name);
	}
	if (strncmp(readable, clone_words, strlen(clone_words)) == 0)
		memmove(readable, readable + strlen(clone_words), strlen(readable + strlen(clone_words)) + 1);
	return readable;
}
