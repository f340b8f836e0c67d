/* SPDX-License-Identifier: MIT */
#include "leaving.h"

char **(*ghc_leaving)(char *const *environment);
