/* SPDX-License-Identifier: MIT
 *
 * Atomic operations that helgrind and DRD understand, in the place of libatomic_ops and of the macros in
 * <stmlog/compiler.h>: a build with RACE=1 includes this file before everything else.
 *
 * Those two tools see a load or store as what it is, and an atomic one like any other. But they take a
 * read-modify-write in one instruction for a read, and reads do not race with each other. So a load is an
 * addition of 0 here and a store an exchange: no access that is atomic everywhere is reported, and a plain
 * store to such a word still is. What orders other accesses is told them by name, with the word's address:
 * a release "happens before" each acquire of the same word that comes later. An operation that has neither
 * in its name orders nothing, so that a release that is missing is found.
 *
 * Rejected: libatomic_ops' own emulation (AO_USE_PTHREAD_DEFS). Each operation takes one mutex there, which
 * to these tools orders everything before with everything after, be it relaxed or a release: with both releases
 * of inbox_post() taken away it finds nothing, and this file's operations twelve races. Besides, it loads
 * plainly where it emulates one operation by another, which they report.
 *
 * What is not here is used nowhere yet.
 */
#ifndef TESTS_RACE_ATOMIC_OPS_H
#define TESTS_RACE_ATOMIC_OPS_H

#include <stddef.h>

#include <valgrind/drd.h>
#include <valgrind/helgrind.h>

typedef size_t AO_t;

/* To both tools: the one that does not run does not know its number and does nothing. */
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
	/* What fails releases nothing; and to be told so takes these tools their time. */
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

/* What a barrier orders are atomic words, which race with nothing: the tools need not know of it. */
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
