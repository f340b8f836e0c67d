/* SPDX-License-Identifier: MIT
 * Finds where a libitm keeps the data that the agent would like to read: by transactions that must change them. */
#ifndef ITM_CALIBRATE_EXPERIMENT_H
#define ITM_CALIBRATE_EXPERIMENT_H

#include <stdbool.h>

#include "libitm_layout.h"

/* Fills in *layout. Each place is searched for twice, with different numbers of transactions; a place that is not found
 * both times is 0. Returns false if nothing can be found here. Requires transact_with(), and before that
 * ITM_DEFAULT_METHOD=ml_wt in the environment. */
bool experiment(struct itm_layout *layout);

#endif
