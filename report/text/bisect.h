/* SPDX-License-Identifier: MIT
 * Binary search by a number. */
#ifndef BISECT_H
#define BISECT_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many of the first `len` elements have a key of at most `key`. Keys ascend; element i of
 * `array` has the key key_at(array, i). */
size_t bisect(const void *array, size_t len, uint64_t key, uint64_t (*key_at)(const void *array, size_t index));

#endif
