/* SPDX-License-Identifier: MIT
 * The word alone: filter.c stores it. */
#include "filtered.h"

volatile AO_t itm_filtered;
