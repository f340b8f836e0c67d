/* SPDX-License-Identifier: MIT
 *
 * Names for data. A program names pieces of its memory, and reports show the names wherever transactions have
 * conflicted over them:
 *
 *   for (int i = 0; i < 100; i++) {
 *           snprintf(text, sizeof text, "account %d", i);
 *           stmlog_label(&accounts[i], sizeof accounts[i], text);
 *   }
 *
 * `stmlog report --full` then tells how often transactions have conflicted over each of the accounts. Labels whose
 * texts differ in numbers alone are a table.
 *
 * This header needs no other header of stmlog, and no library: where neither the agent for libitm nor libstmlog is in
 * the process, a label costs a branch. A library that is loaded later (dlopen()) gets no labels.
 */
#ifndef STMLOG_LABEL_H
#define STMLOG_LABEL_H

#include <stddef.h>

/* As in compiler.h. */
#ifndef STMLOG_API
#define STMLOG_API __attribute__((visibility("default")))
#define STMLOG_PRIVATE STMLOG_API
#endif
#ifndef STMLOG_INLINE
#define STMLOG_INLINE static inline
#endif

/* For gcc -fgnu-tm: atomic transactions may call it. */
#if defined __GNUC__ && !defined __clang__
#define STMLOG_LABEL_PURE __attribute__((transaction_pure))
#else
#define STMLOG_LABEL_PURE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Private: the functions behind stmlog_label(), of libstmlog and of the agent for libitm. Either may be absent. */
typedef void stmlog_label_function(const void *address, size_t size, const char *text) STMLOG_LABEL_PURE;

STMLOG_PRIVATE void stmlog_label_on(const void *address, size_t size, const char *text);
#ifndef STMLOG_LOOKS_FOR_LIBRARY /* else stmlog-vendor.h has a function that looks for the library */
#pragma weak stmlog_label_on
#endif

extern __attribute__((visibility("default"))) stmlog_label_function stmlog_label_itm;
#pragma weak stmlog_label_itm

/* Where code is linked to a fixed address, only the global offset table has functions that are preloaded. */
#if defined __x86_64__ && !defined __PIC__ && !defined STMLOG_LOOKS_FOR_LIBRARY
#define STMLOG_LABEL_FIND(name, function) \
	__asm__(".weak " #name "\n\tmovq " #name "@GOTPCREL(%%rip), %0" : "=r"(function))
#else
#define STMLOG_LABEL_FIND(name, function) (function) = name
#endif

/* Not inlined, so that no transaction contains its instructions. */
static __attribute__((noinline, unused)) STMLOG_LABEL_PURE void stmlog_label_each(
	const void *address, size_t size, const char *text)
{
	stmlog_label_function *of_library, *of_agent;
	STMLOG_LABEL_FIND(stmlog_label_on, of_library);
	STMLOG_LABEL_FIND(stmlog_label_itm, of_agent);
	if (of_library != NULL)
		of_library(address, size, text);
	if (of_agent != NULL)
		of_agent(address, size, text);
}

/* Names the bytes from `address` to `address + size`. A part of them that has a label gets the new one; the other bytes
 * of that label keep theirs. So a table may have a label, and each of its elements another one. The text is copied, up
 * to 127 bytes. If it is NULL or "", these bytes lose their labels. If the size is 0, the whole piece at the address
 * loses its label: stmlog_label(node, 0, NULL) before free(node). An address of NULL is ignored.
 *
 * Freed memory keeps its label until it gets another one or loses it. A loss counts for the label of its time. But the
 * objects of an entry are addresses: each is called by its last label, unless a loss comes after that was removed. A
 * forked child has the labels of its parent.
 *
 * Any thread, but not in a signal handler. Within a transaction: the label stays if the attempt aborts, and the text
 * must not have been written by the same transaction, since an STM may write it later. Keeps errno. 65,536 different
 * texts and as many pieces are kept; reports say how many labels found no room. */
STMLOG_INLINE STMLOG_LABEL_PURE void stmlog_label(const void *address, size_t size, const char *text)
{
	stmlog_label_each(address, size, text);
}

#ifdef __cplusplus
}
#endif

#endif
