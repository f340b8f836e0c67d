/* SPDX-License-Identifier: MIT
 * Macros of the public headers for what C itself cannot express: visibility, branch hints, relaxed atomics. */
#ifndef STMLOG_COMPILER_H
#define STMLOG_COMPILER_H

#ifdef __cplusplus
#define STMLOG_BEGIN_DECLS extern "C" {
#define STMLOG_END_DECLS }
#else
#define STMLOG_BEGIN_DECLS
#define STMLOG_END_DECLS
#endif

/* Marks the functions that the shared library exports; all others are hidden. */
#ifndef STMLOG_API
#define STMLOG_API __attribute__((visibility("default")))
#endif

/* Stands before each inline function of these headers. stmlog/twins.c defines it as STMLOG_API, and so makes a function
 * of each that the library exports, for languages that cannot read C headers. */
#ifndef STMLOG_INLINE
#define STMLOG_INLINE static inline
#endif

/* The same for functions and data that only the inline functions of these headers use. They are not a part of the
 * interface: programs must not use them, and the next version may not have them. All functions whose names end in _on
 * or _slow are of this kind. */
#define STMLOG_PRIVATE STMLOG_API
#define STMLOG_PRIVATE_INLINE STMLOG_INLINE

/* Replaces a call of a function with one argument under STMLOG_OFF: the argument is evaluated, and the value may be
 * left unused without a warning. */
#define STMLOG_OFF_VALUE(argument, value) \
	__extension__({                   \
		(void)(argument);         \
		value;                    \
	})

/* Declarations and whole statements that a runtime needs for stmlog alone. With STMLOG_OFF they are nothing, and the
 * runtime is what it was. An `if` outside of the parentheses would then take the next statement. */
#ifdef STMLOG_OFF
#define STMLOG_ONLY(...)
#else
#define STMLOG_ONLY(...) __VA_ARGS__
#endif

/* Makes a call for a handle, unless the handle is NULL. */
#ifdef STMLOG_OFF
/* The call is compiled and never made: so the program has no unused parameters, and errors in the call show. */
#define STMLOG_HOOK(thread, call) \
	do {                      \
		if (0)            \
			call;     \
	} while (0)
#define STMLOG_HOOK_VALUE(thread, call, off) (0 ? (call) : (off))
#else
#define STMLOG_HOOK(thread, call)                      \
	do {                                           \
		if (STMLOG_UNLIKELY((thread) != NULL)) \
			call;                          \
	} while (0)
#define STMLOG_HOOK_VALUE(thread, call, off) (STMLOG_UNLIKELY((thread) != NULL) ? (call) : (off))
#endif

#define STMLOG_LIKELY(x) __builtin_expect(!!(x), 1)
#define STMLOG_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Keeps the compiler from moving stores across it: a signal handler on the same thread that sees a store after it sees
 * all stores before it. Makes no instruction. */
#define STMLOG_SIGNAL_FENCE() __atomic_signal_fence(__ATOMIC_RELEASE)

/* Atomic accesses to a word that another thread loads while its owner stores it. They are not ordered with other
 * accesses, and are a plain move instruction on all known machines. The builtins work in gcc and clang, C and C++;
 * libatomic_ops would be one more dependency of the public headers, and C++ has no <stdatomic.h>. A build for a race
 * detector that does not know the builtins defines its own macros. */
#ifndef STMLOG_LOAD_RELAXED
#define STMLOG_LOAD_RELAXED(from) __atomic_load_n((from), __ATOMIC_RELAXED)
#define STMLOG_STORE_RELAXED(to, value) __atomic_store_n((to), (value), __ATOMIC_RELAXED)
#endif

#endif
