/* SPDX-License-Identifier: MIT
 * Tracebacks as JSON. Most tracebacks share their outer frames, so the texts of frames that were used lately are kept.
 * How many is bounded, however many sites the recording has, and however long their names are. */
#ifndef JSON_FRAMES_H
#define JSON_FRAMES_H

#include <jansson.h>

#include "report.h"

struct json_frames;

/* Borrows the report's recording and symbols, which must outlive it. */
struct json_frames *json_frames_create(const struct report *report);
void json_frames_destroy(struct json_frames **frames);

/* {"known", "frames"}, and "cut" where it is; the frames are texts, for json_text_write() alone. */
json_t *json_frames_traceback(struct json_frames *frames, uint32_t traceback);

#endif
