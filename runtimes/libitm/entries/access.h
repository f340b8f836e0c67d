/* SPDX-License-Identifier: MIT
 *
 * Which barrier an attempt failed in, for the light agent, which hooks none: before the barrier's return address stands
 * the call instruction, and that leads to the barrier.
 */
#ifndef ITM_ACCESS_H
#define ITM_ACCESS_H

/* The function that was called by the instruction before `return_address`, through the procedure linkage table or
 * through a slot of the global offset table. NULL: the bytes there are no such call. Slow. */
const void *itm_access_target(const void *return_address);

#endif
