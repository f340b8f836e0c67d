/* SPDX-License-Identifier: MIT
 * The pieces of the JSON export. */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H

#include <jansson.h>

#include "export.h"
#include "json_value.h"

/* Writes the value, and gives up the reference. */
static inline void export_json_value(const struct export *export, json_t *value)
{
	json_value_write(export->out, value, JSON_COMPACT);
}

#endif
