/* SPDX-License-Identifier: MIT
 * The parts of the life of a session: threads that attach, the run of `record` that the process belongs to, outputs,
 * and the watcher. life.c opens and closes the session by them. */
#ifndef STMLOG_LIFE_H
#define STMLOG_LIFE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include <stmlog/board.h>

#include "sections.h"

/* ---- attach.c ----
 *
 * Opens and closes the attaching of threads. A thread gets a record by stmlog_thread_open(), and loses it by
 * stmlog_thread_close() or when it ends. These two functions are declared in runtime.h. */

/* From here until attach_close(), a thread that ends is detached. `attached` is called by each thread that attaches, as
 * soon as it has its record; in a forked child, whose thread is attached already, it is called when that thread
 * attaches again. Returns 0 or a negative errno. Called by the thread that opens or closes the session. */
int attach_open(void (*attached)(void));
void attach_close(void);

/* Detaches threads that have ended while attached: a destructor of thread-specific data may attach a thread after the
 * destructor that detaches it has run. Requires the registry's lock. Called when all outputs were made. */
void attach_leave_ended(void);

/* Called in a forked child, before it has a second thread. */
void attach_fork_child(void);

/* ---- board.c: the directory of the run ----
 *
 * The private directory that `record` has made for the recordings of a run. The directory lies where other users may
 * write, and they may put something else in its place. So `in` of STMLOG_RUN has its device and inode number:
 * DEVICE.NUMBER. */

/* Opens the directory in which `path` is. Returns a descriptor or a negative errno; -ENOENT: the directory is gone, or
 * is not the directory of the run; -EINVAL: the path names no directory, or only the root. Without `in` any
 * directory is accepted. */
int run_directory_open(const char *path);

/* ---- board.c: the board of the run ----
 *
 * Writes notes for `record` into this process's row of the board (stmlog/board.h). Without `board` in STMLOG_RUN, or
 * without a free row, these functions do nothing. */

/* Maps the board that STMLOG_RUN names and claims a row. The file is not needed afterwards: the program may lose the
 * right to open it, or all its descriptors. */
void board_open(void);

/* Called in a forked child: claims a row of its own. `has_number`: session.pid is the child's number; otherwise the
 * child gets no row, and only board_note_filtered() has an effect, on the parent's row. */
void board_fork_child(bool has_number);

/* Counts a recording that is not written because of a filter of system calls. */
void board_note_filtered(void);

/* Notes that the process cannot be recorded, unless there is something to record already. */
void board_note_refused(void);

/* Notes that there is something to record. Only the first call has an effect. Any thread. */
void board_note_begun(void);

/* Notes the state of the recording. `error`: 0, or a negative errno if the recording could not be written. Any
 * thread. */
void board_note(enum stmlog_board_state state, int error);

/* Writes a recording onto the board, for `record` to put into a file. Needs no right of the process, but memory.
 * Returns 0 or a negative errno. */
int board_keep(const struct sections *sections);

/* Whether `record` has ended, or there is no board. */
bool board_is_over(void);

/* Notes the watcher's process, for which `record` waits when the program has ended. */
void board_note_watcher(pid_t watcher);

/* Notes that the watcher has nothing more to do. */
void board_forget_watcher(pid_t watcher);

/* ---- destination.c ----
 *
 * Chooses the path of an output, from a pattern of the user's, so that no two processes or sessions get the same
 * path. */

struct destination {
	const char *option;  /* the option that has the pattern: "out" or "report" */
	const char *pattern; /* NULL: none is wanted */
	const char *late;    /* used instead when the directory of `pattern` is gone; NULL: none */
	bool is_late;        /* `late` is used now */
	int directory; /* of the pattern, between destination_choose() and destination_leave(); negative: not open */
	dev_t device;  /* of the file that was written last */
	ino_t inode;   /* 0: nothing was written yet */
};

/* Remembers the current directory: from now on relative paths begin there. */
void destination_remember_directory(void);

/* Sets `path` to the path to write now. It is PATH.2, PATH.3 and so on, with a line on stderr, if others have written
 * PATH since the session was opened. Returns 0 or a negative errno. */
int destination_choose(struct destination *destination, char path[PATH_MAX]);

/* Returns the path of the pattern, for messages: expanded in `path`, or the pattern itself if it is too long. */
const char *destination_name(const struct destination *destination, char path[PATH_MAX]);

/* Called after destination_choose(), when the path is not needed any more. */
void destination_leave(struct destination *destination);

/* Called when the output was written at this path. */
void destination_wrote(struct destination *destination, const char *path);

/* ---- outputs.c ----
 *
 * Makes the report and the file at the destinations of the options `report` and `out`. */

/* Reads the options, and remembers the current directory for relative paths. */
void outputs_read_options(void);

/* Whether a signal handler has interrupted the calling thread within the library, and is about to end the process: then
 * the interrupted call of the library never finishes. If so, prints that nothing is written. */
bool outputs_are_barred(void);

/* Prints that nothing is written because the watcher waits for a lock of the code that was interrupted. */
void outputs_tell_stuck(void);

/* Notes on the board that a filter of system calls may forbid the outputs, if anything was recorded. */
void outputs_note_filtered(void);

enum outputs_occasion {
	OUTPUTS_ON_CALL,   /* stmlog_flush() */
	OUTPUTS_ON_SIGNAL, /* the signal of the option `signal` */
	OUTPUTS_SNAPSHOT,  /* in case the process is killed later */
	OUTPUTS_AT_DEATH,  /* the process has ended; by the watcher only */
	OUTPUTS_AT_END,    /* the session ends: no outputs are made afterwards */
};

/* Unless outputs_are_barred(): makes the report and the file, if anything was recorded; a snapshot only if something
 * was recorded since the last outputs, or is under way. Each failure is a line on stderr. Any thread, with any stack
 * (undisturbed_run()). */
void outputs_make(enum outputs_occasion occasion);

/* Called in a forked child, where a thread that was making outputs does not exist. */
void outputs_forget(void);

/* ---- watcher.c ----
 *
 * The watcher: a process that shares the program's memory, and nothing else, and makes the outputs: every few seconds
 * (option `snapshot`), on a signal (option `signal`), at the end of the program, and when the program has died
 * (kill=flush). It exists only if one of these options is given, from the first attach on.
 *
 * However the program ends, its memory stays as long as the watcher lives, with all that was recorded. Data that a
 * thread was changing in that moment may be changed in part. Only the kernel's killer for want of memory ends both,
 * since it kills all processes that share the memory: the last snapshot is left.
 *
 * The watcher has descriptors, signals, limits, rights, a directory and a root of its own: those that the program had
 * when the watcher began. So it can write what the program may not write any more, and no close() of one of the two
 * closes a file of the other.
 *
 * Under a checker (base/check.h) there is no watcher.
 */

void watcher_read_options(void);

/* Called when a thread attaches: starts the watcher, if an option asks for it and it does not run yet. Any thread. */
void watcher_start(void);

/* Called when the process is about to filter its system calls: starts the watcher even if no option asks for it.
 * watcher_start() does nothing from then on. Requires session_is_filtered. */
void watcher_before_filter(void);

/* Whether there is a watcher that can make outputs for the caller. A watcher that somebody has killed is forgotten.
 * Makes one system call. */
bool watcher_runs(void);

/* Lets the watcher make outputs, and waits for them. So they need none of the caller's stack, and no system calls that
 * a filter may forbid to the caller. Returns false, and there will be no outputs, if the watcher makes no progress
 * (idle_time_is_over()): then the caller is a signal handler, and the watcher waits for a lock of the code that it has
 * interrupted. Requires that watcher_runs() has just returned true; the caller has seen that outputs are not barred. */
bool watcher_make(enum outputs_occasion occasion);

/* Called when the process is about to leave its memory by exec() or _exit(). Returns whether the watcher will make the
 * outputs then; if so, it checks more often for a while. */
bool watcher_before_leaving(void);

/* Ends the watcher, and waits for its end. Called by the thread that closes the session. */
void watcher_stop(void);

/* Called in a forked child, which has no watcher. */
void watcher_forget(void);

#endif
