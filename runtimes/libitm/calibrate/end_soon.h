/* SPDX-License-Identifier: MIT
 * Limits the life of a process that runs an unknown library. */
#ifndef ITM_CALIBRATE_END_SOON_H
#define ITM_CALIBRATE_END_SOON_H

/* SIGALRM will end the process after `seconds`, and no crash of it leaves a core file. To be called while the process
 * has one thread. */
void end_soon(unsigned seconds);

#endif
