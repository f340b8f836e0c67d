/* SPDX-License-Identifier: MIT
 * What holds for the process while the profiler is open. */
#ifndef STMLOG_SESSION_H
#define STMLOG_SESSION_H

#include <sys/types.h>

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#include "clock.h"
#include "options.h"

/* What the runtime says about the recording; set by any thread, read by those that report.
 * A key that is set never changes; between the two stores of a new fact its value reads as 0. */
struct fact {
	volatile AO_t key; /* const char *; 0: free */
	volatile AO_t value;
	volatile AO_t word; /* const char *; 0: the fact is a number */
};

struct session {
	volatile AO_t is_open; /* threads attach while another one opens or closes */
	struct options options;
	struct stmlog_setup setup;
	uint64_t began_ns;
	uint64_t began_unix_ns;
	size_t top;                 /* entries in the text report */
	size_t depth;               /* frames of a traceback in the file */
	volatile AO_t sample_every; /* any thread's to say */
	volatile AO_t is_sampled;   /* it was above 1 at some time */
	struct fact facts[STMLOG_FACTS];
	/* 1: there is more to be told than is in the accounts: stmlog_unmeasured() was called in this process, or a
	 * timeline has what the program itself tells. Set by any thread, read where outputs are made; plain, since
	 * nothing is published by it. */
	volatile AO_t has_more;
	bool has_paths;    /* the option paths=on: constant once open */
	size_t processors; /* that the process might use when it opened this; 0: not known */
	pid_t pid;         /* that opened it, or the forked child's own */
	bool is_forked;
	uint64_t generation; /* how many images this process has had before (exec) */
};

extern struct session session;

static inline bool session_is_open(void)
{
	return AO_load_acquire(&session.is_open) != 0;
}

static inline bool session_is_sampled(void)
{
	return AO_load(&session.is_sampled) != 0;
}

/* Looked at first: a line that all threads read stays with all of them. */
static inline void session_has_more(void)
{
	if (STMLOG_UNLIKELY(!AO_load(&session.has_more)))
		AO_store(&session.has_more, 1);
}

/* What stmlog_set_clock() was given, for sessions to come; NULL: none. */
extern clock_function *session_clock;

/* What stmlog_set_fact() was given last; 0: nothing. Any thread. */
uint64_t session_fact(const char *key);

/* What stmlog_set_word() was given last; NULL: nothing. Any thread. */
const char *session_word(const char *key);

/* Calls setup.before_report. */
void session_before_report(void);

#endif
