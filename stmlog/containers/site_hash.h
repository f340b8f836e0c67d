/* SPDX-License-Identifier: MIT
 * Compares and hashes sites as keys of tables, by their two words. Their names play no part. */
#ifndef STMLOG_SITE_HASH_H
#define STMLOG_SITE_HASH_H

#include <stmlog/traceback.h>

static inline bool site_is_same(struct tb_site a, struct tb_site b)
{
	return a.code == b.code && a.position == b.position;
}

/* The upper 32 bits are spread better than the lower ones. */
static inline uint64_t site_hash(struct tb_site site)
{
	return (site.code * 0x9e3779b97f4a7c15u ^ site.position) * 0xbf58476d1ce4e5b9u;
}

#endif
