/* SPDX-License-Identifier: MIT
 * The labels, by text, and the pieces of memory that have them, in a skip list by address (Pugh, "Skip lists: a
 * probabilistic alternative to balanced trees", 1990).
 *
 * One thread at a time changes the list, under a lock. After each of its stores the list can be walked, and pieces are
 * never freed. But a piece may become that of other bytes while another thread walks over it. So `version` is odd
 * during a change, and higher after it: a walk is right if the version is the same before and behind it. All stores of
 * a change are releases, and all loads of a walk acquires: a walk that sees a store sees the odd version, too. */
#include "labels.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <stmlog/format.h>
#include <stmlog/label.h>

#include "check.h"
#include "locks.h"
#include "mem.h"

_Static_assert(sizeof(struct stmlog_label_record) == 160, "the format's records have no hidden padding");

enum { LEVELS = 8 }; /* a quarter of the pieces of a level is in the next one */

/* The text stays once the label is counted in `len`. */
struct label {
	volatile AO_t count, estimated_ns; /* of losses whose object has the label */
	volatile AO_t is_met;              /* by one of them, or one in which the other's object has it */
	uint32_t next;                     /* in the chain of its hash: 1 + number; 0: none */
	char text[sizeof((struct stmlog_label_record *)NULL)->text];
};

/* The low bits of a piece's label: it was removed; a loss has come since. */
enum { REMOVED = 1, STRAY = 2, BITS = REMOVED | STRAY };

/* Invariants: start < end; linked pieces do not overlap; next[level] is 0 unless the piece is linked in that level. */
struct piece {
	volatile AO_t start, end;
	volatile AO_t label; /* struct label *, and bits */
	volatile AO_t next[LEVELS];
	struct piece *unused;
};

struct table {
	uint32_t chains[LABELS_MAX]; /* 1 + number of a label; 0: none */
	struct label labels[LABELS_MAX];
	struct piece pieces[LABELS_MAX];
};

volatile AO_t labels_table; /* struct table * */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile AO_t version, len, lost;
static struct piece head;    /* before all others */
static struct piece *unused; /* pieces that were unlinked */
static size_t used;          /* pieces that were ever linked */
static size_t linked, removed;

static struct table *table_now(void)
{
	return (struct table *)AO_load_acquire(&labels_table); /* partner: mem_table_first() */
}

static struct label *label_in(AO_t word)
{
	return (struct label *)(word & ~(AO_t)BITS);
}

/* ---- the list ---- */

static struct piece *next_of(const struct piece *piece, int level)
{
	return (struct piece *)AO_load_acquire(&piece->next[level]);
}

/* The last piece that begins at or below the address; &head: none. `before`: the last ones of all levels, or NULL. */
static struct piece *piece_find(uintptr_t address, struct piece *before[LEVELS])
{
	struct piece *at = &head, *next;
	for (int level = LEVELS - 1; level >= 0; level--) {
		while ((next = next_of(at, level)) != NULL && AO_load_acquire(&next->start) <= address)
			at = next;
		if (before != NULL)
			before[level] = at;
	}
	return at;
}

/* As if at random a fourth of the pieces is in one level more, and a 16th in two. The lowest level comes first. */
static void link_piece(struct piece *piece, uintptr_t start, uintptr_t end, AO_t label)
{
	static uint64_t calls;
	struct piece *before[LEVELS];
	uint32_t random = (uint32_t)(++calls * 0x9e3779b97f4a7c15u >> 32);
	int levels = 1 + __builtin_ctz(random | 1u << 2 * (LEVELS - 1)) / 2;
	REQUIRES(start < end);
	AO_store_release(&piece->start, start);
	AO_store_release(&piece->end, end);
	AO_store_release(&piece->label, label);
	piece_find(start, before);
	for (int level = 0; level < levels; level++) {
		AO_store_release(&piece->next[level], AO_load(&before[level]->next[level]));
		AO_store_release(&before[level]->next[level], (AO_t)piece);
	}
	linked++;
	removed += label & REMOVED;
}

static void unlink_piece(struct piece *piece)
{
	struct piece *before[LEVELS];
	piece_find(piece->start - 1, before);
	for (int level = LEVELS - 1; level >= 0; level--) {
		if (next_of(before[level], level) == piece)
			AO_store_release(&before[level]->next[level], AO_load(&piece->next[level]));
		AO_store_release(&piece->next[level], 0);
	}
	linked--;
	removed -= piece->label & REMOVED;
	piece->unused = unused;
	unused = piece;
}

/* NULL: all are linked. */
static struct piece *new_piece(void)
{
	struct piece *piece = unused;
	if (piece != NULL)
		unused = piece->unused;
	else if (used < LABELS_MAX)
		piece = &table_now()->pieces[used++];
	return piece;
}

/* Forgets all pieces that have lost their labels. */
static void sweep(void)
{
	for (struct piece *piece = next_of(&head, 0), *next; piece != NULL; piece = next) {
		next = next_of(piece, 0);
		if ((piece->label & REMOVED) != 0)
			unlink_piece(piece);
	}
}

/* ---- pieces get labels and lose them ---- */

/* Leaves of the piece the bytes outside of these: the first ones, the last ones, or both. Without any the piece ends;
 * but a removal leaves it, so that its label is known. */
static void cut(struct piece *piece, uintptr_t start, uintptr_t end, bool is_removal)
{
	uintptr_t from = piece->start, to = piece->end;
	bool is_around = from < start && to > end;
	struct piece *rest = is_around ? new_piece() : NULL;
	if (rest != NULL)
		link_piece(rest, end, to, piece->label);
	else if (is_around)
		AO_fetch_and_add1(&lost);
	if (from < start) {
		AO_store_release(&piece->end, start);
	} else if (to > end) {
		AO_store_release(&piece->start, end);
	} else if (!is_removal) {
		unlink_piece(piece);
	} else {
		removed += (piece->label & REMOVED) == 0;
		AO_store_release(&piece->label, piece->label | REMOVED);
	}
}

static void clear(uintptr_t start, uintptr_t end, bool is_removal)
{
	struct piece *piece = piece_find(start, NULL), *next;
	if (piece == &head)
		piece = next_of(&head, 0);
	for (; piece != NULL && piece->start < end; piece = next) {
		next = next_of(piece, 0);
		if (piece->end > start)
			cut(piece, start, end, is_removal);
	}
}

/* FNV-1a. */
static uint32_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return (uint32_t)(hash ^ hash >> 32) % LABELS_MAX;
}

/* A new one if there is none yet; NULL: no room. It is counted before it is in a chain, which a forked child may lack.
 */
static struct label *label_of(const char *whole)
{
	struct table *table = table_now();
	char text[sizeof table->labels->text] = "";
	memcpy(text, whole, strnlen(whole, sizeof text - 1));
	uint32_t *chain = &table->chains[hash_of(text)];
	for (uint32_t number = *chain; number != 0; number = table->labels[number - 1].next)
		if (strcmp(table->labels[number - 1].text, text) == 0)
			return &table->labels[number - 1];
	size_t number = AO_load(&len);
	if (number == LABELS_MAX)
		return NULL;
	struct label *label = &table->labels[number];
	memcpy(label->text, text, sizeof text);
	label->next = *chain;
	AO_store_release(&len, number + 1); /* partner: labels_copy() */
	*(volatile uint32_t *)chain = (uint32_t)number + 1;
	return label;
}

/* Returns false if there is no room. */
static bool set(uintptr_t start, uintptr_t end, struct label *label)
{
	struct piece *piece = piece_find(start, NULL);
	if (piece->start == start && piece->end == end && piece->label == (AO_t)label)
		return true; /* an attempt that is made again */
	if (linked + 2 > LABELS_MAX && removed > 0)
		sweep();
	piece = new_piece();
	if (piece == NULL)
		return false;
	clear(start, end, false);
	link_piece(piece, start, end, (AO_t)label);
	return true;
}

/* `text` NULL: removes labels. `size` 0: of the piece at the address, if there is one. */
static void change(uintptr_t start, size_t size, const char *text)
{
	struct label *label = text != NULL ? label_of(text) : NULL;
	const struct piece *piece = piece_find(start, NULL);
	uintptr_t end = size < UINTPTR_MAX - start ? start + size : UINTPTR_MAX;
	if (size == 0 && piece->end > start) {
		start = piece->start;
		end = piece->end;
	}
	AO_store(&version, AO_load(&version) + 1);
	if (text == NULL)
		clear(start, end, true);
	else if (label == NULL || !set(start, end, label))
		AO_fetch_and_add1(&lost);
	AO_store_release(&version, AO_load(&version) + 1);
}

/* In a forked child: another thread may have held the lock. The list is in order; a piece may lack some levels. */
static void begin_anew(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	AO_store(&version, 0);
	AO_store(&lost, 0);
}

void stmlog_label_on(const void *address, size_t size, const char *text)
{
	int saved = errno;
	bool is_removal = size == 0 || text == NULL || text[0] == '\0';
	if (address == NULL || (is_removal && !labels_are_there()))
		return;
	forks_watch(FORKS_LABELS, begin_anew);
	forks_look(FORKS_LABELS);
	if (mem_table(&labels_table, sizeof(struct table)) != NULL) {
		locks_lock(&lock);
		change((uintptr_t)address, size, is_removal ? NULL : text);
		locks_unlock(&lock);
	} else {
		AO_fetch_and_add1(&lost);
	}
	errno = saved;
}

/* ---- losses ---- */

/* The piece's label with its bits; 0: none. *at is the piece. */
static AO_t label_at(uintptr_t object, struct piece **at)
{
	enum { TRIES = 100 };
	for (int tries = 0; tries < TRIES; tries++) {
		AO_t before = AO_load_acquire(&version); /* partner: change() */
		struct piece *piece = *at = before % 2 == 0 ? piece_find(object, NULL) : &head;
		AO_t label = object < AO_load_acquire(&piece->end) ? AO_load_acquire(&piece->label) : 0;
		if (before % 2 == 0 && AO_load_acquire(&version) == before)
			return label;
	}
	AO_fetch_and_add1(&lost);
	return 0;
}

/* The label that the data have. NULL: none. */
static struct label *met_label(uintptr_t object)
{
	struct piece *piece;
	AO_t found = object != 0 ? label_at(object, &piece) : 0;
	if ((found & BITS) == REMOVED)
		AO_compare_and_swap_full(&piece->label, found, found | STRAY);
	if (found == 0 || (found & BITS) != 0)
		return NULL;
	if (AO_load(&label_in(found)->is_met) == 0)
		AO_store(&label_in(found)->is_met, 1);
	return label_in(found);
}

void labels_add(const struct stmlog_loss *loss, uint64_t ns, uint32_t extra)
{
	REQUIRES(labels_are_there());
	struct label *label = met_label(loss->object);
	met_label(loss->other_object);
	if (label == NULL)
		return;
	AO_fetch_and_add1(&label->count);
	AO_fetch_and_add(&label->estimated_ns, ns * (1 + (uint64_t)extra));
}

void labels_forget_losses(void)
{
	for (size_t i = 0; i < AO_load_acquire(&len); i++) {
		struct label *label = &table_now()->labels[i];
		AO_store(&label->count, 0);
		AO_store(&label->estimated_ns, 0);
		AO_store(&label->is_met, 0);
	}
}

/* ---- for outputs ---- */

const char *labels_text(uintptr_t object)
{
	struct piece *piece;
	AO_t found = labels_are_there() && object != 0 ? label_at(object, &piece) : 0;
	return found != 0 && (found & STRAY) == 0 ? label_in(found)->text : NULL;
}

/* `size` 0: the losses of the label. */
static void label_copy(struct buffer *records, const struct label *label, uintptr_t address, size_t size)
{
	struct stmlog_label_record record = {.address = address, .size = size};
	record.count = size == 0 ? AO_load(&label->count) : 0;
	record.estimated_ns = size == 0 ? AO_load(&label->estimated_ns) : 0;
	memcpy(record.text, label->text, sizeof record.text);
	buffer_append(records, &record, sizeof record);
}

void labels_copy(struct buffer *records)
{
	for (size_t i = 0; i < AO_load_acquire(&len); i++) /* partner: label_of() */
		if (AO_load(&table_now()->labels[i].count) != 0)
			label_copy(records, &table_now()->labels[i], 0, 0);
	locks_lock(&lock);
	for (struct piece *piece = next_of(&head, 0); piece != NULL; piece = next_of(piece, 0))
		if ((piece->label & REMOVED) == 0 && AO_load(&label_in(piece->label)->is_met) != 0)
			label_copy(records, label_in(piece->label), piece->start, piece->end - piece->start);
	locks_unlock(&lock);
}

uint64_t labels_lost(void)
{
	return AO_load(&lost);
}
