/* SPDX-License-Identifier: MIT
 * Where the report and the file go, as the options `report` and `out` say. */
#ifndef STMLOG_OUTPUTS_H
#define STMLOG_OUTPUTS_H

void outputs_read_options(void);

/* Makes what was asked for, if anything was recorded. Failures are told on stderr, a line each. */
void outputs_make(void);

/* In a forked child: whoever was making outputs is not there any more. */
void outputs_forget(void);

#endif
