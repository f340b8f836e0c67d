/* SPDX-License-Identifier: MIT
 * Timelines for tests, as text: an event is a line "TIME THREAD KIND [ARGUMENT [WORD]]", its kind by name. */
#ifndef TIMELINE_TEXT_H
#define TIMELINE_TEXT_H

#include "recording_writer.h"

/* Begins a recording of those events; before them, at time 0, `threads` threads attach, from 1 on: so many events come
 * before the first of the text. Of a `missing` event the word is how long it lasts, in ns. */
void timeline_text(struct writer *writer, uint32_t threads, const char *text);

#endif
