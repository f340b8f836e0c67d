/* SPDX-License-Identifier: MIT */
#include "leaving.h"

char **(*ghc_leaving)(char *const *environment);
int (*ghc_sigaction)(stmlog_sigaction_function real, int number, const struct sigaction *action, struct sigaction *old);
