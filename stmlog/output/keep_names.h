/* SPDX-License-Identifier: MIT
 * Names for outputs that are made when the runtime which knows them has left. */
#ifndef STMLOG_KEEP_NAMES_H
#define STMLOG_KEEP_NAMES_H

/* Keeps what the runtimes' callbacks say now of all sites and objects that a recording would have now. */
void keep_names_of_now(void);

#endif
