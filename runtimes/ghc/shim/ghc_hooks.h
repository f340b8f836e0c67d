/* SPDX-License-Identifier: MIT
 *
 * The hooks, each of which stands before a function of the RTS and returns what that returns. `top` and `r1` are
 * registers of Haskell code, where that is the caller: its stack pointer and its first argument.
 */
#ifndef GHC_HOOKS_H
#define GHC_HOOKS_H

#include "capability.h"
#include "real.h"

/* For stubs.S, which knows the places of the members. */
struct ghc_hooks {
	struct hs_trec *(*start)(
		struct hs_capability *, struct hs_trec *outer, uintptr_t, uintptr_t, uintptr_t *top, uintptr_t r1);
	uintptr_t (*read)(struct hs_capability *, struct hs_trec *, struct hs_tvar *, uintptr_t, uintptr_t *top);
	void (*write)(struct hs_capability *, struct hs_trec *, struct hs_tvar *, uintptr_t value, uintptr_t *top);
	uintptr_t (*commit)(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t, uintptr_t *top);
	uintptr_t (*commit_nested)(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t, uintptr_t *top);
	uintptr_t (*validate)(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
	void (*abort)(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t, uintptr_t *top);
	uintptr_t (*wait)(struct hs_capability *, struct hs_tso *, struct hs_trec *, uintptr_t, uintptr_t *top);
	uintptr_t (*rewait)(struct hs_capability *, struct hs_tso *, uintptr_t, uintptr_t);
	void *(*run)(void *code, void *registers);
	void (*collected)(void);
	void (*compacting)(void (*announce)(void *user, uintptr_t *slot), void *user);
};

/* Empty when the process starts. */
extern struct ghc_hooks ghc_hooks;
void hooks_set(void);
/* Puts the real functions into the table. */
void hooks_clear(void);

/* attempts.c */
struct hs_trec *hook_start(
	struct hs_capability *real, struct hs_trec *outer, uintptr_t a, uintptr_t b, uintptr_t *top, uintptr_t r1);

/* commits.c */
uintptr_t hook_commit(struct hs_capability *real, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top);
/* stubs.S has asked the RTS to commit, while nothing was watched for (`watched`). These two return what that returned.
 */
uintptr_t commit_failed(struct ghc_capability *mine);
uintptr_t commit_makes_due(struct ghc_capability *mine, uintptr_t has_committed);
uintptr_t hook_commit_nested(
	struct hs_capability *real, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top);

/* A transaction that is not measured is over. `mark`: of its attempt. Requires that it is neither 0 nor a lane. */
void unmeasured_end(struct ghc_capability *mine, uint32_t mark);

/* accesses.c */
uintptr_t hook_read(
	struct hs_capability *real, struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t a, uintptr_t *top);
void hook_write(
	struct hs_capability *real, struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t value, uintptr_t *top);

/* ends.c */
uintptr_t hook_validate(struct hs_capability *real, struct hs_trec *trec, uintptr_t a, uintptr_t b);
void hook_abort(struct hs_capability *real, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top);
uintptr_t hook_wait(struct hs_capability *real, struct hs_tso *tso, struct hs_trec *trec, uintptr_t a, uintptr_t *top);
uintptr_t hook_rewait(struct hs_capability *real, struct hs_tso *tso, uintptr_t a, uintptr_t b);

/* ghc_hooks.c */
void *hook_run(void *code, void *registers);

#endif
