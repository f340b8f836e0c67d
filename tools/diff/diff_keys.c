/* SPDX-License-Identifier: MIT
 * The losses of one side's runs by key, and which keys of two sides are the same.
 *
 * A frame is found by a text of its names and lines, a traceback by the numbers of its frames, a key by the numbers
 * of its tracebacks and its cause: keys have many tracebacks, of few frames. Keys of equal names on two sides are
 * matched by their lines, by dynamic programming. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "memory.h"

/* Keys of equal names on one side. */
struct group {
	const struct diff_key *const *keys;
	size_t len;
};

/* The number of edits, the sum of the changes of distance, and the sum of distances (diff.h). */
struct cost {
	uint64_t edits;
	uint64_t apart;
	uint64_t moved;
};

/* The best way to match few[0..i] if few[i] is matched with many[j]; few[i - 1] is then matched with many[before]. */
struct way {
	struct cost cost;
	size_t before;
};

struct diff_keys diff_keys_init(size_t runs)
{
	return (struct diff_keys){.runs = runs};
}

void diff_keys_fini(struct diff_keys *keys)
{
	for (size_t i = 0; i < keys->len; i++)
		free(keys->at[i]);
	for (size_t i = 0; i < keys->tracebacks.len; i++)
		free(keys->made[i].frames);
	free(keys->at);
	free(keys->made);
	free(keys->frames);
	free(keys->text);
	dictionary_fini(&keys->dictionary);
	dictionary_fini(&keys->tracebacks);
	dictionary_fini(&keys->numbers);
	dictionary_fini(&keys->words);
	*keys = (struct diff_keys){.runs = 0};
}

/* ---- texts: made in the keys' buffer ---- */

static void key_text_add(struct diff_keys *keys, const char *text)
{
	size_t len = strlen(text);
	while (keys->text_cap - keys->text_len <= len)
		keys->text = memory_grown(keys->text, keys->text_cap, &keys->text_cap, 1);
	memcpy(keys->text + keys->text_len, text, len + 1);
	keys->text_len += len;
}

static void add_number(struct diff_keys *keys, uint64_t number, const char *behind)
{
	char text[24], *at = text + sizeof text - 1;
	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	key_text_add(keys, at);
	key_text_add(keys, behind);
}

static void add_line(struct diff_keys *keys, const char *text)
{
	key_text_add(keys, text != NULL ? text : "");
	key_text_add(keys, "\n");
}

/* ---- frames of a site ---- */

/* Names are kept once for all frames. */
static const char *word_or_null(struct diff_keys *keys, const char *text)
{
	return text != NULL ? dictionary_find(&keys->words, text)->text : NULL;
}

static struct diff_frame frame_of(struct diff_keys *keys, const struct symbol_frame *frame)
{
	const char *path = frame->function != NULL ? frame->file : frame->module;
	return (struct diff_frame){
		.function = word_or_null(keys, frame->function),
		.file = word_or_null(keys, path != NULL ? symbol_basename(path) : NULL),
		.line = frame->function != NULL ? frame->line : 0,
		.last_line = frame->function != NULL ? frame->last_line : 0,
	};
}

/* Returns the number of the frame. Each part ends with a newline, so that different names make different texts. */
static uint64_t diff_frame_number_of(struct diff_keys *keys, const struct diff_frame *frame)
{
	keys->text_len = 0;
	add_number(keys, frame->line, "-");
	add_number(keys, frame->last_line, frame->function != NULL ? "=" : "?");
	add_line(keys, frame->function);
	add_line(keys, frame->file);
	const struct dictionary_entry *entry = dictionary_find(&keys->numbers, keys->text);
	if (entry->is_new) {
		keys->frames = memory_grown(keys->frames, entry->number - 1, &keys->frames_cap, sizeof *keys->frames);
		keys->frames[entry->number - 1] = *frame;
	}
	return entry->number;
}

/* The frames of a site that count. */
struct numbers {
	uint64_t *at;
	size_t len;
	bool is_read;
};

static struct numbers read_site(struct diff_keys *keys, const struct symbol_site *site)
{
	struct numbers numbers = {.at = memory_zeroed(site->len, sizeof *numbers.at), .is_read = true};
	for (size_t i = 0; i < site->len; i++) {
		struct diff_frame frame = frame_of(keys, &site->frames[i]);
		if (!symbol_is_startup(&site->frames[i]))
			numbers.at[numbers.len++] = diff_frame_number_of(keys, &frame);
	}
	return numbers;
}

/* ---- a key from an entry ---- */

/* A recording that is being added. */
struct source {
	const struct recording *recording;
	struct symbols *symbols;
	struct numbers *sites; /* by their references */
};

static const struct numbers *site_of(struct diff_keys *keys, struct source *source, uint32_t reference)
{
	struct numbers *site = &source->sites[reference];
	if (!site->is_read)
		*site = read_site(keys, symbols_site(source->symbols, reference));
	return site;
}

/* Makes the text by which the traceback is found. Returns the number of its frames. */
static size_t begin_traceback(struct diff_keys *keys, struct source *source, const struct recording_traceback *from)
{
	size_t len = 0;
	for (size_t i = 0; i < from->len; i++)
		site_of(keys, source, from->sites[i]);
	keys->text_len = 0;
	key_text_add(keys, from->is_known ? "known" : "unknown");
	for (size_t i = 0; i < from->len; i++) {
		const struct numbers *site = site_of(keys, source, from->sites[i]);
		for (size_t k = 0; k < site->len; k++)
			add_number(keys, site->at[k], " ");
		len += site->len;
	}
	return len;
}

static struct diff_traceback traceback_of(struct diff_keys *keys, struct source *source, uint32_t reference)
{
	struct recording_traceback from = recording_traceback(source->recording, reference);
	size_t len = begin_traceback(keys, source, &from);
	const struct dictionary_entry *entry = dictionary_find(&keys->tracebacks, keys->text);
	if (!entry->is_new)
		return keys->made[entry->number - 1];
	struct diff_frame *frames = memory_zeroed(len, sizeof *frames), *to = frames;
	for (size_t i = 0; i < from.len; i++) {
		const struct numbers *site = site_of(keys, source, from.sites[i]);
		for (size_t k = 0; k < site->len; k++)
			*to++ = keys->frames[site->at[k] - 1];
	}
	keys->made = memory_grown(keys->made, entry->number - 1, &keys->made_cap, sizeof *keys->made);
	return keys->made[entry->number - 1] = (struct diff_traceback){from.is_known, len, frames, entry->number};
}

/* Returns the key with the cause and tracebacks of `key`, which is added if it is new. */
static struct diff_key *diff_keys_find(struct diff_keys *keys, const struct diff_key *key)
{
	keys->text_len = 0;
	add_number(keys, key->reason, key->is_evicted ? " evicted " : " ");
	add_number(keys, key->contention, " ");
	add_number(keys, key->local.number, " ");
	add_number(keys, key->remote.number, " ");
	add_line(keys, key->detail);
	const struct dictionary_entry *entry = dictionary_find(&keys->dictionary, keys->text);
	if (!entry->is_new)
		return keys->at[entry->number - 1];
	struct diff_key *added = memory_zeroed(1, sizeof *added + keys->runs * sizeof added->losses[0]);
	*added = *key;
	keys->at = memory_grown(keys->at, keys->len, &keys->cap, sizeof(struct diff_key *));
	keys->at[keys->len++] = added;
	return added;
}

/* ---- losses ---- */

static void add_entries(struct diff_keys *keys, size_t run, struct source *source, double aborts_per_entry)
{
	for (size_t i = 0; i < source->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &source->recording->entries[i];
		struct diff_key key = {.reason = entry->reason, .contention = entry->contention};
		key.detail = word_or_null(keys, recording_string(source->recording, entry->detail));
		key.local = traceback_of(keys, source, entry->local);
		key.remote = traceback_of(keys, source, entry->remote);
		struct diff_loss *loss = &diff_keys_find(keys, &key)->losses[run];
		loss->lost_ns += entry->estimated_ns;
		if (cause_is_abort(entry->reason))
			loss->aborts += (double)entry->count * aborts_per_entry;
		else
			loss->paused_ns += entry->estimated_ns;
	}
}

void diff_keys_add(struct diff_keys *keys, size_t run, const struct recording *recording, struct symbols *symbols,
	double aborts_per_entry)
{
	struct source source = {recording, symbols, memory_zeroed(recording->site_count, sizeof *source.sites)};
	add_entries(keys, run, &source, aborts_per_entry);
	for (size_t i = 0; i < recording->site_count; i++)
		free(source.sites[i].at);
	free(source.sites);
	if (recording->evicted_count == 0)
		return;
	struct diff_loss *loss = &diff_keys_find(keys, &(struct diff_key){.is_evicted = true})->losses[run];
	loss->lost_ns = recording->evicted_estimated_ns;
	loss->aborts = (double)recording->evicted_count * aborts_per_entry;
}

/* ---- comparing ---- */

/* NULL is an empty text. Most texts of two keys are the same one. */
static int compare_texts(const char *left, const char *right)
{
	return left == right ? 0 : strcmp(left != NULL ? left : "", right != NULL ? right : "");
}

static int compare_tracebacks(const struct diff_traceback *left, const struct diff_traceback *right)
{
	if (left->is_known != right->is_known || left->len != right->len)
		return left->is_known != right->is_known ? (left->is_known ? -1 : 1) : left->len < right->len ? -1 : 1;
	int order = 0;
	for (size_t i = 0; i < left->len && order == 0; i++) {
		const struct diff_frame *one = &left->frames[i], *other = &right->frames[i];
		order = (one->function == NULL) - (other->function == NULL);
		if (order == 0)
			order = compare_texts(one->function, other->function);
		if (order == 0)
			order = compare_texts(one->file, other->file);
	}
	return order;
}

int diff_keys_compare(const struct diff_key *left, const struct diff_key *right)
{
	int order = (int)left->is_evicted - (int)right->is_evicted;
	if (order == 0)
		order = compare_texts(stmlog_reason_name(left->reason), stmlog_reason_name(right->reason));
	if (order == 0)
		order = compare_texts(
			stmlog_contention_name(left->contention), stmlog_contention_name(right->contention));
	if (order == 0)
		order = compare_texts(left->detail, right->detail);
	if (order == 0)
		order = compare_tracebacks(&left->local, &right->local);
	return order != 0 ? order : compare_tracebacks(&left->remote, &right->remote);
}

/* ---- matching the keys of two sides ---- */

/* A limit for the steps of one matching, since a file chooses the number of keys. Beyond it keys are matched simply in
 * order. */
enum { MAX_STEPS = 10000000 };

/* ---- lines ---- */

static size_t depth_of(const struct diff_key *key)
{
	return key->local.len + key->remote.len;
}

static const struct diff_frame *frame_at(const struct diff_key *key, size_t frame)
{
	return frame < key->local.len ? &key->local.frames[frame] : &key->remote.frames[frame - key->local.len];
}

static int compare_lines(const struct diff_key *left, const struct diff_key *right)
{
	for (size_t i = 0; i < depth_of(left); i++) {
		const struct diff_frame *one = frame_at(left, i), *other = frame_at(right, i);
		if (one->line != other->line)
			return one->line < other->line ? -1 : 1;
		if (one->last_line != other->last_line)
			return one->last_line < other->last_line ? -1 : 1;
	}
	return 0;
}

/* Keys of equal names have equally many frames. */
static int compare_keys(const void *a, const void *b)
{
	const struct diff_key *left = *(const struct diff_key *const *)a, *right = *(const struct diff_key *const *)b;
	int names = diff_keys_compare(left, right);
	return names != 0 ? names : compare_lines(left, right);
}

static int64_t moved_by(const struct diff_key *few, const struct diff_key *many, size_t frame)
{
	return (int64_t)frame_at(many, frame)->line - (int64_t)frame_at(few, frame)->line;
}

/* ---- keys of equal names ---- */

static bool is_no_worse(const struct cost *one, const struct cost *other)
{
	if (one->edits != other->edits)
		return one->edits < other->edits;
	return one->apart != other->apart ? one->apart < other->apart : one->moved <= other->moved;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return (uint64_t)(a > b ? a - b : b - a);
}

/* The cost of matching few[i] with many[j] if few[i - 1] is matched with many[before]. The neighbour of the first key
 * is the top of the file, which has not moved. */
static struct cost step(const struct group *few, const struct group *many, size_t i, size_t j, size_t before)
{
	struct cost cost = {0, 0, 0};
	for (size_t frame = 0; frame < depth_of(few->keys[i]); frame++) {
		int64_t moved = moved_by(few->keys[i], many->keys[j], frame);
		int64_t neighbour = i > 0 ? moved_by(few->keys[i - 1], many->keys[before], frame) : 0;
		cost.edits += moved != neighbour;
		cost.apart += distance(moved, neighbour);
		cost.moved += distance(moved, 0);
	}
	return cost;
}

static struct way best_way(
	const struct way *ways, const struct group *few, const struct group *many, size_t i, size_t j)
{
	struct way best = {{UINT64_MAX, UINT64_MAX, UINT64_MAX}, 0};
	if (i == 0)
		return (struct way){step(few, many, i, j, 0), 0};
	for (size_t before = i - 1; before < j; before++) {
		const struct cost *so_far = &ways[(i - 1) * many->len + before].cost;
		struct cost cost = step(few, many, i, j, before);
		cost.edits += so_far->edits;
		cost.apart += so_far->apart;
		cost.moved += so_far->moved;
		if (is_no_worse(&cost, &best.cost))
			best = (struct way){cost, before};
	}
	return best;
}

/* Finds the best matching: to[i] is the index in `many` of few[i]. */
static void align(const struct group *few, const struct group *many, size_t *to)
{
	struct way *ways = memory_zeroed(few->len * many->len, sizeof *ways);
	size_t spare = many->len - few->len;
	for (size_t i = 0; i < few->len; i++) {
		for (size_t j = i; j <= i + spare; j++)
			ways[i * many->len + j] = best_way(ways, few, many, i, j);
	}
	size_t last = few->len - 1, best = last;
	for (size_t j = last; j <= last + spare; j++) {
		if (is_no_worse(&ways[last * many->len + j].cost, &ways[last * many->len + best].cost))
			best = j;
	}
	for (size_t i = few->len; i-- > 0; best = ways[i * many->len + best].before)
		to[i] = best;
	free(ways);
}

static bool is_too_much(const struct group *few, const struct group *many)
{
	double spare = (double)(many->len - few->len + 1);
	return (double)few->len * (double)many->len > MAX_STEPS ||
	       (double)few->len * spare * spare * (double)depth_of(few->keys[0]) > MAX_STEPS;
}

static void assign(const struct group *few, const struct group *many, size_t *to)
{
	for (size_t i = 0; i < few->len; i++)
		to[i] = i;
	if (few->len > 0 && few->len < many->len && !is_too_much(few, many))
		align(few, many, to);
}

/* ---- both sides ---- */

static const struct diff_key **sorted(const struct diff_keys *keys)
{
	const struct diff_key **copy = memory_zeroed(keys->len, sizeof(struct diff_key *));
	for (size_t i = 0; i < keys->len; i++)
		copy[i] = keys->at[i];
	qsort(copy, keys->len, sizeof(struct diff_key *), compare_keys);
	return copy;
}

/* The keys at the front of `len` keys that have the names of `first`. */
static struct group group_of(const struct diff_key *const *keys, size_t len, const struct diff_key *first)
{
	struct group group = {keys, 0};
	while (group.len < len && diff_keys_compare(keys[group.len], first) == 0)
		group.len++;
	return group;
}

/* Writes the matches of the two groups. Returns their number. */
static size_t match_groups(const struct group groups[2], struct diff_match *matches)
{
	size_t fewer = groups[0].len <= groups[1].len ? 0 : 1, more = 1 - fewer, next = 0;
	const struct group *few = &groups[fewer], *many = &groups[more];
	size_t *to = memory_zeroed(few->len, sizeof *to);
	assign(few, many, to);
	for (size_t j = 0; j < many->len; j++) {
		matches[j] = (struct diff_match){{NULL, NULL}};
		matches[j].key[more] = many->keys[j];
		if (next < few->len && to[next] == j)
			matches[j].key[fewer] = few->keys[next++];
	}
	free(to);
	return many->len;
}

struct diff_match *diff_keys_match(const struct diff_keys *old, const struct diff_keys *new, size_t *len)
{
	const struct diff_key **keys[2] = {sorted(old), sorted(new)};
	size_t lens[2] = {old->len, new->len}, at[2] = {0, 0};
	struct diff_match *matches = memory_zeroed(old->len + new->len, sizeof *matches);
	*len = 0;
	while (at[0] < lens[0] || at[1] < lens[1]) {
		struct group groups[2];
		size_t side_of_first =
			at[0] >= lens[0] || (at[1] < lens[1] && diff_keys_compare(keys[1][at[1]], keys[0][at[0]]) < 0);
		const struct diff_key *first = keys[side_of_first][at[side_of_first]];
		for (size_t side = 0; side < 2; side++) {
			groups[side] = group_of(keys[side] + at[side], lens[side] - at[side], first);
			at[side] += groups[side].len;
		}
		*len += match_groups(groups, matches + *len);
	}
	free(keys[0]);
	free(keys[1]);
	return matches;
}
