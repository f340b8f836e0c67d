/* SPDX-License-Identifier: MIT
 * Makes the picture of events, and checks the rules that hold for each picture. */
#ifndef PICTURE_H
#define PICTURE_H

#include "exported.h"

static struct writer writer;

/* The sample with an empty timeline, which began at 1000 ns. */
static inline void begin(void)
{
	recording_sample(&writer);
	writer_info(&writer, "began_ns=1000");
	writer_append(&writer, STMLOG_SECTION_EVENTS, "", 0);
	writer_event_place(&writer, &(struct stmlog_place_record){0});
}

/* At so many ns since the beginning. */
static inline void put(uint64_t at_ns, uint32_t thread, enum stmlog_event_kind kind)
{
	writer_event(&writer,
		&(struct stmlog_event_record){.time_ns = 1000 + at_ns, .thread = thread, .kind = (uint8_t)kind});
}

static inline void put_abort(uint64_t at_ns, uint32_t thread, uint32_t other)
{
	writer_event(&writer, &(struct stmlog_event_record){.time_ns = 1000 + at_ns,
				      .argument = 64,
				      .thread = thread,
				      .other = other,
				      .kind = STMLOG_EVENT_ABORT,
				      .reason = STMLOG_ABORTED_BY_OTHER,
				      .contention = STMLOG_WRITE_READ,
				      .detail = STMLOG_GRADE_CERTAIN});
}

static inline uint32_t put_word(const char *word)
{
	uint32_t place = (uint32_t)(writer.sections[STMLOG_SECTION_PLACES].len / sizeof(struct stmlog_place_record));
	writer_event_place(&writer, &(struct stmlog_place_record){.word = writer_string(&writer, word)});
	return place;
}

/* The picture of the recording in the writer. The caller frees it. */
static inline char *drawn(struct export_view view)
{
	size_t len = 0;
	char *text = exported_view(&writer, "svg", view, &len);
	assert_int_equal(strlen(text), len);
	return text;
}

static const struct export_view whole = {0};

/* A window in ns. */
static inline struct export_view between(uint64_t from_ns, uint64_t to_ns)
{
	return (struct export_view){.said = EXPORT_FROM | EXPORT_TO, .from_ns = from_ns, .to_ns = to_ns};
}

static inline size_t count_of(const char *text, const char *piece)
{
	size_t count = 0;
	for (const char *at = strstr(text, piece); at != NULL; at = strstr(at + 1, piece))
		count++;
	return count;
}

/* ---- rules for each picture ---- */

/* The end of a character reference that begins here; NULL: it is none. */
static inline const char *reference(const char *at)
{
	static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strncmp(at, known[i], strlen(known[i])) == 0)
			return at + strlen(known[i]);
	return NULL;
}

/* Text up to the next tag: no control characters, no bare & or >. */
static inline const char *skip_text(const char *at)
{
	while (*at != '\0' && *at != '<') {
		assert_true((unsigned char)*at >= 0x20 || *at == '\n');
		assert_true(*at != '>' && *at != 0x7f);
		at = *at == '&' ? reference(at) : at + 1;
		assert_non_null(at);
	}
	return at;
}

static inline const char *skip_attributes(const char *at)
{
	while (*at == ' ') {
		at += strcspn(at, "=");
		assert_int_equal(at[1], '"');
		at += 2 + strcspn(at + 2, "\"<&");
		assert_int_equal(*at++, '"');
	}
	return at;
}

/* A reader of as much XML as pictures use: each element is closed, in order. */
static inline void check_well_formed(const char *text)
{
	char open[16][24];
	size_t depth = 0;
	const char *at = strchr(text, '\n') + 1;
	assert_true(strncmp(text, "<?xml ", 6) == 0);
	do {
		bool is_end = at[1] == '/';
		at += is_end ? 2 : 1;
		size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz");
		assert_in_range(len, 1, 23);
		if (is_end) {
			assert_true(
				depth > 0 && strncmp(open[depth - 1], at, len) == 0 && open[depth - 1][len] == '\0');
			depth--;
		} else {
			assert_true(depth < 16);
			snprintf(open[depth++], sizeof open[0], "%.*s", (int)len, at);
		}
		at = skip_attributes(at + len);
		if (*at == '/') {
			depth--;
			at++;
		}
		assert_int_equal(*at++, '>');
		at = skip_text(at);
	} while (*at == '<');
	assert_int_equal(depth, 0);
}

static inline int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void check_ids(const char *text)
{
	size_t len = count_of(text, " id=\""), used = 0;
	char **ids = calloc(len + 1, sizeof *ids);
	for (const char *at = strstr(text, " id=\""); at != NULL; at = strstr(at + 1, " id=\""))
		ids[used++] = strndup(at + 5, strcspn(at + 5, "\""));
	qsort(ids, len, sizeof *ids, by_text);
	for (size_t i = 0; i < len; i++) {
		assert_true(i + 1 == len || strcmp(ids[i], ids[i + 1]) != 0);
		assert_true(ids[i][0] != '\0');
	}
	for (size_t i = 0; i < len; i++)
		free(ids[i]);
	free(ids);
}

static inline char *checked(struct export_view view)
{
	char *text = drawn(view);
	check_well_formed(text);
	check_ids(text);
	return text;
}

#endif
