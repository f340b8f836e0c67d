/* SPDX-License-Identifier: MIT
 * The lines of a call by the order of the statements: it lies between the calls that run before and behind it. */
#ifndef HASKELL_ORDER_H
#define HASKELL_ORDER_H

#include "haskell_calling.h"

/* The lines of the call in block `number` of the function. Requires that there is such a block. */
struct haskell_lines haskell_order_lines(const struct haskell_calling *calling, size_t number);

#endif
