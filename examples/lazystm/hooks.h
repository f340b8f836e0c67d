/* SPDX-License-Identifier: MIT
 *
 * The hooks of lazystm that are more than one call: the example for a lazy runtime that embeds stmlog. With STMLOG_OFF
 * they are nothing.
 *
 * A line of the program is on the shadow stack while a transaction runs that began there. Lines that read or write are
 * pushed only where the library needs the traceback: at each first write, and when a conflict is reported. Until then a
 * read is known by its line alone, which costs one word. So the traceback of a read that is found invalid at the commit
 * lacks the frames that the program had entered within the transaction.
 *
 * A first write asks for its origin, one word that stands for thread, attempt and traceback. Beside each lock are two
 * of them: the origin of the lock's version, and of the write for which the lock is held. So a victim can name the
 * writer, however long ago that has committed.
 *
 * Each hook is one test for a thread that is not recorded; what is behind it is out of line.
 */
#ifndef LAZYSTM_HOOKS_H
#define LAZYSTM_HOOKS_H

#include <assert.h>
#include <atomic_ops.h>

#include "locks.h"
#include "profile.h"

#ifdef STMLOG_OFF

/* No branch is left of the hooks, and what an attempt has read and written has no word for them: a structure without
 * members has no size in GNU C. */
struct hook_write {
};

#define hook_attached(profile) ((void)(profile))
#define hook_start(profile, here) ((void)(profile), (void)(here))
#define hook_commit(profile) ((void)(profile))
#define hook_asked(profile, here, why) ((void)(profile), (void)(here), (void)(why))
#define hook_wrote(profile, here, write) ((void)(profile), (void)(here), (void)(write))
#define hook_publishes() 0
#define hook_held(write) ((void)(write), (AO_t)1)
#define hook_publish(write, lock) ((void)(write), (void)(lock))
#define hook_read_conflict(profile, here, word, lock, look) \
	((void)(profile), (void)(here), (void)(word), (void)(lock), (void)(look))
#define hook_write_conflict(profile, write, word, lock, look) \
	((void)(profile), (void)(write), (void)(word), (void)(lock), (void)(look))

#else

/* A thread has been attached. */
void hook_attached(const struct profile *profile);

/* ---- attempts ---- */

/* Private: the hooks behind their tests. */
void hook_start_on(struct profile *profile, stm_line here);
void hook_commit_on(const struct profile *profile);
void hook_asked_on(const struct profile *profile, stm_line here, const char *why);

/* A transaction begins on a line of the program. */
static inline void hook_start(struct profile *profile, stm_line here)
{
	if (STMLOG_UNLIKELY(profile->thread != NULL))
		hook_start_on(profile, here);
}

static inline void hook_commit(const struct profile *profile)
{
	if (STMLOG_UNLIKELY(profile->thread != NULL))
		hook_commit_on(profile);
}

/* The program itself aborts the attempt. */
static inline void hook_asked(const struct profile *profile, stm_line here, const char *why)
{
	if (profile->thread != NULL)
		hook_asked_on(profile, here, why);
}

/* ---- writes, and conflicts because of them ---- */

/* What is known of a write in the buffer. The origin is 0 if the thread is not recorded. */
struct hook_write {
	uint64_t origin;
};

/* Private, as above. */
void hook_wrote_on(const struct profile *profile, stm_line here, struct hook_write *write);

/* The attempt writes a word for the first time, into its buffer. */
static inline void hook_wrote(const struct profile *profile, stm_line here, struct hook_write *write)
{
	write->origin = 0;
	if (STMLOG_UNLIKELY(profile->thread != NULL))
		hook_wrote_on(profile, here, write);
}

/* The word of a lock that is held for this write. Origins are below 2^63. */
static inline AO_t hook_held(const struct hook_write *write)
{
	return write->origin << 1 | 1;
}

/* Beside each lock the origin of its version; 0: not known. Written by the holder of the lock, read by any thread. */
extern volatile AO_t hook_writers[LOCKS] __attribute__((visibility("hidden")));

/* Whether some thread was ever recorded. Until then all writers are 0. */
extern volatile AO_t hook_has_recorded __attribute__((visibility("hidden")));

static inline bool hook_publishes(void)
{
	return STMLOG_UNLIKELY(AO_load(&hook_has_recorded) != 0);
}

/* The commit has written the lock's words, and will release the lock. Requires hook_publishes(). A thread that is
 * not recorded tells so, too. Release; partner: the acquire in find_culprit(). */
static inline void hook_publish(const struct hook_write *write, const struct lock *lock)
{
	assert(hook_publishes());
	AO_store_release(&hook_writers[lock_number(lock)], write->origin);
}

/* The attempt aborts because another one holds the lock of a word, or has given it a version that is newer than the
 * attempt: a word that it reads, or has read, at `here`; or a word of its own write. `look`: the lock as it was then.
 */
void hook_read_conflict(
	const struct profile *profile, stm_line here, const void *word, const struct lock *lock, AO_t look);
void hook_write_conflict(const struct profile *profile, const struct hook_write *write, const void *word,
	const struct lock *lock, AO_t look);

#endif

#endif
