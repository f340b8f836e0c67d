/* SPDX-License-Identifier: MIT
 *
 * Strings, sites and tracebacks of a recording, each stored once and numbered as
 * format.h wants it. One error sticks and is asked for at the end.
 */
#ifndef STMLOG_INTERN_H
#define STMLOG_INTERN_H

#include <stmlog/traceback.h>

#include "buffer.h"
#include "index.h"

/* Equal things found again by their hash. */
struct pool {
	struct index index;
	void *storage;
	size_t storage_size;
	uint32_t *offsets; /* where each thing begins; in `storage` */
	uint32_t len;
	uint32_t most;
};

struct intern {
	struct buffer strings;
	struct buffer modules;
	struct buffer sites;
	struct buffer tracebacks;
	struct pool string_pool;
	struct pool site_pool;
	struct pool traceback_pool;
	size_t depth; /* frames kept of a traceback */
	bool has_failed;
};

/* Room for so many tracebacks of at most `depth` frames, and so many strings besides those that sites need. */
void intern_init(struct intern *intern, size_t tracebacks, size_t depth, size_t strings);
void intern_fini(struct intern *intern);

uint32_t intern_string(struct intern *intern, const char *text);
uint32_t intern_site(struct intern *intern, struct tb_site site);
uint32_t intern_traceback(struct intern *intern, const struct tb_frame *traceback);
uint32_t intern_copy(struct intern *intern, const struct tb_copy *traceback);

bool intern_has_failed(const struct intern *intern);

#endif
