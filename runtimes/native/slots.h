/* SPDX-License-Identifier: MIT
 *
 * Slots: the words through which a module calls functions of other modules (its global offset table, and that of its
 * linkage table). Here they can be pointed at one of two functions of the same name, in all modules of the process at
 * once, while other threads call through them.
 *
 * A slot is changed only if the loader has bound it to functions[0]. So slots that are not bound yet stay as they are,
 * and so do those that were bound to another function, be it functions[1]. The next call finds slots that were bound
 * since, and those of modules that were loaded since.
 *
 * One thread at a time may call these functions. They keep errno.
 */
#ifndef NATIVE_SLOTS_H
#define NATIVE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

/* A function's name, and the two functions of that name. NULL: there is no such function, and its slots are left alone.
 * The two may be the same. */
struct native_slot_choice {
	const char *name;
	const void *functions[2];
};

/* Points the slots of the `len` functions at functions[which]. The table must stay as it is: where their slots are is
 * remembered until modules come or go. Takes the loader's lock for its list of modules, so that none goes meanwhile.
 * Pages that the loader has made read-only are made writable, and read-only again. Returns false if some slots cannot
 * be changed, and keep the function that they hold. */
bool native_slots_point(const struct native_slot_choice *table, size_t len, unsigned which);

/* How many slots are remembered. For tests. */
size_t native_slots_known(void);

#endif
