/* SPDX-License-Identifier: MIT
 * The functions of the RTS are called by name. */
#define GHC_LINKED
#include "../shim/stubs.S"
