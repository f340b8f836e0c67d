/* SPDX-License-Identifier: MIT
 *
 * Origins: one word that says where something was written: the thread, its attempt and the traceback. A runtime stores
 * it beside its lock or version. A thread that conflicts with that version later looks up the traceback by the word,
 * even if the attempt has ended long ago (stmlog_origin() in runtime.h).
 *
 *   bits   63   62..60     59..40   39..12    11..0
 *           0   session    thread   attempt   place
 *
 * The session is 1 to 7, in turn, so that origins of a closed session are recognised. The thread is 0 if its number
 * needs more bits. The attempt is the lower bits of its number. The place is the number of a traceback in a table of
 * the process; 0: unknown; from ORIGIN_PLACES on it is private (private_places.h).
 *
 * A place that has a number never changes, so a number stays valid, in any thread. When STMLOG_ORIGIN_PLACES have one,
 * further tracebacks get private places or, without these, the numbers of their innermost frames. No lock: a thread
 * claims a free row by compare-and-swap, fills it in, and publishes its hash. NOTES.txt, claims O1 to O5.
 *
 * Each thread has a cache in front of the table. It holds references to the tracebacks in it, so their frames are not
 * reused. A function that was entered anew may have other frames with equal sites: so the cache looks up the innermost
 * site, and compares frames down to the first frame that both tracebacks share.
 */
#ifndef STMLOG_ORIGINS_H
#define STMLOG_ORIGINS_H

#include <stmlog/agent.h>

#include "attempts.h"
#include "index.h"
#include "private_places.h"

#define ORIGIN_PLACE_BITS 12
#define ORIGIN_THREAD_BITS 20
#define ORIGIN_PLACES 3072u /* row 0 is not used */

#define ORIGIN_SETS 32 /* of the cache */
#define ORIGIN_WAYS 4

struct origin_entry {
	struct tb_frame *traceback; /* a reference; NULL: none */
	uint64_t word;              /* its origins, without the attempt */
};

/* Of one thread. Zeroed memory is an empty cache. Invariant: in each set entries without a traceback are behind the
 * others. */
struct origin_cache {
	uint64_t base;  /* the bits of session and thread in an origin */
	unsigned turns; /* which entry of a set is replaced next */
	uint32_t lap;   /* of the attempt that added an entry last: the bits that origins lack */
	struct private_places places;
	struct tb_frame *begin; /* origin_begin(), a reference; NULL: none yet */
	struct origin_entry sets[ORIGIN_SETS][ORIGIN_WAYS];
};

/* Ends the session: from here on its origins are not known, even those that threads still ask for. */
void origins_close(void);

/* Prepares the cache, which is empty, of a thread with this number, which attaches. */
void origin_cache_open(struct origin_cache *cache, uint32_t thread);

/* Releases all references into `stack`. */
void origin_cache_clear(struct origin_cache *cache, struct tb_stack *stack);

/* ---- the first entry of a set: mostly the right one ---- */

static inline struct origin_entry *origin_set(struct origin_cache *cache, struct tb_site site)
{
	return cache->sets[(site_hash(site) >> 32) % ORIGIN_SETS];
}

/* Returns the entry of this traceback, or of this site above these frames, if it is the first of its set; otherwise
 * NULL, as for a cache that was never used. Looks at addresses only: the entry holds a reference, so its frames are not
 * reused. */
static inline const struct origin_entry *origin_first(struct origin_cache *cache, const struct tb_frame *traceback)
{
	const struct origin_entry *first = origin_set(cache, traceback->site);
	return STMLOG_LIKELY(first->traceback == traceback) ? first : NULL;
}

static inline const struct origin_entry *origin_first_at(
	struct origin_cache *cache, struct tb_site site, const struct tb_frame *down)
{
	const struct origin_entry *first = origin_set(cache, site);
	const struct tb_frame *frame = first->traceback;
	bool is_it = frame != NULL && site_is_same(frame->site, site) && frame->down == down;
	return STMLOG_LIKELY(is_it) ? first : NULL;
}

static inline uint64_t origin_with(uint64_t word, uint64_t attempt)
{
	return word | (attempt & STMLOG_ORIGIN_ATTEMPTS) << ORIGIN_PLACE_BITS;
}

/* ---- any entry ---- */

/* Returns the origin of a traceback of the calling thread, in its attempt. */
uint64_t origin_of(struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt, struct tb_frame *traceback);

/* Returns the origin of the site, called from `down`. */
uint64_t origin_at(struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt, struct tb_site site,
	struct tb_frame *down);

/* Returns a frame of a site that is called from nowhere, borrowed until the next call. The cache keeps the latest. */
struct tb_frame *origin_begin(struct origin_cache *cache, struct tb_stack *stack, struct tb_site site);

/* Returns the traceback of an origin of this cache's thread, in frames of `stack`: the cached frames, as long as the
 * cache has them. Returns an owned reference; TB_UNKNOWN if the traceback is unknown, or without memory. */
struct tb_frame *origin_frames(struct origin_cache *cache, struct tb_stack *stack, uint64_t origin);

/* Returns the attempt of an origin, for its outcome. Called by attached threads, as attempts_of(). */
struct culprit origin_culprit(const struct stmlog_origin_parts *parts);

#endif
