/* SPDX-License-Identifier: MIT
 *
 * Private places: rows of one thread for the tracebacks that the table of origins.c has no room for. Each row is of one
 * innermost site, and is filled again and again. A reader tells by the attempt and the turn of an origin whether its
 * row was filled again since; then the site is left. No lock. NOTES.txt, claims O6 to O8.
 *
 *   bits   63   62..60     59..54   53..44   43..40   39..12    11..10   9..0
 *           0   session    lap      turn     row      attempt   3        row
 *
 * The lap is the bits of the attempt's number above those of other origins.
 */
#ifndef STMLOG_PRIVATE_PLACES_H
#define STMLOG_PRIVATE_PLACES_H

#include <stmlog/agent.h>

#define PRIVATE_LAPS 64u
#define PRIVATE_TURNS 1024u
#define PRIVATE_FLAG ((uint64_t)3 << 10)
#define PRIVATE_ROW ((uint64_t)0xf << 40 | 0xfff) /* the row and the flag */

/* Of the threads that use a record one after the other, with rising numbers of attempts. */
struct private_places {
	uint32_t number; /* that no others have; 0: none yet */
	uint32_t fills;
};

/* Fills a row with the traceback, which has a frame. Returns its origins without session and attempt; 0: there is no
 * row. From then on the caller gives out no origin of the row's earlier traceback. */
uint64_t private_place_fill(
	struct private_places *places, uint32_t thread, uint64_t attempt, const struct tb_copy *traceback);

/* Finds thread and traceback of an origin with PRIVATE_FLAG, whose attempt is there already. Any thread. */
void private_place_read(uint64_t origin, struct stmlog_origin_parts *parts);

#endif
