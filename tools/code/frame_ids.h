/* SPDX-License-Identifier: MIT
 * Numbers for frames, from 0 on. Frames with the same function, file and line have the same number, whatever their
 * addresses. */
#ifndef FRAME_IDS_H
#define FRAME_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "symbol.h"

struct frame_ids;

/* Borrows both, which must outlive it. */
struct frame_ids *frame_ids_create(const struct recording *recording, struct symbols *symbols);
void frame_ids_destroy(struct frame_ids **ids);

/* The frames of a site, innermost first, as symbols_site() has them. Valid until the next call. */
struct frame_numbers {
	const uint32_t *at;
	size_t len;
};
struct frame_numbers frame_ids_site(struct frame_ids *ids, uint32_t site);

/* The first frame with this number. Borrowed from the symbols. Requires that frame_ids_site() has returned the number.
 */
const struct symbol_frame *frame_ids_frame(const struct frame_ids *ids, uint32_t number);

#endif
