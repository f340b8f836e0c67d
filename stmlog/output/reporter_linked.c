/* SPDX-License-Identifier: MIT
 * Returns the reporter that is linked into the same program or library, if there is one. */
#include "reporter.h"

extern const struct process_reporter stmlog_process_reporter __attribute__((weak));

bool reporter_find(void)
{
	return reporter_get() != NULL;
}

const struct process_reporter *reporter_get(void)
{
	return &stmlog_process_reporter;
}
