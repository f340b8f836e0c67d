/* SPDX-License-Identifier: MIT */
#include "export.h"

#include <string.h>

const struct exporter exporters[] = {
	{"json", "the events of a timeline as JSON, with all their members", true, export_json, 0},
	{"text", "the same for people, a line per event", true, export_text, 0},
	{"perfetto", "a timeline for Perfetto (TrackEvent)", true, export_perfetto, 0},
	{"chrome", "a timeline as Chrome's trace events in JSON, for older viewers", true, export_chrome, 0},
	{"svg", "a timeline as a picture for documents", true, export_svg,
		EXPORT_WIDTH | EXPORT_FROM | EXPORT_TO | EXPORT_ANIMATE},
	{0},
};

const struct exporter *exporter_find(const char *name)
{
	const struct exporter *exporter = exporters;
	while (exporter->name != NULL && strcmp(exporter->name, name) != 0)
		exporter++;
	return exporter->name != NULL ? exporter : NULL;
}
