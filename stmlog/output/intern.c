/* SPDX-License-Identifier: MIT
 * Numbers strings, modules, sites and tracebacks. Equal strings, sites and tracebacks are found by a hash table over
 * the bytes of their section. Modules are all added at the beginning, in the order of their numbers. */
#include "sections.h"

#include <string.h>

#include <stmlog/format.h>

#include "index.h"
#include "mem.h"
#include "modules.h"
#include "names.h"

/* ---- pools ---- */

static bool pool_init(struct pool *pool, size_t max)
{
	if (max > UINT32_MAX / 4)
		return false;
	size_t index_size = index_storage_size((uint32_t)max);
	pool->max = (uint32_t)max;
	pool->storage_size = index_size + max * sizeof(uint32_t);
	pool->storage = mem_alloc(pool->storage_size);
	if (pool->storage == NULL)
		return false;
	index_init(&pool->index, pool->max, pool->storage);
	pool->offsets = (uint32_t *)(void *)((char *)pool->storage + index_size);
	return true;
}

static void pool_fini(struct pool *pool)
{
	mem_free(pool->storage, pool->storage_size);
}

/* Numbers a new element, whose bytes are at `offset` of the section. Returns false when there is no room. */
static bool pool_add(struct pool *pool, uint64_t hash, size_t offset)
{
	if (pool->len == pool->max || offset > UINT32_MAX)
		return false;
	index_add(&pool->index, hash, pool->len);
	pool->offsets[pool->len++] = (uint32_t)offset;
	return true;
}

/* ---- strings ---- */

uint32_t intern_string(struct intern *intern, const char *text)
{
	if (intern_has_failed(intern) || text == NULL || text[0] == '\0')
		return 0;
	uint64_t hash = names_text_hash(0, text);
	struct index_cursor cursor = index_find(&intern->string_pool.index, hash);
	uint32_t item;
	while (index_next(&cursor, &item)) {
		uint32_t offset = intern->string_pool.offsets[item];
		if (strcmp(intern->strings.bytes + offset, text) == 0)
			return offset;
	}
	size_t offset = intern->strings.len;
	if (!pool_add(&intern->string_pool, hash, offset)) {
		intern->has_failed = true;
		return 0;
	}
	buffer_append(&intern->strings, text, strlen(text) + 1);
	return (uint32_t)offset;
}

/* ---- modules ---- */

static void add_module(const struct module *module, void *arg)
{
	struct intern *intern = arg;
	struct stmlog_module_record record = {
		.start = module->start,
		.end = module->end,
		.bias = module->bias,
		.path = intern_string(intern, module->path),
		.build_id_len = module->build_id_len,
	};
	memcpy(record.build_id, module->build_id, sizeof record.build_id);
	buffer_append(&intern->modules, &record, sizeof record);
}

/* Returns the first module that has an address from `start` to `end`, without this one. */
static uint32_t module_between(const struct intern *intern, uint64_t start, uint64_t end)
{
	size_t count = intern->modules.len / sizeof(struct stmlog_module_record);
	for (size_t i = 0; i < count; i++) {
		struct stmlog_module_record record;
		memcpy(&record, intern->modules.bytes + i * sizeof record, sizeof record);
		if (start < record.end && record.start < end)
			return (uint32_t)i;
	}
	return STMLOG_NO_MODULE;
}

/* Adds a module that was remembered. Of modules that were at the same addresses, only the last one is added. */
static void add_kept_module(const struct module *module, void *arg)
{
	if (module_between(arg, module->start, module->end) == STMLOG_NO_MODULE)
		add_module(module, arg);
}

/* ---- sites ---- */

static enum stmlog_site_kind kind_of(struct tb_site site)
{
	struct tb_place place;
	if (site.code == TB_CODE_ADDRESS)
		return STMLOG_SITE_ADDRESS;
	return site.code == TB_CODE_PLACE || tb_code_place(site, &place) ? STMLOG_SITE_PLACE : STMLOG_SITE_OPAQUE;
}

static struct stmlog_site_record describe(struct intern *intern, struct tb_site site)
{
	struct stmlog_name name;
	struct stmlog_site_record record = {
		.kind = kind_of(site),
		.module = site.code == TB_CODE_ADDRESS ? module_between(intern, site.position, site.position + 1)
						       : STMLOG_NO_MODULE,
		.code = site.code,
		.position = site.position,
	};
	if (names_expand(site, &name)) {
		record.function = intern_string(intern, name.function);
		record.file = intern_string(intern, name.file);
		record.line = name.line;
	}
	return record;
}

uint32_t intern_site(struct intern *intern, struct tb_site site)
{
	if (intern_has_failed(intern))
		return 0;
	uint64_t hash = site_hash(site);
	struct index_cursor cursor = index_find(&intern->site_pool.index, hash);
	struct stmlog_site_record record;
	uint32_t item;
	while (index_next(&cursor, &item)) {
		memcpy(&record, intern->sites.bytes + item * sizeof record, sizeof record);
		if (site_is_same(tb_site_make(record.code, record.position), site))
			return item;
	}
	record = describe(intern, site);
	size_t offset = intern->sites.len;
	buffer_append(&intern->sites, &record, sizeof record);
	if (intern->sites.has_failed || !pool_add(&intern->site_pool, hash, offset))
		intern->has_failed = true;
	return (uint32_t)(offset / sizeof record);
}

/* ---- tracebacks ---- */

struct traceback_head {
	uint32_t len;
	uint32_t flags;
};

static void append_head(struct intern *intern, size_t len, bool is_whole)
{
	bool is_cut = len > intern->depth || !is_whole;
	struct traceback_head head = {
		.len = (uint32_t)(len < intern->depth ? len : intern->depth),
		.flags = is_cut ? STMLOG_TRACEBACK_CUT : 0,
	};
	buffer_append(&intern->tracebacks, &head, sizeof head);
}

static void append_site(struct intern *intern, struct tb_site site)
{
	uint32_t number = intern_site(intern, site);
	buffer_append(&intern->tracebacks, &number, sizeof number);
}

/* Returns the reference of the traceback that was appended to the section at `offset`. If the section has an equal
 * traceback already, removes the appended one again. References 0 and 1 are the unknown and the empty traceback, so the
 * first traceback of the section is 2. */
static uint32_t refer(struct intern *intern, size_t offset, uint64_t hash)
{
	struct pool *pool = &intern->traceback_pool;
	if (intern->tracebacks.has_failed)
		return 0;
	size_t size = intern->tracebacks.len - offset;
	struct index_cursor cursor = index_find(&pool->index, hash);
	uint32_t item;
	while (index_next(&cursor, &item)) {
		const char *bytes = intern->tracebacks.bytes;
		if (memcmp(bytes + pool->offsets[item], bytes + offset, size) == 0) {
			intern->tracebacks.len = offset;
			return item + 2;
		}
	}
	if (!pool_add(pool, hash, offset))
		intern->has_failed = true;
	return pool->len + 1;
}

uint32_t intern_traceback(struct intern *intern, const struct tb_frame *traceback)
{
	if (intern_has_failed(intern))
		return 0;
	if (tb_is_unknown(traceback) || !tb_is_frame(traceback))
		return tb_is_unknown(traceback) ? 0 : 1;
	size_t offset = intern->tracebacks.len, len = 0;
	append_head(intern, tb_depth(traceback), true);
	for (const struct tb_frame *frame = traceback; tb_is_frame(frame) && len < intern->depth;
		frame = tb_down(frame), len++)
		append_site(intern, tb_frame_site(frame));
	return refer(intern, offset, tb_hash(traceback));
}

uint32_t intern_copy(struct intern *intern, const struct tb_copy *traceback)
{
	if (intern_has_failed(intern))
		return 0;
	if (traceback->len == 0)
		return traceback->is_whole ? 1 : 0;
	size_t offset = intern->tracebacks.len;
	append_head(intern, traceback->len, traceback->is_whole);
	for (size_t i = 0; i < traceback->len && i < intern->depth; i++)
		append_site(intern, traceback->sites[i]);
	return refer(intern, offset, tb_copy_hash(traceback));
}

/* ---- all sections ---- */

/* More sites than any program has. Each needs 40 bytes in the file, and two strings: its function and its file. */
#define SITES_MAX 1000000

void intern_init(struct intern *intern, size_t tracebacks, size_t depth, size_t strings)
{
	*intern = (struct intern){.depth = depth};
	size_t sites = tracebacks * depth < SITES_MAX ? tracebacks * depth : SITES_MAX;
	intern->has_failed = !pool_init(&intern->string_pool, strings + 2 * sites) ||
			     !pool_init(&intern->site_pool, sites) || !pool_init(&intern->traceback_pool, tracebacks);
	if (intern->has_failed)
		return;
	buffer_append(&intern->strings, "", 1);
	modules_visit(add_module, intern);
	modules_visit_kept(add_kept_module, intern);
}

void intern_fini(struct intern *intern)
{
	buffer_fini(&intern->strings);
	buffer_fini(&intern->modules);
	buffer_fini(&intern->sites);
	buffer_fini(&intern->tracebacks);
	pool_fini(&intern->string_pool);
	pool_fini(&intern->site_pool);
	pool_fini(&intern->traceback_pool);
}

bool intern_has_failed(const struct intern *intern)
{
	return intern->has_failed || intern->strings.has_failed || intern->modules.has_failed ||
	       intern->sites.has_failed || intern->tracebacks.has_failed;
}
