/* SPDX-License-Identifier: MIT
 * The table of formats. */
#include "export.h"

const struct exporter exporters[] = {
	{"pprof", "what was lost, and all time by call path, for 'go tool pprof' and what else reads its profiles",
		EXPORT_WITHOUT_TIMELINE, export_pprof, EXPORT_BINARY | EXPORT_OF},
	{"folded", "one of the two as folded stacks, for flame graphs", EXPORT_WITHOUT_TIMELINE, export_folded,
		EXPORT_OF},
	{"json", "all of a recording as JSON: report, profile, and each event of a timeline", EXPORT_WITH_TIMELINE,
		export_json, 0},
	{"text", "a timeline for people, a line per event", EXPORT_OF_TIMELINE, export_text, 0},
	{"perfetto", "a timeline for Perfetto (TrackEvent)", EXPORT_OF_TIMELINE, export_perfetto, EXPORT_BINARY},
	{"graph", "tasks as a picture: their fork-join graph, and the tree of their creations", EXPORT_OF_TIMELINE,
		export_graph, EXPORT_TASKS},
	{0},
};
