/* SPDX-License-Identifier: MIT
 * The session: the options, the words and the facts of a process while the profiler is open. */
#ifndef STMLOG_SESSION_H
#define STMLOG_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "clock.h"
#include "interned.h"
#include "proc.h"

/* ---- options ----
 *
 * The options of the environment variable STMLOG_OPTIONS, "key=value:key=value", parsed once. A backslash makes the
 * next character an ordinary one. If a key is given twice, the last value counts. (life.c ignores the variable in
 * setuid and setgid processes.)
 */

struct option {
	const char *key; /* points into the memory of the options, as does `value`; NUL-terminated */
	const char *value;
	bool is_asked; /* options_get() was called with this key: the library or a runtime knows it */
};

struct options {
	struct option *option; /* owned; the text follows the options in the same memory */
	size_t len;
	size_t size;     /* of the memory */
	bool is_ignored; /* there was no memory for the options, and options_warn_unknown() has not yet said so */
};

/* Parses the value of the environment variable, of any length; NULL: it is not set. Warns on stderr if it separates
 * options by something else than a colon. */
void options_parse(struct options *options, const char *value);

/* Frees the memory, and leaves no options. A zeroed struct has no options. */
void options_forget(struct options *options);

/* Returns the value of a key, or NULL. From now on the key counts as known. */
const char *options_get(struct options *options, const char *key);

/* Returns the value of a key as a number from `low` to `high`; `otherwise` if the key is not given and, with a warning,
 * if its value is no such number. */
uint64_t options_number(struct options *options, const char *key, uint64_t low, uint64_t high, uint64_t otherwise);

/* Returns N of sample=N; 0 for auto, without the option, and for a word of the runtime's own. A timeline without it has
 * each transaction: 1. */
uint32_t options_sample(struct options *options);

/* Warns on stderr that a value is not `expected`, and that the default is used. */
void options_warn_value(const char *key, const char *value, const char *expected);

/* Warns on stderr of each key that is not known yet, and of options that are ignored, once. */
void options_warn_unknown(struct options *options);

/* ---- words ----
 *
 * The strings that a runtime passes to hooks. They are compared and stored by address. When a hook sees a word for the
 * first time the word is also copied: the report then has its text even if the library that contains it was unloaded.
 * If two strings are at the same address one after the other, the first one's text stands for both.
 */

extern struct interned words_interned;

/* The slow path of words_intern(). Without memory there is no copy. */
void words_intern_on(const char *word);

/* Copies a word that has no copy yet. NULL is allowed. Called by hooks, whose callers pass the word: so the string is
 * valid. */
static inline void words_intern(const char *word)
{
	if (word != NULL && STMLOG_UNLIKELY(interned_find(&words_interned, word) == NULL))
		words_intern_on(word);
}

/* Copies a word, if it has no copy yet, and returns the copy; the word itself without memory. NULL for NULL. */
const char *words_copy(const char *word);

/* Returns the text of a word whose string may be unloaded; the word itself if it has no copy. NULL for NULL. Any
 * thread. */
static inline const char *words_text(const char *word)
{
	const char *copy = word != NULL ? (const char *)interned_find(&words_interned, word) : NULL;
	return copy != NULL ? copy : word;
}

/* Frees all copies. Called when no thread calls hooks. */
void words_forget(void);

/* ---- the session ---- */

/* A fact that the runtime reports about the recording (stmlog_set_fact(), stmlog_set_word()). Any thread may set it;
 * a thread that makes a report reads it. A key never changes once it is set. A reader may find a new key before its
 * value is stored: then the value is 0. */
struct fact {
	volatile AO_t key; /* const char *, a copy (words_copy()); 0: free */
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
