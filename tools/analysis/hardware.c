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
#define HARDWARE_CAUSE(word, name) {#word, name, info->hardware_##word},
#include "hardware.def"
#undef HARDWARE_CAUSE
			},
		.fallbacks = info->hardware_fallbacks,
	};
}
