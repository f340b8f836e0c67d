/* SPDX-License-Identifier: MIT
 * Hashes of bytes that a file chooses. They depend on a random number of the process: so no file can be made whose
 * texts collide. */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_of(const void *bytes, size_t len);

#endif
