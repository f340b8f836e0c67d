/* SPDX-License-Identifier: MIT
 *
 * The plugin of a program NAME is NAME.so beside it, made from NAME.plugin.c or NAME.plugin.cc. It has the
 * transactions.
 */
#ifndef STRANGERS_PLUGIN_H
#define STRANGERS_PLUGIN_H

#include "crew.h"

#include <dlfcn.h>

struct plugin {
	void (*open)(void);
	void (*serve)(struct member *);    /* a request of a client */
	void (*maintain)(struct member *); /* what the program does now and then for all clients */
};

#ifdef CREW_PLUGIN
extern const struct plugin plugin;
#else
/* Ends the program if there is no plugin. */
static const struct plugin *plugin_load(const char *program)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s.so", program);
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct plugin *plugin = object != NULL ? (const struct plugin *)dlsym(object, "plugin") : NULL;
	if (plugin == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	plugin->open();
	return plugin;
}
#endif

#endif
