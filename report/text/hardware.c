/* SPDX-License-Identifier: MIT */
#include "hardware.h"

struct hardware hardware_of(const struct recording_info *info)
{
	if (info->hardware_attempts == RECORDING_UNSAID)
		return (struct hardware){.is_known = false};
	return (struct hardware){
		.is_known = true,
		.attempts = info->hardware_attempts,
		.aborts = info->hardware_aborts,
		.causes =
			{
#define STMLOG_INFO_HARDWARE(word, name, doc) {#word, name, info->hardware_##word},
#include <stmlog/info.def>
			},
		.fallbacks = info->hardware_fallbacks,
	};
}
