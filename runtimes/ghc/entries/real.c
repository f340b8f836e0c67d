/* SPDX-License-Identifier: MIT
 * The functions of the RTS, filled in by the way into the program: by linked/ or by preloaded/. */
#include "real.h"

struct ghc_real ghc_real;
