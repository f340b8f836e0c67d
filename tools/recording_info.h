/* SPDX-License-Identifier: MIT
 * The section INFO: "key=value" strings. */
#ifndef RECORDING_INFO_H
#define RECORDING_INFO_H

#include "recording.h"

/* Fills *info, whose strings stay in `bytes`; the caller frees info->args. Returns NULL, or what is wrong. */
const char *recording_info_parse(struct recording_info *info, const char *bytes, size_t len);

#endif
