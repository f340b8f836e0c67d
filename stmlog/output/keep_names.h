/* SPDX-License-Identifier: MIT
 * Keeps names for outputs that are made after the runtime that knows them has left. */
#ifndef STMLOG_KEEP_NAMES_H
#define STMLOG_KEEP_NAMES_H

/* Keeps the names that the runtimes' callbacks give all sites and objects which a recording of now would have. */
void keep_names_of_now(void);

#endif
