/* SPDX-License-Identifier: MIT
 * Limits a process that runs a library of which it knows nothing. */
#ifndef ITM_CALIBRATE_END_SOON_H
#define ITM_CALIBRATE_END_SOON_H

/* From now on SIGALRM ends the process after so many seconds, and no death of it leaves a core file. To be called while
 * the process has one thread. */
void end_soon(unsigned seconds);

#endif
