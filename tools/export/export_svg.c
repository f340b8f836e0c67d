/* SPDX-License-Identifier: MIT
 * A timeline as a picture that needs no other file: no scripts, no fonts. The same recording gives the same bytes. */
#include "export_svg.h"

#include <stdlib.h>

#include "event.h"
#include "memory.h"

/* The latest end of a gap that is the first of its thread's events. Before that the timeline does not have all threads,
 * since each keeps its own last events, and a picture of few threads would look as if the others had done nothing. */
static uint64_t covered_ns(const struct svg *svg)
{
	const struct recording *recording = svg->export->recording;
	bool *has_begun = memory_zeroed(svg->lanes.len, sizeof *has_begun);
	uint64_t latest_ns = 0;
	for (size_t i = 0; i < recording->event_count; i++) {
		const struct stmlog_event_record *event = &recording->events[i];
		size_t lane = bar_lane_of(&svg->lanes, event->thread);
		if (lane == BAR_NONE || has_begun[lane] || event->kind == STMLOG_EVENT_ATTACH)
			continue;
		has_begun[lane] = true;
		if (event->kind == STMLOG_EVENT_MISSING && event_latest_ns(event) > latest_ns)
			latest_ns = event_latest_ns(event);
	}
	free(has_begun);
	return latest_ns;
}

/* The window: from the time on when all threads are covered, or from the first event if there is no such time, to the
 * last event, or to the latest end of a gap; or as the options say. */
static void find_window(struct svg *svg)
{
	const struct recording *recording = svg->export->recording;
	const struct export_view *view = &svg->export->view;
	uint64_t began_ns = recording->info.began_ns, first_ns = UINT64_MAX, last_ns = event_last_ns(recording);
	for (size_t i = 0; i < recording->event_count; i++)
		if (recording->events[i].time_ns < first_ns)
			first_ns = recording->events[i].time_ns;
	if (first_ns > last_ns)
		first_ns = last_ns = began_ns;
	svg->origin_ns = first_ns < began_ns ? first_ns : began_ns;
	uint64_t all_ns = covered_ns(svg);
	svg->is_late = (view->said & EXPORT_FROM) == 0 && all_ns > first_ns && all_ns < last_ns;
	svg->scale.from_ns = svg->is_late ? all_ns : first_ns;
	svg->scale.until_ns = last_ns;
	if ((view->said & EXPORT_FROM) != 0 &&
		__builtin_add_overflow(svg->origin_ns, view->from_ns, &svg->scale.from_ns))
		svg->scale.from_ns = UINT64_MAX;
	if ((view->said & EXPORT_TO) != 0 && __builtin_add_overflow(svg->origin_ns, view->to_ns, &svg->scale.until_ns))
		svg->scale.until_ns = UINT64_MAX;
	if (svg->scale.until_ns < svg->scale.from_ns)
		svg->scale.until_ns = svg->scale.from_ns;
}

void svg_begin(const struct svg *svg)
{
	fprintf(svg->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"11\" fill=\"" SVG_INK "\">\n",
		svg->width, svg->height, svg->width, svg->height);
	fputs("<defs>\n"
	      "<pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
	      "<rect width=\"5\" height=\"5\" fill=\"" SVG_PAPER "\"/>"
	      "<path d=\"M-1 1l2 -2M0 5l5 -5M4 6l2 -2\" stroke=\"" SVG_EDGE "\" stroke-width=\"1\"/></pattern>\n"
	      "<marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
	      "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0.5L8 4L0 7.5z\" "
	      "fill=\"" SVG_INK "\"/></marker>\n"
	      "</defs>\n",
		svg->out);
	fprintf(svg->out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"" SVG_PAPER "\"/>\n", svg->width, svg->height);
}

void export_svg(const struct export *export)
{
	bool is_wide_given = (export->view.said & EXPORT_WIDTH) != 0;
	struct svg svg = {.export = export, .out = export->out};
	svg.report = (struct report){.recording = export->recording, .symbols = export->symbols};
	svg.width = is_wide_given ? (double)export->view.width : SVG_WIDTH;
	svg.scale.left = SVG_LEFT;
	svg.scale.width = svg.width - SVG_LEFT - SVG_RIGHT;
	svg.animate_s = (double)export->view.animate_ns / 1e9;
	svg.lanes = bar_lanes_of(export->recording);
	find_window(&svg);
	svg_measure(&svg);
	svg_begin(&svg);
	svg_heading(&svg);
	svg_lane_names(&svg);
	svg_axis(&svg, "axis");
	svg_bars(&svg);
	svg_points(&svg);
	svg_lists(&svg);
	fputs("</svg>\n", svg.out);
	svg_layout_fini(&svg);
	bar_lanes_fini(&svg.lanes);
}
