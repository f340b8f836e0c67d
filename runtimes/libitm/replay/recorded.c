/* SPDX-License-Identifier: MIT
 * Reads and checks the file. It is copied into memory before it is checked: another process may change or truncate it
 * at any time. */
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asm_shared.h"

_Static_assert(sizeof(struct stmlog_access_record) == 16, "the format's records have no hidden padding");

/* Larger files are no recording of some short windows. */
enum { BYTES_MAX = 256 << 20, BYTES_FIRST = 1 << 20 };

/* ---- reading ---- */

struct bytes {
	char *data;
	size_t len, room;
};

static const char *make_room(struct bytes *bytes)
{
	if (bytes->room == BYTES_MAX)
		return "is too large";
	size_t room = bytes->room == 0 ? BYTES_FIRST : 2 * bytes->room;
	char *data = realloc(bytes->data, room);
	if (data == NULL)
		return strerror(ENOMEM);
	bytes->data = data;
	bytes->room = room;
	return NULL;
}

/* Returns why reading has failed; NULL: it has not. */
static const char *read_all(int file, struct bytes *bytes)
{
	for (;;) {
		const char *what = bytes->len == bytes->room ? make_room(bytes) : NULL;
		if (what != NULL)
			return what;
		ssize_t got = read(file, bytes->data + bytes->len, bytes->room - bytes->len);
		if (got == 0)
			return NULL;
		if (got < 0 && errno != EINTR)
			return strerror(errno);
		bytes->len += got > 0 ? (size_t)got : 0;
	}
}

static const char *read_file(const char *path, struct bytes *bytes)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return strerror(errno);
	const char *what = read_all(file, bytes);
	close(file);
	if (what == NULL && bytes->len == 0)
		return "is empty";
	return what == NULL && bytes->len % sizeof(struct stmlog_access_record) != 0 ? "ends within a record" : what;
}

/* ---- checking ---- */

/* A walk through the records: the stream and the transaction that are under way. */
struct walk {
	struct recorded *recorded;
	struct recorded_stream *stream; /* NULL: none yet */
	bool is_inside;
	uint16_t properties; /* of the transaction */
};

static const char *end_stream(const struct walk *walk)
{
	if (walk->is_inside)
		return "a stream ends within a transaction";
	return walk->stream != NULL && walk->stream->count == 0 ? "a stream has no transaction" : NULL;
}

static const char *begin_stream(struct walk *walk, const struct stmlog_access_record *record)
{
	struct recorded *recorded = walk->recorded;
	const char *what = end_stream(walk);
	if (what != NULL)
		return what;
	if (recorded->stream_count == RECORDED_STREAMS_MAX)
		return "too many streams";
	const struct recorded_stream *before = walk->stream;
	walk->stream = &recorded->streams[recorded->stream_count++];
	*walk->stream =
		(struct recorded_stream){.first = record + 1, .thread_id = record->address, .window = record->size};
	walk->stream->is_same_thread =
		before != NULL && before->thread_id == record->address && before->window < record->size;
	return NULL;
}

static const char *begin_transaction(struct walk *walk, const struct stmlog_access_record *record)
{
	if (walk->is_inside)
		return "a transaction begins within another";
	if (record->size & ITM_UNDO_LOG_CODE)
		return "libitm has no transactions of such properties";
	walk->is_inside = true;
	walk->properties = record->size;
	return NULL;
}

static const char *end_transaction(struct walk *walk, const struct stmlog_access_record *record)
{
	if (record->kind == STMLOG_ACCESS_CANCEL && walk->properties & ITM_HAS_NO_CANCEL)
		return "a transaction is cancelled that has no cancel";
	walk->is_inside = false;
	return NULL;
}

static const char *check_access(const struct stmlog_access_record *record)
{
	if (record->size == 0)
		return "an access has no size";
	return record->address > UINT64_MAX - record->size ? "an access is beyond all memory" : NULL;
}

static const char *check_inside(struct walk *walk, const struct stmlog_access_record *record)
{
	if (!walk->is_inside)
		return "no transaction has begun";
	if (recorded_is_access(record))
		return check_access(record);
	return record->kind == STMLOG_ACCESS_ALONE ? NULL : end_transaction(walk, record);
}

/* Returns what is wrong; NULL: nothing is. */
static const char *check_record(struct walk *walk, const struct stmlog_access_record *record)
{
	if (record->kind >= STMLOG_ACCESS_KINDS)
		return "unknown kind of record";
	if (!isfinite(record->gap_ns))
		return "a gap is no number";
	if (record->kind == STMLOG_ACCESS_THREAD)
		return begin_stream(walk, record);
	if (walk->stream == NULL)
		return "no stream has begun";
	walk->stream->count++;
	return record->kind == STMLOG_ACCESS_BEGIN ? begin_transaction(walk, record) : check_inside(walk, record);
}

static bool check(struct recorded *recorded, struct recorded_fault *fault)
{
	struct walk walk = {.recorded = recorded};
	for (size_t i = 0; i < recorded->count; i++) {
		*fault = (struct recorded_fault){check_record(&walk, &recorded->records[i]), i};
		if (fault->what != NULL)
			return false;
	}
	*fault = (struct recorded_fault){end_stream(&walk), recorded->count - 1};
	return fault->what == NULL;
}

/* ---- both ---- */

bool recorded_read(struct recorded *recorded, const char *path, struct recorded_fault *fault)
{
	struct bytes bytes = {0};
	*fault = (struct recorded_fault){read_file(path, &bytes), RECORDED_NO_RECORD};
	*recorded = (struct recorded){.records = (void *)bytes.data, .count = bytes.len / sizeof *recorded->records};
	if (fault->what == NULL && check(recorded, fault))
		return true;
	recorded_fini(recorded);
	return false;
}

void recorded_fini(struct recorded *recorded)
{
	free(recorded->records);
	*recorded = (struct recorded){0};
}
