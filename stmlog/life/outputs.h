/* SPDX-License-Identifier: MIT
 * Makes the report and the file at the destinations of the options `report` and `out`. */
#ifndef STMLOG_OUTPUTS_H
#define STMLOG_OUTPUTS_H

#include <stdbool.h>

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

#endif
