/* SPDX-License-Identifier: MIT
 * Has the recording written when the process image is left without exit handlers, and prepares for filters of system
 * calls (real.h). */
#ifndef GHC_LEAVE_H
#define GHC_LEAVE_H

/* To be called when the module is open in this process. */
void leave_open(void);
/* To be called in a forked child. Requires leave_open(), in a parent. */
void leave_after_fork(void);

/* ghc_leaving(). Has the recording written, and tells the next image its number. Keeps errno. Does nothing if no
 * transaction has begun in this process, or if the caller only shares its memory (vfork). */
char **leave_image(char *const *environment);

/* ghc_filtering(). If such a call of syscall() filters system calls or forbids to read the clock, prepares for that
 * (runtimes/native/filter.h). Keeps errno. Does nothing if the caller only shares the process's memory (vfork). */
void leave_before_call(long number, long first, long second);

#endif
