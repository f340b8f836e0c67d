/* SPDX-License-Identifier: MIT
 * The recording is whole when the process image is left without exit handlers (leaving.h). */
#ifndef GHC_LEAVE_H
#define GHC_LEAVE_H

/* The module is open in this process. */
void leave_open(void);
void leave_after_fork(void);

/* ghc_leaving(). Has the recording written, and tells the next image its number. Keeps errno. Does nothing if no
 * transaction has begun in this process, or if the caller only shares its memory (vfork). */
char **leave_image(char *const *environment);

#endif
