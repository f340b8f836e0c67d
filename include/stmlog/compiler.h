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

#endif
