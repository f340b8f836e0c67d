/* SPDX-License-Identifier: MIT
 *
 * Opening and closing the profiler, and what it asks a runtime while a report or a file is made.
 */
#ifndef STMLOG_SETUP_H
#define STMLOG_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>
#include <stmlog/traceback.h>

STMLOG_BEGIN_DECLS

#define STMLOG_VERSION "0.1.0"

/* The number of the binary interface. A library accepts programs that were compiled with headers of the same number: a
 * new function, or a new member at the end of a structure, does not change it. */
#define STMLOG_ABI 8

/* The name of a site. The strings are NUL-terminated. */
struct stmlog_name {
	char function[256];
	char file[256];
	uint32_t line;
};

struct stmlog_block;
struct stmlog_open_transaction;

/* Callbacks are called only while a report or a file is made, by the thread that makes it. Each may be NULL, and gets
 * the `..._arg` behind it. Within a callback, opening, closing and outputs are refused and counted. */
struct stmlog_setup {
	const char *runtime; /* name of the runtime for the report, at most 63 bytes; NULL: none */

	/* Names a site whose code the runtime has made up (tb_site_make()). Returns false if it cannot. */
	bool (*expand)(struct tb_site site, struct stmlog_name *name, void *arg);
	void *expand_arg;

	/* Names an object of a conflict by its number, though it may no longer exist. Writes at most `size` bytes, NUL
	 * included. Returns false if it cannot. */
	bool (*name_object)(uintptr_t object, char *name, size_t size, void *arg);
	void *name_object_arg;

	/* Called before all others: the runtime may now report what it counts itself (agent.h). */
	void (*before_report)(void *arg);
	void *before_report_arg;

	/* Where the report goes if STMLOG_OPTIONS has no report=: "stderr", "none" or a path; NULL: "stderr". */
	const char *report;

	/* For agents (agent.h): find a block of memory, and transactions under way that no call has reported. */
	bool (*find_block)(uintptr_t object, struct stmlog_block *block, void *arg);
	void *find_block_arg;
	size_t (*find_open)(struct stmlog_open_transaction *open, size_t max, void *arg);
	void *find_open_arg;

	/* Whether time is kept by call path if STMLOG_OPTIONS has neither paths= nor sample=N nor timeline=: for a
	 * runtime that samples, in which it costs little. Only the setup that opens the profiler decides. */
	bool has_paths;

	/* The options, in the form of STMLOG_OPTIONS, where the environment has none: for a process that switches the
	 * profiler on while it runs. NULL: none. Only the setup that opens the profiler decides. */
	const char *options;
};

/* A setup that has a name and no callbacks. (C++ has no designated initialisers before C++20.) */
STMLOG_INLINE struct stmlog_setup stmlog_setup_of(const char *runtime)
{
	struct stmlog_setup setup;
	__builtin_memset(&setup, 0, sizeof setup);
	setup.runtime = runtime;
	return setup;
}

/* The functions behind the two below. `size`: of the caller's struct stmlog_setup. */
STMLOG_API int stmlog_open_abi(const struct stmlog_setup *setup, size_t size, unsigned abi);
STMLOG_API bool stmlog_leave_abi(const struct stmlog_setup *setup, size_t size);

/* Opens the profiler for this process, with the options of STMLOG_OPTIONS. `setup` may be NULL; it is copied, with its
 * strings. Returns 0; -EALREADY if
 * another runtime has opened it, and this one, the n-th of at most STMLOG_RUNTIMES, has joined: its name is in the
 * report, and its callbacks are asked after those of earlier ones; -ENOSPC if it is open, and no more can join; -EBUSY
 * if handles are still open since it was closed; -EPROTO if the headers are those of another library (STMLOG_ABI);
 * -EDEADLK within a callback, or in a signal handler that has interrupted this call; or another negative errno. Handles
 * can be opened after 0, -EALREADY and -ENOSPC; after other errors they are NULL. Any thread. */
#define STMLOG_RUNTIMES 8
STMLOG_INLINE int stmlog_open(const struct stmlog_setup *setup)
{
	return stmlog_open_abi(setup, sizeof(struct stmlog_setup), STMLOG_ABI);
}

/* For a runtime that is unloaded while others go on: its callbacks name all that was recorded, and are not called any
 * more. Its figures stay. Returns false if it has not opened with this setup, or within a callback. Any thread. */
STMLOG_INLINE bool stmlog_leave(const struct stmlog_setup *setup)
{
	return stmlog_leave_abi(setup, sizeof(struct stmlog_setup));
}

/* Makes report and file, and goes on recording: before exec() or _exit(), say. The outputs at the end replace them. */
STMLOG_API void stmlog_flush(void);

/* Makes report and file, and ends the recording of all runtimes. The end of the process does this by itself. */
STMLOG_API void stmlog_close(void);

STMLOG_END_DECLS

#ifdef STMLOG_OFF
#define stmlog_open(setup) STMLOG_OFF_VALUE(setup, 0)
#define stmlog_leave(setup) STMLOG_OFF_VALUE(setup, (bool)0)
#define stmlog_flush() ((void)0)
#define stmlog_close() ((void)0)
#endif

#endif
