/* SPDX-License-Identifier: MIT
 *
 * What stands behind the hooks: functions of the RTS, and functions of the C library by which the process image is left
 * or system calls are filtered; and the machine code of the program, where the module changes it.
 */
#ifndef GHC_REAL_H
#define GHC_REAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rts.h"

/* ---- functions of the RTS ---- */

/* Those that the module's hooks stand before, and others that it calls. Haskell code calls those with a capability on
 * the OS thread that holds it, where no garbage collection can happen. */
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

/* ---- functions of the C library ----
 *
 * First the ways to leave the process image that run no exit handlers, and no signal: exec and _exit. Haskell's
 * executeFile calls exec; exitImmediately calls exit(). Then prctl() and syscall(), by which filters of system calls
 * are set. linked/ and preloaded/ have the hooks: those of exec are made from leavers.def.
 */

/* To be called before the process image is left, with the environment of the next image. Returns the environment to use
 * instead. NULL until the module is open. Each way into a program (linked/, preloaded/) defines it. */
extern char **(*ghc_leaving)(char *const *environment);

static inline char **ghc_leave(char *const *environment)
{
	return ghc_leaving != NULL ? ghc_leaving(environment) : (char **)(uintptr_t)environment;
}

/* To be called before prctl() and syscall(), with the arguments of syscall(). NULL until the module is open. Each way
 * into a program defines it. */
extern void (*ghc_filtering)(long number, long first, long second);

static inline void ghc_filter(long number, long first, long second)
{
	if (ghc_filtering != NULL)
		ghc_filtering(number, first, second);
}

/* ---- changes of the program's machine code, and code of our own that it jumps to ---- */

/* Sets the protection (mprotect()) of the one or two pages that have these bytes. Returns false if the kernel refuses
 * it. */
bool near_code_protect(const void *at, size_t size, int protection);

/* Copies the bytes to executable memory, which is never freed; `is_low`: below 2 GiB. NULL: there is no memory, or the
 * kernel lets nobody write code. Any thread. */
void *near_code_make(const void *bytes, size_t size, bool is_low);

/* ---- where TVars are created ----
 *
 * The RTS has one function that makes a TVar, stg_newTVarzh. Its last step but one sets the TVar's count of updates to
 * 0. The module changes this instruction in memory, so that the count's upper bits become the address of the code that
 * goes on with the new TVar (hs_created_at()). This costs a creation two jumps, and nothing has to follow the TVar.
 */

/* How many bytes of the function are looked at. */
#define CREATION_BYTES 64

/* Changes the function stg_newTVarzh. Returns false, and changes nothing, if it has not the instructions that are
 * known, or if the kernel lets nobody change code. Called while no other thread runs the function. */
bool creation_note(unsigned char *new_tvar);

/* The code for which the TVar was created: the frame to which stg_newTVarzh returned. 0: not known; or frames of the
 * RTS, or code that is not the program's own. Any thread. */
uintptr_t creation_of(const struct hs_tvar *tvar);

#endif
