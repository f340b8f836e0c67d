/* SPDX-License-Identifier: MIT
 * How fast the regions were: a slow one is paler. */
#include "export_svg.h"
#include "number.h"

/* NULL: nothing is known of it, since the timeline cannot be. */
static const struct region *region_at(const struct svg *svg, size_t begin)
{
	const struct work *work = svg->export->work;
	return work != NULL ? regions_find(&work->regions, begin) : NULL;
}

double svg_shade_of(const struct svg *svg, size_t begin)
{
	const struct region *region = region_at(svg, begin);
	return region != NULL ? region->relative : 0;
}

void svg_region_title(const struct svg *svg, const struct svg_bar *seen)
{
	const struct region *region = region_at(svg, seen->bar.index);
	if (region == NULL)
		return;
	fputc('\n', svg->out);
	svg_say(svg, "work %s in %s of its tasks", number_count(region->work).text, number_time(region->time_ns).text);
	fputc('\n', svg->out);
	svg_say(svg, "speed %.1f %% of the fastest one of its tag", 100 * region->relative);
}
