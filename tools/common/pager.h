/* SPDX-License-Identifier: MIT
 * Output that does not fit the terminal goes through a pager, as git's does: $STMLOG_PAGER, $PAGER, or less. Output
 * that fits, or that goes elsewhere, is printed. */
#ifndef PAGER_H
#define PAGER_H

/* From here to pager_end(), what is written to stdout is kept, if stdout is a terminal. */
void pager_begin(void);

/* Shows what was kept; waits until the pager has ended. Does nothing without pager_begin(), and the second time. */
void pager_end(void);

/* How many rows of a terminal the text takes. Requires columns > 0. */
unsigned long pager_rows(const char *text, unsigned long len, unsigned long columns);

#endif
