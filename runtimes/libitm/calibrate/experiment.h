/* SPDX-License-Identifier: MIT
 * Finds out where a libitm keeps what the agent would like to read, by doing what changes it. */
#ifndef ITM_CALIBRATE_EXPERIMENT_H
#define ITM_CALIBRATE_EXPERIMENT_H

#include <stdbool.h>

#include "libitm_layout.h"

/* Requires transact_with(), and ITM_DEFAULT_METHOD=ml_wt before that. Each finding was made twice, with other numbers;
 * what was not is 0. False: nothing can be found out here. */
bool experiment(struct itm_layout *layout);

#endif
