/* SPDX-License-Identifier: MIT
 * Finds the member of a key by the tables of info.def. */
#include "recording_info.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "number.h"
#include "report_memory.h"

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
static const struct key *find(const struct key *keys, size_t count, const char *name, size_t len)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(keys[i].name) == len && memcmp(keys[i].name, name, len) == 0)
			return &keys[i];
	}
	return NULL;
}

/* The array is doubled when its length is a power of two. */
static void append(struct recording_list *list, const char *value)
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
	const struct key *row = find(rows, LEN(rows), key, len);
	if (row == NULL)
		return NULL;
	bool is_argument = row == &rows[0], is_value = info->options.len % 2 == 1;
	if (!is_argument && is_value != (row == &rows[2]))
		return "an option without its value";
	append(is_argument ? &info->args : &info->options, value);
	return NULL;
}

static const char *parse_line(struct recording_info *info, const char *line)
{
	const char *equals = strchr(line, '=');
	if (equals == NULL)
		return "a line that is no key=value";
	size_t len = (size_t)(equals - line);
	const char *value = equals + 1;
	const struct key *number = find(number_keys, LEN(number_keys), line, len);
	const struct key *text = find(text_keys, LEN(text_keys), line, len);
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
