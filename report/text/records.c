/* SPDX-License-Identifier: MIT
 * Looks up records of a recording by number and address, adds up its losses, and parses its INFO. */
#include "records.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "number.h"
#include "report_memory.h"
#include "sort.h"

/* ---- records ---- */

struct recording_traceback recording_traceback(const struct recording *recording, uint32_t traceback)
{
	struct recording_traceback view = {.is_known = traceback != 0, .begin = STMLOG_NO_SITE};
	if (traceback < 2)
		return view;
	const uint32_t *words = recording->traceback_words + recording->traceback_at[traceback - 2];
	size_t inner = recording->traceback_inner != NULL ? recording->traceback_inner[traceback - 2] : 0;
	size_t len = words[0] - inner;
	view.len = len < recording->deepest ? len : recording->deepest;
	view.left_out = len - view.len;
	view.is_cut = (words[1] & STMLOG_TRACEBACK_CUT) != 0 || view.left_out != 0;
	view.sites = words + 2 + inner;
	if (recording->traceback_begin != NULL)
		view.begin = recording->traceback_begin[traceback - 2] - 1;
	return view;
}

static uint64_t thread_record_key(const void *threads, size_t index)
{
	return ((const struct stmlog_thread_record *)threads)[index].id;
}

const struct stmlog_thread_record *recording_thread(const struct recording *recording, uint32_t id)
{
	size_t up_to = bisect(recording->threads, recording->thread_count, id, thread_record_key);
	const struct stmlog_thread_record *thread = up_to > 0 ? &recording->threads[up_to - 1] : NULL;
	return thread != NULL && thread->id == id ? thread : NULL;
}

static uint64_t block_record_key(const void *blocks, size_t index)
{
	return ((const struct stmlog_block_record *)blocks)[index].address;
}

const struct stmlog_block_record *recording_block(const struct recording *recording, uint64_t address)
{
	size_t up_to = bisect(recording->blocks, recording->block_count, address, block_record_key);
	const struct stmlog_block_record *block = up_to > 0 ? &recording->blocks[up_to - 1] : NULL;
	return block != NULL && address - block->address < block->size ? block : NULL;
}

static uint64_t label_record_key(const void *labels, size_t index)
{
	return ((const struct stmlog_label_record *)labels)[index].address;
}

const struct stmlog_label_record *recording_label(const struct recording *recording, uint64_t address)
{
	size_t up_to = bisect(recording->labels, recording->label_count, address, label_record_key);
	const struct stmlog_label_record *label = up_to > 0 ? &recording->labels[up_to - 1] : NULL;
	return label != NULL && address - label->address < label->size ? label : NULL;
}

struct module_id module_build_id(const struct stmlog_module_record *record)
{
	struct module_id id = {""};
	_Static_assert(sizeof id.text == 2 * sizeof record->build_id + 1, "two digits for each byte");
	for (size_t i = 0; i < record->build_id_len; i++) {
		id.text[2 * i] = "0123456789abcdef"[record->build_id[i] >> 4];
		id.text[2 * i + 1] = "0123456789abcdef"[record->build_id[i] & 15];
	}
	return id;
}

/* ---- how much of each traceback is used ---- */

static size_t block_frames(const struct recording *recording, uint64_t address)
{
	const struct stmlog_block_record *block = recording_block(recording, address);
	return block != NULL ? recording_traceback(recording, block->traceback).len : 0;
}

static size_t entry_frames(const struct recording *recording, const struct stmlog_entry_record *entry)
{
	size_t frames = recording_traceback(recording, entry->local).len;
	frames += recording_traceback(recording, entry->remote).len;
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		frames += block_frames(recording, entry->objects[i].address);
		frames += block_frames(recording, entry->object_others[i]);
	}
	return frames;
}

void recording_limit_depth(struct recording *recording)
{
	size_t frames = 0;
	recording->deepest = SIZE_MAX;
	for (size_t i = 0; i < recording->entry_count; i++) {
		frames += entry_frames(recording, &recording->entries[i]);
	}
	if (frames <= RECORDING_MAX_FRAMES)
		return;
	size_t tracebacks = recording->block_count != 0 ? 2 + 2 * RECORDING_OBJECTS : 2;
	size_t share = RECORDING_MAX_FRAMES / (tracebacks * recording->entry_count);
	recording->deepest = share > RECORDING_MIN_DEPTH ? share : RECORDING_MIN_DEPTH;
}

/* ---- losses ---- */

bool recording_hides_losses(const struct recording *recording)
{
	return strcmp(recording->info.method, "htm") == 0;
}

bool recording_has_exact_totals(const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	bool has_all_measured = !recording_is_sampled(recording) && recording_has_times(recording);
	return (has_all_measured || info->counters_known != 0) && info->aborts_estimated == 0 &&
	       info->attaches_refused == 0 && info->threads_uncounted == 0 && !recording_hides_losses(recording);
}

struct recording_sum recording_total(const struct recording *recording)
{
	struct recording_sum sum = {.count = 0};
	for (size_t i = 0; i < recording->total_count; i++) {
		sum.count += recording->totals[i].count;
		sum.lost_ns += recording->totals[i].lost_ns;
		sum.estimated_ns += recording->totals[i].estimated_ns;
	}
	double error_ns = (double)recording->info.lost_error_ns;
	sum.variance_ns2 = error_ns * error_ns;
	return sum;
}

bool cause_is_abort(uint32_t reason)
{
	return reason == STMLOG_SELF_ABORT || reason == STMLOG_ABORTED_BY_OTHER || reason == STMLOG_USER_ABORT;
}

enum stmlog_account_row cause_account_row(uint32_t reason)
{
	return cause_is_abort(reason)   ? STMLOG_ACCOUNT_ABORTED
	       : reason == STMLOG_PAUSE ? STMLOG_ACCOUNT_PAUSED
	       : reason == STMLOG_WAIT  ? STMLOG_ACCOUNT_WAITING
					: STMLOG_ACCOUNT_ROWS;
}

const char *open_kind_name(uint32_t kind)
{
	static const char *const names[] = {[STMLOG_OPEN_TRANSACTION] = "transaction",
		[STMLOG_OPEN_COMMIT] = "commit",
		[STMLOG_OPEN_PAUSE] = "pause",
		[STMLOG_OPEN_WAIT] = "wait"};
	return kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

/* ---- INFO: the tables of info.def have the member of each key ---- */

struct key {
	const char *name;
	size_t at; /* offset of the member */
};

#define KEY(member) #member, offsetof(struct recording_info, member)
static const struct key number_keys[] = {
#define STMLOG_INFO_NUMBER(key, absent, merge, doc) {KEY(key)},
#include <stmlog/info.def>
};
static const struct key text_keys[] = {
#define STMLOG_INFO_TEXT(key, merge, doc) {KEY(key)},
#include <stmlog/info.def>
};
#undef KEY
#define LEN(array) (sizeof(array) / sizeof(array)[0])

/* Finds the row by its name, the `len` bytes at `name`; NULL: none. */
static const struct key *key_find(const struct key *keys, size_t count, const char *name, size_t len)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(keys[i].name) == len && memcmp(keys[i].name, name, len) == 0)
			return &keys[i];
	}
	return NULL;
}

/* The array is doubled when its length is a power of two. */
static void list_append(struct recording_list *list, const char *value)
{
	if ((list->len & (list->len - 1)) == 0) {
		const char **more = memory_zeroed(list->len != 0 ? 2 * list->len : 1, sizeof *more);
		if (list->len != 0)
			memcpy(more, list->at, list->len * sizeof *more);
		memory_free(list->at);
		list->at = more;
	}
	list->at[list->len++] = value;
}

/* Parses lines whose order matters: arguments; and options, whose keys are each followed by a value. */
static const char *parse_listed(struct recording_info *info, const char *key, size_t len, const char *value)
{
	static const struct key rows[] = {{"arg", 0}, {"option", 0}, {"value", 0}};
	const struct key *row = key_find(rows, LEN(rows), key, len);
	if (row == NULL)
		return NULL;
	bool is_argument = row == &rows[0], is_value = info->options.len % 2 == 1;
	if (!is_argument && is_value != (row == &rows[2]))
		return "an option without its value";
	list_append(is_argument ? &info->args : &info->options, value);
	return NULL;
}

static const char *parse_line(struct recording_info *info, const char *line)
{
	const char *equals = strchr(line, '=');
	if (equals == NULL)
		return "a line that is no key=value";
	size_t len = (size_t)(equals - line);
	const char *value = equals + 1;
	const struct key *number = key_find(number_keys, LEN(number_keys), line, len);
	const struct key *text = key_find(text_keys, LEN(text_keys), line, len);
	if (number != NULL && !number_parse(value, (uint64_t *)(void *)((char *)info + number->at)))
		return "a number that is none";
	if (text != NULL)
		*(const char **)(void *)((char *)info + text->at) = value;
	return parse_listed(info, line, len, value);
}

static const struct recording_info nothing_said = {
#define STMLOG_INFO_TEXT(key, merge, doc) .key = "",
#define STMLOG_INFO_NUMBER(key, absent, merge, doc) .key = (absent),
#include <stmlog/info.def>
};

const char *recording_info_parse(struct recording_info *info, const char *bytes, size_t len)
{
	*info = nothing_said;
	if (len > 0 && bytes[len - 1] != '\0')
		return "its last line has no end";
	for (size_t at = 0; at < len; at += strlen(bytes + at) + 1) {
		const char *fault = parse_line(info, bytes + at);
		if (fault != NULL)
			return fault;
	}
	if (info->options.len % 2 != 0)
		return "an option without its value";
	return info->sample_every != 0 ? NULL : "sample_every is 0";
}

void recording_info_fini(struct recording_info *info)
{
	memory_free(info->args.at);
	memory_free(info->options.at);
}

char *recording_ending_text(const struct recording_info *info)
{
	const char *name = info->killed_by < NSIG ? sigabbrev_np((int)info->killed_by) : NULL;
	if (info->killed_by == 0)
		return NULL;
	return memory_format("ended by signal %" PRIu64 " (%s)", info->killed_by, name != NULL ? name : "unknown");
}
