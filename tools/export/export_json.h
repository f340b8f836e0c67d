/* SPDX-License-Identifier: MIT
 * The pieces of the JSON export. */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H

#include <jansson.h>

#include "export.h"

/* Writes and drops it; null for what there was no memory for. */
void export_json_value(const struct export *export, json_t *value);

/* The members tasks, segments, regions and tags, each behind a comma. */
void export_json_work(const struct export *export);

/* The members report and profile, likewise. */
void export_json_profile(const struct export *export);

#endif
