/* SPDX-License-Identifier: MIT
 *
 * The real functions behind those that the agent interposes: libitm's entries, and some of libc. The agent's hooks have
 * the same names and come before them; each calls the real function when it has done its own work. barriers.S jumps to
 * the real data barriers.
 */
#ifndef ITM_ENTRIES_H
#define ITM_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

/* Looks up all entries. To be called once, before any hook uses them. False: there is no libitm, or it lacks one of the
 * entries below. */
bool itm_resolve(void);

/* Whose functions the program calls as data barriers: the agent's hooks, or libitm's own functions, directly. */
enum itm_barriers { ITM_BARRIERS_OWN, ITM_BARRIERS_REAL };

/* Has all modules call those, by the slots through which they call them (slots.h). Returns false if some modules cannot
 * be changed. One thread at a time may call it. Requires itm_is_preloaded: a linked agent is called without slots. */
bool itm_point_barriers(enum itm_barriers whose);

/* The hooks of the data barriers, in the order of barriers.def. Defined by barriers.S: NULL in a unit test, which is
 * linked without it. */
extern const void *const itm_own_barriers[] __attribute__((weak, visibility("hidden")));

/* The kind (ITM_KIND_*) of the data barrier that starts at `code`, libitm's or the agent's; ITM_KIND_NONE: no barrier
 * starts there. */
uint32_t itm_kind_of(const void *code);

/* Functions by which a transaction frees memory: X(name). libitm frees it when the commit has succeeded. */
#define ITM_FREES(X)               \
	X(_ITM_free)               \
	X(_ZGTtdlPv)               \
	X(_ZGTtdaPv)               \
	X(_ZGTtdlPvm)              \
	X(_ZGTtdlPvRKSt9nothrow_t) \
	X(_ZGTtdaPvRKSt9nothrow_t) \
	X(_ZGTtdlPvmRKSt9nothrow_t)

#define ITM_FREE_INDEX(name) ITM_FREE##name,
enum { ITM_FREES(ITM_FREE_INDEX) ITM_FREE_FUNCTIONS };

typedef void itm_free_function(uintptr_t, uintptr_t, uintptr_t);
typedef uint32_t itm_begin_function(uint32_t, ...);
/* Constant once the agent is ready. */
#pragma GCC visibility push(hidden) /* so that hooks reach them directly */
extern itm_begin_function *itm_real_begin;
extern void (*itm_real_commit)(void);
extern void (*itm_real_commit_eh)(void *);
extern void (*itm_real_abort)(uint32_t);
extern void (*itm_real_change_mode)(uint32_t);
extern void *(*itm_real_clone_or_irrevocable)(void *);
extern int (*itm_real_in_transaction)(void);
extern void (*itm_real_add_undo)(void (*)(void *), void *);
extern void (*itm_real_add_commit)(void (*)(void *), uint64_t, void *);
extern itm_free_function *itm_real_free[ITM_FREE_FUNCTIONS]; /* NULL: libitm has none of that name */
#pragma GCC visibility pop

/* The function that was called by the instruction before `return_address`, through the procedure linkage table or
 * through a slot of the global offset table. NULL: the bytes there are no such call. Slow. */
const void *itm_access_target(const void *return_address);

/* ---- real_functions.c ---- */

/* Where the real functions are found is the only thing that depends on how the agent came into the process:
 * real_functions.c for an agent that is preloaded, linked/real_functions.c for one that is linked into the program. */

/* Whether the loader binds the program's calls to the agent: it is preloaded, and not linked. */
extern const bool itm_is_preloaded __attribute__((visibility("hidden")));

/* The function of that name that comes after the agent's own in the program's scope; NULL: there is none. */
void *itm_real(const char *name);

/* A function of libitm, which may be outside of the program's scope: a plugin may have loaded it. Loads libitm where
 * none is. NULL: there is none, or it has no such function. Not for a linked agent. */
void *itm_real_of_libitm(const char *name);

#endif
