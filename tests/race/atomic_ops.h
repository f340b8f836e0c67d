/* SPDX-License-Identifier: MIT
 *
 * Atomic operations that helgrind and DRD understand, in the place of libatomic_ops and of the macros in
 * <stmlog/compiler.h>: a build with RACE=1 includes this file before everything else.
 *
 * The two tools cannot tell an atomic load or store from a plain one, and so report races between atomic accesses. But
 * they take a read-modify-write in one instruction for a read, and reads do not race with each other. So a load is an
 * addition of 0 here, and a store is an exchange: they report no word that is accessed by these operations only, but
 * still report a plain store to such a word. Annotations with the word's address tell them what orders other accesses:
 * a release "happens before" each later acquire of the same word. An operation without "release", "acquire" or "full"
 * in its name is not annotated, so that a missing release is found.
 *
 * Rejected: libatomic_ops' own emulation (AO_USE_PTHREAD_DEFS). There each operation takes the same mutex, so to these
 * tools any operation, even a relaxed one, orders all before it with all after it: they find no missing release.
 * Besides, where the emulation makes one operation of another it has a plain load, which they report.
 *
 * Operations that are not here are used nowhere in the project.
 */
#ifndef TESTS_RACE_ATOMIC_OPS_H
#define TESTS_RACE_ATOMIC_OPS_H

#include <stddef.h>

#include <valgrind/drd.h>
#include <valgrind/helgrind.h>

typedef size_t AO_t;

/* Each annotation is made for both tools: a tool ignores requests that have the other tool's numbers. */
static inline void race_send(const volatile void *word)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_SEND_PRE, word, 0, 0, 0, 0);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_BEFORE, word, 0, 0, 0, 0);
}

static inline void race_receive(const volatile void *word)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_RECV_POST, word, 0, 0, 0, 0);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_AFTER, word, 0, 0, 0, 0);
}

/* ---- <stmlog/compiler.h>: words of any type, const or not ---- */

#define RACE_VALUE_OF(from) __typeof__((*(from)) + 0)
#define STMLOG_LOAD_RELAXED(from) __atomic_fetch_add((RACE_VALUE_OF(from) *)(from), 0, __ATOMIC_SEQ_CST)
#define STMLOG_STORE_RELAXED(to, value) ((void)__atomic_exchange_n((to), (value), __ATOMIC_SEQ_CST))

/* ---- libatomic_ops ---- */

static inline AO_t AO_load(const volatile AO_t *from)
{
	return __atomic_fetch_add((volatile AO_t *)from, 0, __ATOMIC_SEQ_CST);
}

static inline AO_t AO_load_acquire(const volatile AO_t *from)
{
	AO_t value = AO_load(from);
	race_receive(from);
	return value;
}

static inline void AO_store(volatile AO_t *to, AO_t value)
{
	(void)__atomic_exchange_n(to, value, __ATOMIC_SEQ_CST);
}

static inline void AO_store_release(volatile AO_t *to, AO_t value)
{
	race_send(to);
	AO_store(to, value);
}

static inline int AO_compare_and_swap_acquire(volatile AO_t *word, AO_t from, AO_t to)
{
	int is_done = __atomic_compare_exchange_n(word, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	race_receive(word);
	return is_done;
}

static inline int AO_compare_and_swap_full(volatile AO_t *word, AO_t from, AO_t to)
{
	/* An exchange that fails releases nothing, and an annotation costs these tools time. */
	if (AO_load(word) == from)
		race_send(word);
	return AO_compare_and_swap_acquire(word, from, to);
}

static inline AO_t AO_fetch_and_add(volatile AO_t *word, AO_t more)
{
	return __atomic_fetch_add(word, more, __ATOMIC_SEQ_CST);
}

static inline AO_t AO_fetch_and_add_full(volatile AO_t *word, AO_t more)
{
	race_send(word);
	AO_t value = AO_fetch_and_add(word, more);
	race_receive(word);
	return value;
}

static inline AO_t AO_fetch_and_add1(volatile AO_t *word)
{
	return AO_fetch_and_add(word, 1);
}

static inline AO_t AO_fetch_and_sub1(volatile AO_t *word)
{
	return AO_fetch_and_add(word, (AO_t)-1);
}

/* Not annotated: barriers order only accesses of atomic words, which race with nothing. */
static inline void AO_nop_full(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void AO_nop_read(void)
{
	AO_nop_full();
}

static inline void AO_nop_write(void)
{
	AO_nop_full();
}

#endif
