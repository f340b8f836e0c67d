/* SPDX-License-Identifier: MIT
 * The data over which a row's transactions conflict: the objects, and whether both sides have used the same word.
 *
 * Only pairs of addresses of which both were seen tell that. The agent records the other side's address if it differs;
 * without one, the other side has used the same word if its access was found at all, so that the traceback has its
 * place. */
#include <string.h>

#include <stmlog/read.h>

#include "number.h"
#include "ranking_search.h"
#include "report_memory.h"
#include "short_name.h"
#include "utf8.h"

/* A block of at most NODE_BYTES is a node of a list or a tree. Of STRIPES_MIN stripes in which the two words have the
 * same distance, each is a node, too. A transaction uses several words of a stripe if TRUE_PERCENT of its conflicts
 * there are over the very word that the other one has written. In all these cases space between the words would end
 * nothing. */
enum { NODE_BYTES = 64, STRIPES_MIN = 3, TRUE_PERCENT = 10, SLOTS_MAX = 512 };

/* A word of an entry's conflicts. */
struct slot {
	const struct stmlog_entry_record *entry;
	uint64_t address, other; /* other 0: not seen, or the same */
	uint32_t victim;
	enum ranking_data data;
	uint64_t count; /* at least */
	double ns;
};

struct slots {
	struct slot at[SLOTS_MAX];
	size_t len;
	double ns;                    /* of all conflicts of the row, those without an address, too */
	double all_ns;                /* of all losses of the row */
	double true_ones, false_ones; /* how many conflicts of which both sides were seen */
	uint64_t count;               /* of measured conflicts */
};

static uint64_t stripe_of(const struct ranking_search *search, uint64_t address)
{
	uint64_t bytes = search->recording->info.stripe_bytes;
	return address / (bytes != 0 ? bytes : 1);
}

static bool is_pair(const struct slot *slot)
{
	return slot->other != 0 && slot->other != slot->address;
}

static bool are_in_a_node(const struct ranking_search *search, const struct slot *slot)
{
	const struct stmlog_block_record *block = recording_block(search->recording, slot->address);
	return block != NULL && block->size <= NODE_BYTES && block == recording_block(search->recording, slot->other);
}

/* Without stripes the STM has a lock for each object. */
static enum ranking_data data_of(const struct ranking_search *search, const struct slot *slot)
{
	const struct stmlog_entry_record *entry = slot->entry;
	bool has_stripes = search->recording->info.stripe_bytes != 0 || entry->false_conflicts != 0;
	if (!is_pair(slot))
		return !has_stripes || ranking_has_access(search, entry->remote) ? RANKING_WORD : RANKING_NEARBY;
	if (are_in_a_node(search, slot))
		return RANKING_WORD;
	bool is_near = search->recording->info.stripe_bytes != 0
			       ? stripe_of(search, slot->address) == stripe_of(search, slot->other)
			       : entry->false_aliases == 0;
	return is_near ? RANKING_NEIGHBOURS : RANKING_ALIAS;
}

static void add_object_slots(const struct ranking_search *search, struct slots *slots, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	double left = 1, ns = search->losses[number].ns;
	double false_part = entry->count != 0 ? (double)entry->false_conflicts / (double)entry->count : 0;
	slots->false_ones += (double)entry->count * (false_part < 1 ? false_part : 1);
	if (ranking_has_access(search, entry->remote) && false_part < 1)
		slots->true_ones += (double)entry->count * (1 - false_part);
	for (size_t i = 0; i < RECORDING_OBJECTS && slots->len < SLOTS_MAX; i++) {
		double part = entry->count != 0 ? (double)entry->objects[i].count / (double)entry->count : 0;
		struct slot slot = {.entry = entry,
			.address = entry->objects[i].address,
			.other = entry->object_others[i],
			.victim = search->losses[number].victim,
			.count = entry->objects[i].count,
			.ns = ns * (part < left ? part : left)};
		if (slot.address == 0)
			continue;
		slot.data = data_of(search, &slot);
		left -= part < left ? part : left;
		slots->at[slots->len++] = slot;
	}
}

/* ---- neighbours that space between them would not part ---- */

static bool is_in_stripe_of(const struct ranking_search *search, const struct slot *one, const struct slot *other)
{
	return stripe_of(search, one->address) == stripe_of(search, other->address);
}

/* The pairs of the victim, or only those that have the same distance as that of `slot`. */
static size_t count_stripes(
	const struct ranking_search *search, const struct slots *slots, const struct slot *slot, bool has_distance)
{
	size_t stripes = 0;
	for (size_t i = 0; i < slots->len; i++) {
		const struct slot *pair = &slots->at[i];
		bool is_first =
			is_pair(pair) && (has_distance ? pair->other - pair->address == slot->other - slot->address
						       : pair->victim == slot->victim);
		for (size_t k = 0; k < i && is_first; k++)
			is_first = !is_pair(&slots->at[k]) || !is_in_stripe_of(search, &slots->at[k], pair);
		stripes += is_first;
	}
	return stripes;
}

/* If the conflicts are spread over many stripes, an entry keeps few of the pairs: then its counts decide. */
static bool uses_whole_stripe(const struct ranking_search *search, const struct slots *slots, const struct slot *slot)
{
	double words = 0, all = 0;
	if (count_stripes(search, slots, slot, false) >= STRIPES_MIN)
		return slots->true_ones > 0 &&
		       slots->true_ones * 100 >= (slots->true_ones + slots->false_ones) * TRUE_PERCENT;
	for (size_t i = 0; i < slots->len; i++) {
		const struct slot *other = &slots->at[i];
		if (other->victim != slot->victim || !is_in_stripe_of(search, other, slot))
			continue;
		all += other->ns;
		words += !is_pair(other) && other->data == RANKING_WORD ? other->ns : 0;
	}
	return words > 0 && words * 100 >= all * TRUE_PERCENT;
}

static bool is_like_nodes(const struct ranking_search *search, const struct slots *slots, const struct slot *slot)
{
	return count_stripes(search, slots, slot, true) >= STRIPES_MIN;
}

static void part_neighbours(const struct ranking_search *search, struct slots *slots)
{
	for (size_t i = 0; i < slots->len; i++) {
		struct slot *slot = &slots->at[i];
		if (slot->data == RANKING_NEIGHBOURS &&
			(uses_whole_stripe(search, slots, slot) || is_like_nodes(search, slots, slot)))
			slot->data = RANKING_WORD;
	}
}

/* Few conflicts say nothing, and next to waits those of less than a hundredth of the row's losses are not worth a line.
 * But they may have made a transaction run alone. */
static bool are_enough(const struct ranking_search *search, const struct ranking_row *row, const struct slots *slots)
{
	bool is_alone = row->how == RANKING_ALONE || ranking_has_wait(search, row, "UPGRADE_WAIT");
	return slots->len > 0 && slots->count >= ESTIMATE_MIN_LOSSES && (is_alone || slots->ns * 100 >= slots->all_ns);
}

/* The kind with most time among the pairs that were seen, unless they are few. */
static enum ranking_data object_kind(const struct slots *slots)
{
	double ns[RANKING_DATA_KINDS] = {0};
	uint64_t seen = 0;
	enum ranking_data max = RANKING_NEARBY;
	for (size_t i = 0; i < slots->len; i++) {
		ns[slots->at[i].data] += slots->at[i].ns;
		seen += slots->at[i].data != RANKING_NEARBY ? slots->at[i].count : 0;
	}
	for (int data = 0; data < RANKING_NEARBY; data++)
		if (ns[data] > 0 && (max == RANKING_NEARBY || ns[data] > ns[max]))
			max = (enum ranking_data)data;
	return seen >= ESTIMATE_MIN_LOSSES ? max : RANKING_NEARBY;
}

/* ---- names ---- */

/* The name of an object without the stripe of a bare address. Frees `name`. */
static char *ranking_object_text(char *name)
{
	char *stripe = strstr(name, " (stripe 0x"), *line = strstr(name, " (cache line 0x");
	if (stripe != NULL || line != NULL)
		*(stripe != NULL ? stripe : line) = '\0';
	char *text = utf8_cleaned(name[0] == '`' ? memory_text(name) : short_name(name));
	memory_free(name);
	return text;
}

/* Whether a name ends here, or goes on with a distance, a member or an element. */
static bool is_name_end(char character)
{
	return character == '\0' || strchr("+.[", character) != NULL;
}

/* `other` without the variable that `object` is a part of, too: "[1].done" for "statistics[0].done" and
 * "statistics[1].done"; otherwise the whole of `other`. */
static const char *object_behind(const char *object, const char *other)
{
	size_t same = 0;
	while (object[same] != '\0' && object[same] == other[same])
		same++;
	while (same > 0 && (other[same] == '\0' || !is_name_end(object[same]) || !is_name_end(other[same])))
		same--;
	return same > 0 && other[0] != '`' ? other + same : other;
}

/* The objects of one name: blocks allocated at one place, elements of one array, or objects that one line accesses. */
struct named {
	char *name;  /* "items[].quantity" */
	char *first; /* "items[3].quantity" */
	double ns;
	size_t addresses;
};

enum { NAMED_MAX = 32 };

struct names {
	struct named at[NAMED_MAX];
	size_t len;
};

/* Leaves out the numbers of elements, and the address behind a line of source, or behind a member of a block. */
static char *kind_name(const char *name)
{
	char *kind = memory_text(name), *to = kind, *address = strstr(kind, " at 0x");
	if (address != NULL)
		*address = '\0';
	for (const char *from = kind; (*to = *from) != '\0'; from++, to++)
		if (*from == '[')
			from += strspn(from + 1, "0123456789");
	return kind;
}

static void add_name(
	const struct ranking_search *search, struct names *names, const struct slot *slot, bool is_new_address)
{
	char *first = ranking_object_text(report_object_group(search->report, slot->entry, slot->address));
	char *name = kind_name(first);
	size_t at = 0;
	while (at < names->len && strcmp(names->at[at].name, name) != 0)
		at++;
	if (at == NAMED_MAX || at < names->len) {
		memory_free(name);
		memory_free(first);
	}
	if (at == NAMED_MAX)
		return;
	if (at == names->len)
		names->at[names->len++] = (struct named){.name = name, .first = first};
	names->at[at].addresses += is_new_address;
	names->at[at].ns += slot->ns;
}

static size_t costliest(const struct names *names)
{
	size_t max = 0;
	for (size_t i = 1; i < names->len; i++)
		if (names->at[i].ns > names->at[max].ns)
			max = i;
	return max;
}

/* Frees both. */
static char *joined_objects(char *text, char *more)
{
	char *both = memory_format("%s%s%s", text, text[0] != '\0' && more[0] != '\0' ? ", " : "", more);
	memory_free(text);
	memory_free(more);
	return both;
}

/* "48 x Book.levels 62 %": an object without a share has less than OBJECT_PERCENT, and is named only as the first. */
static char *named_text(const struct named *named, double all)
{
	struct number times = number_count(named->addresses),
		      share = number_rounded(all > 0 ? named->ns / all * 100 : 0, 0);
	bool has_share = all > 0 && named->ns * 100 >= all;
	return memory_format("%s%s%s%s%s%s", named->addresses > 1 ? times.text : "", named->addresses > 1 ? " x " : "",
		named->addresses > 1 ? named->name : named->first, has_share ? " " : "", has_share ? share.text : "",
		has_share ? " %" : "");
}

static bool is_new_address(const struct slots *slots, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (slots->at[i].address == slots->at[number].address)
			return false;
	return true;
}

static char *list_objects(const struct ranking_search *search, const struct slots *slots, struct ranking_row *row)
{
	enum { OBJECT_PERCENT = 5 };
	struct names names = {.len = 0};
	char *text = memory_text("");
	for (size_t i = 0; i < slots->len; i++)
		add_name(search, &names, &slots->at[i], is_new_address(slots, i));
	size_t named = names.len;
	for (size_t k = 0; k < RANKING_OBJECTS_MAX && k < named; k++) {
		struct named *max = &names.at[costliest(&names)];
		if (k > 0 && max->ns * 100 < slots->ns * OBJECT_PERCENT)
			break;
		row->objects[k] = memory_text(max->first);
		if (k == 0 && slots->ns > 0 && max->addresses == 1)
			row->top_object_part = max->ns / slots->ns;
		text = joined_objects(text, named_text(max, slots->ns));
		max->ns = -1;
	}
	for (size_t i = 0; i < names.len; i++) {
		memory_free(names.at[i].name);
		memory_free(names.at[i].first);
	}
	return text;
}

/* The pair of this kind with most time. */
static char *pair_text(const struct ranking_search *search, const struct slots *slots, struct ranking_row *row)
{
	const struct slot *max = NULL;
	for (size_t i = 0; i < slots->len; i++) {
		const struct slot *slot = &slots->at[i];
		if (slot->data == row->data && is_pair(slot) && (max == NULL || slot->ns > max->ns))
			max = slot;
	}
	if (max == NULL)
		return memory_text("");
	row->objects[0] = ranking_object_text(report_object_of(search->report, max->entry, max->address));
	row->objects[1] = ranking_object_text(report_other_of(search->report, max->other));
	return memory_format("%s and %s", row->objects[0], object_behind(row->objects[0], row->objects[1]));
}

/* "conflicts, 4 %" where they are the smaller part of the row's losses. */
static char *data_share_text(const struct slots *slots)
{
	double percent = slots->all_ns > 0 ? slots->ns / slots->all_ns * 100 : 0;
	if (slots->len == 0 || percent >= 50)
		return memory_text("");
	return percent < 1 ? memory_text("conflicts")
			   : memory_format("conflicts, %s %%", number_rounded(percent, 0).text);
}

static const char *relation_text(const struct ranking_search *search, enum ranking_data data)
{
	bool has_lines = strcmp(report_stripe_word(search->report), "stripe") != 0;
	switch (data) {
	case RANKING_NEIGHBOURS:
		return has_lines ? "neighbours in a cache line" : "neighbours under one lock";
	case RANKING_ALIAS:
		return "far apart under one lock";
	case RANKING_NEARBY:
		return "a word or its neighbours";
	default:
		return "";
	}
}

/* "5,300 reads a transaction", of the transaction in the way; "": not known, or few. */
static char *reads_text(const struct ranking_search *search, const struct ranking_row *row)
{
	enum { MANY = 100 };
	const struct ranking_length *length = &search->lengths[row->place];
	bool is_known = row->kind == RANKING_TRANSACTION && length->reads_known > 0;
	double reads = is_known ? length->reads / length->reads_known : 0;
	return reads >= MANY ? memory_format("%s reads a transaction", number_count(estimate_whole(reads)).text)
			     : memory_text("");
}

void ranking_set_data(const struct ranking_search *search, struct ranking_row *row)
{
	struct slots *slots = memory_zeroed(1, sizeof *slots);
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		bool is_of_row = ranking_is_of(search, i, row);
		slots->all_ns += is_of_row ? search->losses[i].ns : 0;
		if (!is_of_row || search->losses[i].how != RANKING_CONFLICT)
			continue;
		slots->ns += search->losses[i].ns;
		slots->count += search->recording->entries[i].count;
		add_object_slots(search, slots, i);
	}
	part_neighbours(search, slots);
	row->data = are_enough(search, row, slots) ? object_kind(slots) : RANKING_DATA_KINDS;
	bool is_of_pair = row->data == RANKING_NEIGHBOURS || row->data == RANKING_ALIAS;
	if (row->data == RANKING_DATA_KINDS)
		slots->len = 0;
	char *objects = row->data == RANKING_DATA_KINDS ? memory_text("")
			: is_of_pair                    ? pair_text(search, slots, row)
							: list_objects(search, slots, row);
	/* The kind stands first: where the line is too long, its end is cut. */
	char *kind = joined_objects(data_share_text(slots), memory_text(relation_text(search, row->data)));
	char *conflicts = memory_format("%s%s%s", kind, kind[0] != '\0' ? ": " : "", objects);
	row->data_text = joined_objects(conflicts, reads_text(search, row));
	memory_free(kind);
	memory_free(objects);
	memory_free(slots);
}
