/* SPDX-License-Identifier: MIT */
#include "real.h"

struct ghc_real ghc_real;
