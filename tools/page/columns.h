/* SPDX-License-Identifier: MIT
 * Tables of numbers in the page's data, in columns, since a row for each of 100,000 bars would take many times the
 * room: the i-th number of each column is of the i-th row. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "report.h"

/* Numbers of one kind, in the order of the rows. An empty one is zeroed. */
struct column {
	uint64_t *at;
	size_t len, cap;
};

void columns_add_row(struct column *columns, size_t len, const uint64_t *numbers);
void columns_fini(struct column *columns, size_t len);

/* Writes an object with "left_out" and each column by its name, as a member of the present object, after a comma. Of
 * more than `max` rows it has the last ones. */
void columns_write(const struct report *report, const char *name, const struct column *columns,
	const char *const *names, size_t len, size_t max);

#endif
