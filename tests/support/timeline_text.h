/* SPDX-License-Identifier: MIT
 * Timelines for tests, as text: an event is a line "TIME THREAD KIND [ARGUMENT [WORD [DETAIL [VALUE]]]]", its kind by
 * name and its detail by number. The value is below 2^32. The word "-" is none. */
#ifndef TIMELINE_TEXT_H
#define TIMELINE_TEXT_H

#include "recording_writer.h"

/* Begins a recording of those events; before them, at time 0, `threads` threads attach, from 1 on: so many events come
 * before the first of the text. Of a `missing` event the word is how long it lasts, in ns. */
void timeline_text(struct writer *writer, uint32_t threads, const char *text);

#endif
