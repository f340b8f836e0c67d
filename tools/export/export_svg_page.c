/* SPDX-License-Identifier: MIT
 * The heading, the axis and the names of the threads, around the bars. */
#include <inttypes.h>
#include <stdlib.h>

#include "caption.h"
#include "export_svg.h"
#include "memory.h"
#include "number.h"

/* ---- heading ---- */

static void say_sums(const struct svg *svg)
{
	const uint64_t *bars = svg->sums.bars;
	uint64_t attempts = bars[SVG_COMMIT] + bars[SVG_ABORT] + bars[SVG_OPEN];
	svg_say(svg, "%s thread%s, %s: %s attempt%s, %s committed, %s aborted", number_count(svg->lanes.len).text,
		svg->lanes.len == 1 ? "" : "s", number_time(svg->scale.until_ns - svg->scale.from_ns).text,
		number_count(attempts).text, attempts == 1 ? "" : "s", number_count(bars[SVG_COMMIT]).text,
		number_count(bars[SVG_ABORT]).text);
	if (svg->sums.lost > 0)
		svg_say(svg, "; %s event%s missing", number_count(svg->sums.lost).text,
			svg->sums.lost == 1 ? " is" : "s are");
	if (svg->is_late)
		svg_say(svg, "; earlier, events of some threads are missing (--from=0 shows them all)");
	char *unmeasured = caption_unmeasured(&svg->export->recording->info);
	if (unmeasured != NULL)
		svg_say(svg, "; of the whole run %s", unmeasured);
	free(unmeasured);
	if (svg->export->recording->event_count == 0)
		svg_say(svg, "; no events");
}

void svg_heading(const struct svg *svg)
{
	const char *program = symbol_basename(svg->export->recording->info.program);
	fputs("<title>", svg->out);
	svg_say(svg, "Timeline of %s", program[0] != '\0' ? program : "a program");
	fputs("</title>\n", svg->out);
	svg_label(svg, 12, 22, " font-size=\"15\" font-weight=\"bold\"", program[0] != '\0' ? program : "timeline", 60);
	fputs("<text id=\"sums\" x=\"12\" y=\"37\" fill=\"" SVG_QUIET "\">", svg->out);
	say_sums(svg);
	fputs("</text>\n", svg->out);
	svg_legend(svg);
}

/* ---- axis ---- */

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

static void tick(const struct svg *svg, const struct unit *unit, uint64_t offset_ns)
{
	double x = svg_x(&svg->scale, svg->origin_ns + offset_ns);
	bool is_last = x > svg->width - 2 * SVG_RIGHT;
	fprintf(svg->out,
		"<path d=\"M%.2f %.1fV%.1f\" stroke=\"" SVG_TICK "\" stroke-opacity=\"0.14\"/>"
		"<text x=\"%.2f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"" SVG_QUIET "\">%s %s</text>\n",
		x, svg->axis_y + 2, svg->lanes_end, x, svg->axis_y - 2, is_last ? "end" : "middle",
		number_decimal(offset_ns, unit->ns, unit->decimals).text, unit->name);
}

void svg_axis(const struct svg *svg, const char *id)
{
	uint64_t from_ns = svg->scale.from_ns - svg->origin_ns, until_ns = svg->scale.until_ns - svg->origin_ns;
	uint64_t tick_ns = svg_tick_ns(until_ns - from_ns, (uint64_t)(svg->scale.width / 110));
	uint64_t at_ns = from_ns % tick_ns == 0 ? from_ns : from_ns - from_ns % tick_ns + tick_ns;
	struct unit unit = unit_of(until_ns, tick_ns);
	fprintf(svg->out, "<g id=\"%s\">\n", id);
	/* After an overflow at_ns is before from_ns. */
	while (at_ns >= from_ns && at_ns <= until_ns) {
		tick(svg, &unit, at_ns);
		from_ns = at_ns;
		at_ns += tick_ns;
	}
	fprintf(svg->out, "<path d=\"M%.0f %.1fH%.0f\" stroke=\"" SVG_AXIS "\"/>\n</g>\n", svg->scale.left,
		svg->axis_y + 2, svg->scale.left + svg->scale.width);
}

/* ---- threads ---- */

static void lane_name(const struct svg *svg, const struct svg_lane *lane, const struct bar_lane *thread)
{
	double y = lane->top + lane->height / 2;
	char *number = memory_format("thread %" PRIu32, thread->thread);
	bool is_named = thread->name[0] != '\0';
	if (is_named)
		svg_label(svg, 12, y - 1, " font-weight=\"bold\"", thread->name, 16);
	svg_label(svg, 12, is_named ? y + 11 : y + 4, is_named ? " font-size=\"10\" fill=\"" SVG_QUIET "\"" : "",
		number, 20);
	free(number);
}

void svg_lane_names(const struct svg *svg)
{
	fputs("<g id=\"lanes\">\n", svg->out);
	for (size_t i = 0; i < svg->lanes.len; i++) {
		const struct svg_lane *lane = &svg->layout[i];
		fprintf(svg->out, "<rect y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"%s\"/>\n", lane->top,
			svg->width, lane->height, i % 2 == 0 ? SVG_STRIPE : SVG_PAPER);
		lane_name(svg, lane, &svg->lanes.lanes[i]);
	}
	fputs("</g>\n", svg->out);
}
