/* SPDX-License-Identifier: MIT */
#include "observer.h"

static double ratio(uint64_t part, uint64_t whole)
{
	return (double)part / (double)whole;
}

struct observer observer_of(const struct recording_info *info)
{
	struct observer observer = {.is_known = false};
	if (info->on_phases < OBSERVER_LEAST_PHASES || info->off_phases < OBSERVER_LEAST_PHASES ||
		info->on_aborts < OBSERVER_LEAST_ABORTS || info->off_aborts < OBSERVER_LEAST_ABORTS ||
		info->on_ns == 0 || info->off_ns == 0)
		return observer;
	observer.is_known = true;
	observer.effect = ratio(info->on_aborts, info->on_ns) / ratio(info->off_aborts, info->off_ns);
	if (info->on_transactions != 0 && info->off_transactions != 0)
		observer.per_transaction =
			ratio(info->on_aborts, info->on_transactions) / ratio(info->off_aborts, info->off_transactions);
	return observer;
}
