/* SPDX-License-Identifier: MIT
 * The axes, in the unit and with the decimals that their times need. */
#include "check.h"
#include "export_graph.h"
#include "number.h"

double graph_x(const struct graph_scale *scale, uint64_t time_ns)
{
	uint64_t span_ns = scale->until_ns - scale->from_ns;
	if (time_ns <= scale->from_ns || span_ns == 0)
		return scale->left;
	if (time_ns >= scale->until_ns)
		return scale->left + scale->width;
	return scale->left + scale->width * ((double)(time_ns - scale->from_ns) / (double)span_ns);
}

uint64_t graph_tick_ns(uint64_t span_ns, uint64_t max)
{
	static const uint64_t rounds[] = {1, 2, 5};
	REQUIRES(max >= 1);
	for (uint64_t power = 1;; power *= 10) {
		for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++)
			if (span_ns / (power * rounds[i]) <= max)
				return power * rounds[i];
		if (power > UINT64_MAX / 50)
			return 10 * power;
	}
}

struct unit {
	const char *name;
	uint64_t ns;
	int decimals;
};

/* The unit for the last tick, with as many decimals as neighbouring ticks need to differ. */
static struct unit unit_of(uint64_t last_ns, uint64_t tick_ns)
{
	static const struct unit units[] = {{"s", 1000000000, 0}, {"ms", 1000000, 0}, {"us", 1000, 0}, {"ns", 1, 0}};
	size_t i = 0;
	while (units[i].ns > last_ns && units[i].ns > 1)
		i++;
	struct unit unit = units[i];
	for (uint64_t power = unit.ns; tick_ns % power != 0; power /= 10)
		unit.decimals++;
	return unit;
}

static void put_tick(
	const struct graph *graph, const struct graph_axis *axis, const struct unit *unit, uint64_t offset_ns)
{
	double x = graph_x(&axis->scale, axis->origin_ns + offset_ns);
	bool is_last = x > graph->width - 2 * GRAPH_RIGHT;
	fprintf(graph->out,
		"<path d=\"M%.2f %.1fV%.1f\" stroke=\"" GRAPH_TICK "\" stroke-opacity=\"0.14\"/>"
		"<text x=\"%.2f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"" GRAPH_QUIET "\">%s %s</text>\n",
		x, axis->y + 2, axis->end, x, axis->y - 2, is_last ? "end" : "middle",
		number_decimal(offset_ns, unit->ns, unit->decimals).text, unit->name);
}

void graph_axis(const struct graph *graph, const struct graph_axis *axis)
{
	const struct graph_scale *scale = &axis->scale;
	uint64_t from_ns = scale->from_ns - axis->origin_ns, until_ns = scale->until_ns - axis->origin_ns;
	uint64_t tick_ns = graph_tick_ns(until_ns - from_ns, (uint64_t)(scale->width / 110));
	uint64_t at_ns = from_ns % tick_ns == 0 ? from_ns : from_ns - from_ns % tick_ns + tick_ns;
	struct unit unit = unit_of(until_ns, tick_ns);
	fprintf(graph->out, "<g id=\"%s\">\n", axis->id);
	/* After an overflow at_ns is before from_ns. */
	while (at_ns >= from_ns && at_ns <= until_ns) {
		put_tick(graph, axis, &unit, at_ns);
		from_ns = at_ns;
		at_ns += tick_ns;
	}
	fprintf(graph->out, "<path d=\"M%.0f %.1fH%.0f\" stroke=\"" GRAPH_AXIS "\"/>\n</g>\n", scale->left, axis->y + 2,
		scale->left + scale->width);
}
