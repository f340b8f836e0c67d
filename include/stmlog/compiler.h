/* SPDX-License-Identifier: MIT
 * What the public headers need from the compiler, and nothing else. */
#ifndef STMLOG_COMPILER_H
#define STMLOG_COMPILER_H

#ifdef __cplusplus
#define STMLOG_BEGIN_DECLS extern "C" {
#define STMLOG_END_DECLS }
#else
#define STMLOG_BEGIN_DECLS
#define STMLOG_END_DECLS
#endif

/* What a shared library exports; everything else is built hidden. */
#define STMLOG_API __attribute__((visibility("default")))

#define STMLOG_LIKELY(x) __builtin_expect(!!(x), 1)
#define STMLOG_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A word that another thread may load while its owner stores it: whole, in no order with any other access, a
 * plain move on all machines that we know. Not libatomic_ops', since then whoever includes a public header would
 * have to have it; and not <stdatomic.h>, which C++ does not. gcc and clang, C and C++.
 * A build for a race detector that does not know them brings its own. */
#ifndef STMLOG_LOAD_RELAXED
#define STMLOG_LOAD_RELAXED(from) __atomic_load_n((from), __ATOMIC_RELAXED)
#define STMLOG_STORE_RELAXED(to, value) __atomic_store_n((to), (value), __ATOMIC_RELAXED)
#endif

#endif
