/* SPDX-License-Identifier: MIT
 *
 * The functions of the RTS that the module's hooks stand before, and others that it calls. Haskell code calls those
 * with a capability on the OS thread that holds it, where no garbage collection can happen.
 */
#ifndef GHC_REAL_H
#define GHC_REAL_H

#include "rts.h"

struct ghc_real {
	struct hs_trec *(*start)(struct hs_capability *, struct hs_trec *outer, uintptr_t, uintptr_t);
	uintptr_t (*read)(struct hs_capability *, struct hs_trec *, struct hs_tvar *, uintptr_t);
	void (*write)(struct hs_capability *, struct hs_trec *, struct hs_tvar *, uintptr_t value);
	uintptr_t (*commit)(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
	uintptr_t (*commit_nested)(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
	uintptr_t (*validate)(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
	void (*abort)(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
	uintptr_t (*wait)(struct hs_capability *, struct hs_tso *, struct hs_trec *, uintptr_t);
	uintptr_t (*rewait)(struct hs_capability *, struct hs_tso *, uintptr_t, uintptr_t);
	void *(*run)(void *code, void *registers);
	void (*collected)(void);
	void (*compacting)(void (*announce)(void *user, uintptr_t *slot), void *user);
	/* Called, but not hooked. */
	struct hs_closure *(*is_alive)(struct hs_closure *);
	uint8_t (*supports_bound_threads)(void);
	const unsigned char *atomically;
	struct hs_trec *no_trec;
	unsigned char *new_tvar;
	/* The code of writeTVar in the library, which programs call that are not optimized: in GHC 9.0 and 9.6, and in
	 * 9.10. NULL: the program has none. */
	const char *write_tvar, *write_tvar_of_9_10;
	/* Of an RTS with an eventlog; NULL in others. Called with the capability that the OS thread holds. */
	void (*user_message)(struct hs_capability *, char *message);
	const volatile bool *eventlog_is_on;
};

/* Constant from ghc_real_find() on. */
extern struct ghc_real ghc_real;

/* Fills `ghc_real`, and leads the callers of the hooked functions to the hooks. Returns false if the process has no
 * RTS, or none that the module knows: then nothing is changed. Each way into a program (linked/, preloaded/) defines
 * it. */
bool ghc_real_find(void);

#endif
