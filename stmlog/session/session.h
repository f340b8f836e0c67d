/* SPDX-License-Identifier: MIT
 * The session: the options and the facts of a process while the profiler is open. */
#ifndef STMLOG_SESSION_H
#define STMLOG_SESSION_H

#include <sys/types.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "clock.h"
#include "options.h"
#include "proc.h"

/* A fact that the runtime reports about the recording (stmlog_set_fact(), stmlog_set_word()). Any thread may set it;
 * a thread that makes a report reads it. A key never changes once it is set. A reader may find a new key before its
 * value is stored: then the value is 0. */
struct fact {
	volatile AO_t key; /* const char *, a copy (words.h); 0: free */
	volatile AO_t value;
	volatile AO_t word; /* const char *, a copy; 0: the fact is a number */
};

struct session {
	struct options options;
	struct options run; /* of STMLOG_RUN, by which `record` says where recordings go (tools/record/record_env.c) */
	const char *report; /* `report` of the setup that has opened the session (runtimes.h has the callbacks); a copy;
			       NULL: not set */
	uint64_t began_ns;
	uint64_t began_unix_ns;
	size_t top;                 /* entries in the text report */
	size_t depth;               /* frames of a traceback in the file */
	volatile AO_t sample_every; /* one transaction in so many is measured; any thread may set it */
	/* 1: some thread measures in windows; and a runtime counts failed attempts outside of them. Any thread sets
	 * these; read for outputs. Relaxed */
	volatile AO_t has_windows, counts_aborts;
	uint32_t sample;          /* the option sample=N; 0: the library chooses. Constant while open */
	volatile AO_t is_sampled; /* sample_every was above 1, or a weight, or transactions were only timed */
	struct fact facts[STMLOG_FACTS];
	/* 1: outputs are made even if all accounts are empty, because stmlog_unmeasured() was called, or a timeline has
	 * events of the program's own. Set by any thread, read where outputs are made. Relaxed, because it publishes no
	 * other data. */
	volatile AO_t has_more;
	bool has_paths;              /* the option paths=on; constant while open */
	size_t processors;           /* how many the process could use at open; 0: not known */
	struct machine_time machine; /* at open, or in a forked child at the first attach; zeroed: not known */
	volatile AO_t lacks_machine; /* 1: a forked child whose first attach is to read that */
	/* 1: the process has forked. The kernel's counters then do not tell its children from programs of others. Set
	 * by any thread, read where outputs are made. Relaxed, because it publishes no other data. */
	volatile AO_t has_forked;
	pid_t pid; /* the process that opened the session, or the forked child */
	bool is_forked;
	uint64_t serial; /* of this process, or program after exec(), in the run of `record`; 0: there is no board */
	uint64_t generation; /* how often this process has called exec() before */
};

extern struct session session;

/* 1: the process may filter its system calls (stmlog_before_filter()). It holds as long as the process lives, and
 * threads read it while a session is opened: so it is not in struct session. Relaxed: each thread that is bound by a
 * filter comes from the thread that has stored this. */
extern volatile AO_t session_is_filtered;

/* Not in struct session, which is cleared when it is opened again: threads that attach look at it meanwhile. */
extern volatile AO_t session_is_open_word;

static inline bool session_is_open(void)
{
	return AO_load_acquire(&session_is_open_word) != 0;
}

/* Keeps the session's data from being freed while the calling thread reads them, to make outputs. Returns false if the
 * session is not open. For each call that returned true, session_leave() must follow. */
bool session_enter(void);
void session_leave(void);

/* Closes the session. Returns false if some thread is between session_enter() and session_leave(): then the data must
 * stay. */
bool session_shut(void);

/* In a forked child, where threads that were between session_enter() and session_leave() do not exist. */
void session_fork_child(void);

static inline bool session_is_sampled(void)
{
	return AO_load(&session.is_sampled) != 0;
}

/* Sets a word to 1. Reads it first: a cache line that all threads only read stays in all caches. */
static inline void session_raise(volatile AO_t *word)
{
	if (STMLOG_UNLIKELY(!AO_load(word)))
		AO_store(word, 1);
}

static inline void session_has_more(void)
{
	session_raise(&session.has_more);
}

/* From now on the recording is a sampled one. */
static inline void session_samples(void)
{
	session_raise(&session.is_sampled);
}

/* The clock of stmlog_set_clock(), for the sessions opened after it; NULL: the clock of the option `clock`. */
extern clock_function *session_clock;

/* Calls before_report of all runtimes. */
void session_before_report(void);

/* Calls find_open of all runtimes, one behind the other. Returns how many were found. */
size_t session_find_open(struct stmlog_open_transaction *open, size_t max);

#endif
