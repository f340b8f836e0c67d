/* SPDX-License-Identifier: MIT
 * The section INFO: "key=value" strings. */
#ifndef RECORDING_INFO_H
#define RECORDING_INFO_H

#include "records.h"

/* Fills *info, whose strings stay in `bytes`. Returns NULL, or what is wrong. */
const char *recording_info_parse(struct recording_info *info, const char *bytes, size_t len);
void recording_info_fini(struct recording_info *info);

#endif
