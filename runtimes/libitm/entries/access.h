/* SPDX-License-Identifier: MIT
 *
 * The light agent hooks no barrier, yet an abort is to say whether it came from a read
 * or from a write. The return address of the barrier follows the call instruction, and
 * that leads to the barrier.
 */
#ifndef ITM_ACCESS_H
#define ITM_ACCESS_H

/* The code that the call before `return_address` entered through the procedure linkage
 * table or through a slot of its own; NULL: no call of such a form stands there. Slow. */
const void *itm_access_target(const void *return_address);

#endif
