/* SPDX-License-Identifier: MIT
 *
 * Writes a profile that a program has filled for pprof, in the format of tools/export/profile.proto: by hand, because
 * the library links libc only, and uncompressed, which pprof's readers allow. It needs no function of the profile but
 * its query.
 *
 * A site is a location and a function, both with the id site + 1: ids need not be dense, and 0 is none. Texts are
 * numbered in their order in the file: the fixed ones first, then two for each site, in ascending order of the sites.
 */
#include <stmlog/profile.h>

#include <errno.h>
#include <string.h>

#include "artifact.h"
#include "mem.h"
#include "out.h"
#include "radix.h"
#include "utf8_read.h"

/* The values of a sample, and which text is the name of each. The texts before are "" and the two units. */
enum { NANOSECONDS = 1, COUNT, FIRST_NAME, VALUES = 1 + STMLOG_WEIGHTS, FIXED_TEXTS = FIRST_NAME + VALUES };
enum { TEXT_USEFUL = FIRST_NAME + 1 + STMLOG_WEIGHT_USEFUL_NS };

static const char *const fixed_texts[FIXED_TEXTS] = {
	"", "nanoseconds", "count", "calls", "aborted", "paused", "waiting", "useful", "own"};

/* Numbers of fields in the messages of profile.proto. */
enum { PROFILE_TYPE = 1, PROFILE_SAMPLE, PROFILE_LOCATION = 4, PROFILE_FUNCTION, PROFILE_TEXT, PROFILE_DEFAULT = 14 };
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

/* ---- encoding: a field is a tag, then a number, or the length of bytes and these ---- */

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2, NUMBER_MAX = 10, MESSAGE_MAX = 64 };

/* A message of a few numbers. */
struct small_message {
	size_t len;
	unsigned char bytes[MESSAGE_MAX];
};

static size_t encode(unsigned char bytes[NUMBER_MAX], uint64_t number)
{
	size_t len = 0;
	for (; number >= 0x80; number >>= 7)
		bytes[len++] = (unsigned char)(number | 0x80);
	bytes[len++] = (unsigned char)number;
	return len;
}

static size_t encoded_size(uint64_t number)
{
	unsigned char bytes[NUMBER_MAX];
	return encode(bytes, number);
}

static void put_number(struct out *out, uint64_t number)
{
	unsigned char bytes[NUMBER_MAX];
	out_bytes(out, bytes, encode(bytes, number));
}

/* The head of a field of `len` bytes, which follow. */
static void put_bytes(struct out *out, unsigned field, size_t len)
{
	put_number(out, field << 3 | WIRE_BYTES);
	put_number(out, len);
}

static void add_number(struct small_message *message, unsigned field, uint64_t number)
{
	message->len += encode(message->bytes + message->len, field << 3 | WIRE_NUMBER);
	message->len += encode(message->bytes + message->len, number);
}

static void add_message(struct small_message *message, unsigned field, const struct small_message *part)
{
	message->len += encode(message->bytes + message->len, field << 3 | WIRE_BYTES);
	message->len += encode(message->bytes + message->len, part->len);
	memcpy(message->bytes + message->len, part->bytes, part->len);
	message->len += part->len;
}

static void put_message(struct out *out, unsigned field, const struct small_message *message)
{
	put_bytes(out, field, message->len);
	out_bytes(out, message->bytes, message->len);
}

static void put_text(struct out *out, const char *text)
{
	put_bytes(out, PROFILE_TEXT, strlen(text));
	out_text(out, text);
}

/* ---- the sites ---- */

/* The last sites of all paths; once they are sorted, each once. */
struct site_list {
	struct radix_item *items, *spare;
	size_t len, max;
};

static bool site_list_init(struct site_list *list, const struct stmlog_profile *profile)
{
	list->len = 0;
	list->max = stmlog_profile_nodes(profile) + 2; /* with the root and the overflow */
	list->items = mem_alloc(2 * list->max * sizeof *list->items);
	if (list->items == NULL)
		return false;
	list->spare = list->items + list->max;
	return true;
}

static uint32_t last_site(const struct stmlog_profile_path *path)
{
	return path->len > 0 ? path->sites[path->len - 1] : STMLOG_SITE_ROOT;
}

static void list_site(const struct stmlog_profile_path *path, void *arg)
{
	struct site_list *list = arg;
	list->items[list->len++].number = last_site(path);
}

/* Returns the sites in ascending order, in one of the two arrays. */
static const struct radix_item *sort_sites(struct site_list *list)
{
	struct radix_item *sorted = radix_sort(list->items, list->spare, list->len);
	size_t kept = 0;
	for (size_t i = 0; i < list->len; i++) {
		if (i == 0 || sorted[i].number != sorted[kept - 1].number)
			sorted[kept++] = sorted[i];
	}
	list->len = kept;
	return sorted;
}

/* ---- the names ---- */

typedef bool name_site(uint32_t site, struct stmlog_name *name, void *arg);

/* "site 7" */
static void set_usual_name(uint32_t site, struct stmlog_name *name)
{
	static const char root[] = "(root)", overflow[] = "(overflow)", other[] = "site ";
	char text[DECIMAL_SIZE];
	*name = (struct stmlog_name){.line = 0};
	if (site == STMLOG_SITE_ROOT) {
		memcpy(name->function, root, sizeof root);
	} else if (site == STMLOG_SITE_OVERFLOW) {
		memcpy(name->function, overflow, sizeof overflow);
	} else {
		const char *digits = decimal_text(text, site);
		memcpy(name->function, other, sizeof other - 1);
		memcpy(name->function + sizeof other - 1, digits, strlen(digits) + 1);
	}
}

static void find_name(uint32_t site, struct stmlog_name *name, name_site *ask, void *arg)
{
	*name = (struct stmlog_name){.line = 0};
	bool is_named = ask != NULL && site < STMLOG_SITE_OVERFLOW && ask(site, name, arg);
	name->function[sizeof name->function - 1] = name->file[sizeof name->file - 1] = '\0';
	if (!is_named || name->function[0] == '\0')
		set_usual_name(site, name);
	utf8_hide(name->function);
	utf8_hide(name->file);
}

/* Writes a location with its function, and the two texts of the function, whose numbers are `text` and the next one. */
static void put_site(struct out *out, uint32_t site, const struct stmlog_name *name, size_t text)
{
	struct small_message location = {.len = 0}, line = {.len = 0}, function = {.len = 0};
	uint64_t id = (uint64_t)site + 1;
	add_number(&line, LINE_FUNCTION, id);
	add_number(&line, LINE_LINE, name->line);
	add_number(&location, LOCATION_ID, id);
	add_message(&location, LOCATION_LINE, &line);
	put_message(out, PROFILE_LOCATION, &location);
	add_number(&function, FUNCTION_ID, id);
	add_number(&function, FUNCTION_NAME, text);
	add_number(&function, FUNCTION_SYSTEM_NAME, text);
	add_number(&function, FUNCTION_FILE, text + 1);
	put_message(out, PROFILE_FUNCTION, &function);
	put_text(out, name->function);
	put_text(out, name->file);
}

/* ---- the samples ---- */

static uint64_t value_of(const struct stmlog_profile_path *path, size_t value)
{
	uint64_t number = value == 0 ? path->calls : path->weights[value - 1];
	return number <= INT64_MAX ? number : INT64_MAX;
}

static uint64_t id_at(const struct stmlog_profile_path *path, size_t i)
{
	return (uint64_t)(path->len > 0 ? path->sites[i] : STMLOG_SITE_ROOT) + 1;
}

/* Innermost site first. The root's stack is the root. */
static void put_sample(const struct stmlog_profile_path *path, void *arg)
{
	struct out *out = arg;
	size_t len = path->len > 0 ? path->len : 1, ids = 0, values = 0;
	uint64_t any = 0;
	for (size_t i = 0; i < len; i++)
		ids += encoded_size(id_at(path, i));
	for (size_t i = 0; i < VALUES; i++) {
		values += encoded_size(value_of(path, i));
		any |= value_of(path, i);
	}
	if (any == 0)
		return;
	put_bytes(out, PROFILE_SAMPLE, 1 + encoded_size(ids) + ids + 1 + encoded_size(values) + values);
	put_bytes(out, SAMPLE_LOCATIONS, ids);
	for (size_t i = len; i-- > 0;)
		put_number(out, id_at(path, i));
	put_bytes(out, SAMPLE_VALUES, values);
	for (size_t i = 0; i < VALUES; i++)
		put_number(out, value_of(path, i));
}

/* ---- the file ---- */

static void put_head(struct out *out)
{
	for (size_t i = 0; i < FIXED_TEXTS; i++)
		put_text(out, fixed_texts[i]);
	for (unsigned i = 0; i < VALUES; i++) {
		struct small_message type = {.len = 0};
		bool is_count = i == 0 || i == 1 + STMLOG_WEIGHT_OWN;
		add_number(&type, TYPE_NAME, FIRST_NAME + i);
		add_number(&type, TYPE_UNIT, is_count ? COUNT : NANOSECONDS);
		put_message(out, PROFILE_TYPE, &type);
	}
	put_number(out, PROFILE_DEFAULT << 3 | WIRE_NUMBER);
	put_number(out, TEXT_USEFUL);
}

static int write_all(const struct stmlog_profile *profile, struct site_list *list, int fd, name_site *ask, void *arg)
{
	struct out out;
	struct stmlog_name name;
	out_begin(&out, fd);
	put_head(&out);
	stmlog_profile_query(profile, list_site, list);
	const struct radix_item *sites = sort_sites(list);
	for (size_t i = 0; i < list->len; i++) {
		uint32_t site = (uint32_t)sites[i].number;
		find_name(site, &name, ask, arg);
		put_site(&out, site, &name, FIXED_TEXTS + 2 * i);
	}
	stmlog_profile_query(profile, put_sample, &out);
	return out_end(&out);
}

int stmlog_profile_write_pprof(const struct stmlog_profile *profile, const char *path,
	bool (*name)(uint32_t site, struct stmlog_name *name, void *arg), void *arg)
{
	struct artifact artifact;
	struct site_list list;
	int saved = errno;
	if (profile == NULL)
		return 0;
	if (!site_list_init(&list, profile)) {
		errno = saved;
		return -ENOMEM;
	}
	int error = artifact_begin(&artifact, path, ARTIFACT_AT_ONCE);
	if (error == 0)
		error = artifact_end(&artifact, write_all(profile, &list, artifact.fd, name, arg));
	mem_free(list.items, 2 * list.max * sizeof *list.items);
	errno = saved;
	return error;
}
