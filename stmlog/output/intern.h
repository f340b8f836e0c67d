/* SPDX-License-Identifier: MIT
 *
 * The sections of a recording whose elements other sections refer to: strings, modules, sites and tracebacks. Each is
 * stored once and numbered as in format.h. After an error all functions return 0; the caller checks intern_has_failed()
 * once, at the end. A struct intern has no lock: only one thread may use it.
 */
#ifndef STMLOG_INTERN_H
#define STMLOG_INTERN_H

#include <stmlog/traceback.h>

#include "buffer.h"
#include "index.h"

/* The hash table of one section. */
struct pool {
	struct index index;
	void *storage;
	size_t storage_size;
	uint32_t *offsets; /* of each element in its section; in `storage` */
	uint32_t len;
	uint32_t max;
};

struct intern {
	struct buffer strings;
	struct buffer modules;
	struct buffer sites;
	struct buffer tracebacks;
	struct pool string_pool;
	struct pool site_pool;
	struct pool traceback_pool;
	size_t depth; /* number of frames that are stored of a traceback */
	bool has_failed;
};

/* Makes room for `tracebacks` tracebacks, which are cut at `depth` frames, and for `strings` strings besides the names
 * of sites. Adds all modules of the process. Call intern_fini() even if intern_has_failed() afterwards. */
void intern_init(struct intern *intern, size_t tracebacks, size_t depth, size_t strings);
void intern_fini(struct intern *intern);

/* Each returns the reference of an equal element, which is added if there is none yet. */
uint32_t intern_string(struct intern *intern, const char *text);
uint32_t intern_site(struct intern *intern, struct tb_site site);
uint32_t intern_traceback(struct intern *intern, const struct tb_frame *traceback);
uint32_t intern_copy(struct intern *intern, const struct tb_copy *traceback);

bool intern_has_failed(const struct intern *intern);

#endif
