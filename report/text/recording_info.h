/* SPDX-License-Identifier: MIT
 * Parses the section INFO, which has "key=value" strings. */
#ifndef RECORDING_INFO_H
#define RECORDING_INFO_H

#include "records.h"

/* Fills *info, whose strings stay in `bytes`. Returns NULL, or an error message. */
const char *recording_info_parse(struct recording_info *info, const char *bytes, size_t len);
void recording_info_fini(struct recording_info *info);

/* "ended by signal 11 (SEGV)"; NULL: no signal that is known ended the program. Free it with memory_free(). */
char *recording_ending_text(const struct recording_info *info);

#endif
