/* SPDX-License-Identifier: MIT
 * Halves the range of candidates until none is left. */
#include "bisect.h"

size_t bisect(const void *array, size_t len, uint64_t key, uint64_t (*key_at)(const void *array, size_t index))
{
	size_t low = 0, high = len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (key_at(array, middle) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
