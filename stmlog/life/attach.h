/* SPDX-License-Identifier: MIT
 *
 * How the calling thread gets a record, and loses it again: when it asks, or when it ends.
 */
#ifndef STMLOG_ATTACH_H
#define STMLOG_ATTACH_H

/* From here until attach_close(), a thread that ends is detached. `attached` is called on each thread that attaches,
 * afterwards. Returns 0 or a negative errno. */
int attach_open(void (*attached)(void));
void attach_close(void);

#endif
