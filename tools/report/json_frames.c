/* SPDX-License-Identifier: MIT */
#include "json_frames.h"

#include <string.h>

#include "json_text.h"
#include "memory.h"
#include "report_json.h"

enum { MOST_KEPT = 1 << 17, LONGEST_KEPT = 512 };

/* Invariant: text == NULL, or it is that of the frames of `site`, and not longer than LONGEST_KEPT. */
struct kept {
	uint32_t site;
	json_t *text;
};

/* Invariant: kept_len is not 0. A site is kept in one place only, where it replaces another site. */
struct json_frames {
	const struct recording *recording;
	struct symbols *symbols;
	struct kept *kept;
	uint32_t kept_len;
	char *bytes; /* the text that is being written */
	size_t len, cap;
};

struct json_frames *json_frames_create(const struct report *report)
{
	struct json_frames *frames = memory_zeroed(1, sizeof *frames);
	frames->recording = report->recording;
	frames->symbols = report->symbols;
	size_t sites = report->recording->site_count;
	frames->kept_len = sites == 0 ? 1 : sites < MOST_KEPT ? (uint32_t)sites : MOST_KEPT;
	frames->kept = memory_zeroed(frames->kept_len, sizeof *frames->kept);
	return frames;
}

void json_frames_destroy(struct json_frames **frames)
{
	if (*frames == NULL)
		return;
	for (size_t i = 0; i < (*frames)->kept_len; i++)
		json_decref((*frames)->kept[i].text);
	memory_free((*frames)->kept);
	memory_free((*frames)->bytes);
	memory_free(*frames);
	*frames = NULL;
}

static void append(void *arg, const char *bytes, size_t len)
{
	struct json_frames *frames = arg;
	frames->bytes = memory_reserved(frames->bytes, frames->len + len, &frames->cap, 1);
	memcpy(frames->bytes + frames->len, bytes, len);
	frames->len += len;
}

/* The frames of a site, innermost first, with commas between them. */
static json_t *text_of(struct json_frames *frames, const struct symbol_site *site)
{
	frames->len = 0;
	for (size_t i = 0; i < site->len; i++) {
		json_t *frame = report_json_frame(&site->frames[i]);
		if (i > 0)
			append(frames, ", ", 2);
		json_text_write(frame, 0, append, frames);
		json_decref(frame);
	}
	return json_text_raw(frames->bytes, frames->len);
}

static json_t *frames_of_site(struct json_frames *frames, uint32_t site)
{
	struct kept *kept = &frames->kept[site % frames->kept_len];
	if (kept->text != NULL && kept->site == site)
		return json_incref(kept->text);
	json_t *text = text_of(frames, symbols_site(frames->symbols, site));
	if (frames->len <= LONGEST_KEPT) {
		json_decref(kept->text);
		*kept = (struct kept){site, json_incref(text)};
	}
	return text;
}

static json_t *frames_of(struct json_frames *frames, const struct recording_traceback *traceback)
{
	json_t *array = json_array();
	for (size_t i = 0; i < traceback->len; i++)
		json_array_append_new(array, frames_of_site(frames, traceback->sites[i]));
	return array;
}

json_t *json_frames_traceback(struct json_frames *frames, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(frames->recording, reference);
	json_t *object = json_object();
	json_object_set_new(object, "known", json_boolean(traceback.is_known));
	json_object_set_new(object, "frames", frames_of(frames, &traceback));
	if (traceback.is_cut)
		json_object_set_new(object, "cut", json_true());
	return object;
}
