/* SPDX-License-Identifier: MIT
 * A table of labels, a table of TVars with numbers, and what follows TVars through collections. */
#include "tvars.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "capability.h"
#include "lane.h"
#include "real.h"
#include "requires.h"

/* ---- labels ----
 *
 * A table by the addresses of TVars. The label of a TVar that has died makes room for another one.
 */

static pthread_mutex_t labels_lock = PTHREAD_MUTEX_INITIALIZER;
static struct label {
	uintptr_t tvar; /* 0: none, or it has died */
	char text[LABEL_BYTES];
} labels[LABELS_MAX];
static size_t labels_len; /* [0, labels_len) were set once */

static struct label *label_of(uintptr_t tvar)
{
	for (size_t i = 0; i < labels_len; i++)
		if (labels[i].tvar == tvar)
			return &labels[i];
	return NULL;
}

/* NULL: there is no room. */
static struct label *find_free_label(void)
{
	struct label *dead = label_of(0);
	if (dead != NULL)
		return dead;
	return labels_len < LABELS_MAX ? &labels[labels_len++] : NULL;
}

void labels_set(uintptr_t tvar, const char *text)
{
	pthread_mutex_lock(&labels_lock);
	struct label *label = label_of(tvar);
	if (label == NULL)
		label = find_free_label();
	if (label != NULL) {
		*label = (struct label){.tvar = tvar};
		memcpy(label->text, text, strnlen(text, LABEL_BYTES - 1));
	}
	pthread_mutex_unlock(&labels_lock);
}

bool labels_find(uintptr_t tvar, char text[LABEL_BYTES])
{
	pthread_mutex_lock(&labels_lock);
	const struct label *label = label_of(tvar);
	memset(text, 0, LABEL_BYTES);
	if (label != NULL)
		memcpy(text, label->text, LABEL_BYTES);
	pthread_mutex_unlock(&labels_lock);
	return label != NULL;
}

void labels_visit(void (*visit)(void *arg, uintptr_t *tvar), void *arg)
{
	pthread_mutex_lock(&labels_lock);
	for (size_t i = 0; i < labels_len; i++)
		if (labels[i].tvar != 0)
			visit(arg, &labels[i].tvar);
	pthread_mutex_unlock(&labels_lock);
}

void labels_after_fork(void)
{
	/* C may fork while another OS thread holds it; a label may be cut off. */
	pthread_mutex_init(&labels_lock, NULL);
}

/* ---- numbers ---- */

#define KIND_BYTES 96

struct object {
	uintptr_t tvar;       /* 0: it has died */
	uintptr_t created_at; /* creation_of() */
	uint64_t woke;        /* its latest version that has caused a futile wake */
	char label[LABEL_BYTES];
	char kind[KIND_BYTES]; /* the constructor of its value when it was first found evaluated; "": not known */
};

static pthread_mutex_t objects_lock = PTHREAD_MUTEX_INITIALIZER;
static struct object objects[OBJECTS_MAX];
static size_t objects_len;

static size_t object_find(const struct hs_tvar *tvar)
{
	size_t index = 0;
	while (index < objects_len && objects[index].tvar != (uintptr_t)tvar)
		index++;
	return index;
}

static void object_find_kind(struct object *object, const struct hs_tvar *tvar)
{
	const char *kind = hs_constructor(hs_target(tvar->value)->info);
	if (kind != NULL)
		memcpy(object->kind, kind, strnlen(kind, KIND_BYTES - 1));
}

/* Requires that there is room. */
static void object_add(const struct hs_tvar *tvar)
{
	REQUIRES(objects_len < OBJECTS_MAX);
	struct object *object = &objects[objects_len++];
	*object = (struct object){.tvar = (uintptr_t)tvar, .created_at = creation_of(tvar)};
	labels_find((uintptr_t)tvar, object->label);
}

void objects_label(const struct hs_tvar *tvar, const char *label)
{
	labels_set((uintptr_t)tvar, label);
	pthread_mutex_lock(&objects_lock);
	size_t index = object_find(tvar);
	if (index < objects_len)
		labels_find((uintptr_t)tvar, objects[index].label);
	pthread_mutex_unlock(&objects_lock);
}

uintptr_t objects_number(const struct hs_tvar *tvar)
{
	pthread_mutex_lock(&objects_lock);
	size_t index = object_find(tvar);
	if (index == objects_len && objects_len < OBJECTS_MAX)
		object_add(tvar);
	if (index < objects_len && objects[index].kind[0] == '\0')
		object_find_kind(&objects[index], tvar);
	uintptr_t number = index < objects_len ? index + 1 : 0;
	pthread_mutex_unlock(&objects_lock);
	return number;
}

bool objects_has_woken(uintptr_t number, uint64_t version)
{
	if (number == 0)
		return false;
	pthread_mutex_lock(&objects_lock);
	REQUIRES(number <= objects_len);
	bool has_woken = objects[number - 1].woke == version;
	objects[number - 1].woke = version;
	pthread_mutex_unlock(&objects_lock);
	return has_woken;
}

bool objects_name(uintptr_t place, char *name, size_t size, void *arg)
{
	(void)arg;
	uintptr_t number = place / objects_place(1);
	pthread_mutex_lock(&objects_lock);
	bool is_known = number != 0 && number <= objects_len;
	if (is_known) {
		const struct object *object = &objects[number - 1];
		bool has_label = object->label[0] != '\0';
		snprintf(name, size, "%s%sTVar #%u%s%s%s", object->label, has_label ? " (" : "", (unsigned)number,
			object->kind[0] != '\0' ? " of " : "", object->kind, has_label ? ")" : "");
	}
	pthread_mutex_unlock(&objects_lock);
	return is_known;
}

static uintptr_t object_created_at(uintptr_t number)
{
	pthread_mutex_lock(&objects_lock);
	uintptr_t code = number != 0 && number <= objects_len ? objects[number - 1].created_at : 0;
	pthread_mutex_unlock(&objects_lock);
	return code;
}

bool objects_find_block(uintptr_t place, struct stmlog_block *block, void *arg)
{
	(void)arg;
	uintptr_t code = object_created_at(place / objects_place(1));
	if (code == 0)
		return false;
	block->start = place;
	block->size = objects_place(1);
	block->is_freed = false;
	block->allocated.len = 1;
	block->allocated.is_whole = false;
	block->allocated.sites[0] = tb_site_make(TB_CODE_ADDRESS, code + 1);
	return true;
}

void objects_visit(void (*visit)(void *arg, uintptr_t *tvar), void *arg)
{
	pthread_mutex_lock(&objects_lock);
	for (size_t i = 0; i < objects_len; i++)
		if (objects[i].tvar != 0)
			visit(arg, &objects[i].tvar);
	pthread_mutex_unlock(&objects_lock);
}

void objects_after_fork(void)
{
	/* C may fork while another OS thread holds it; an object may lack its name. */
	pthread_mutex_init(&objects_lock, NULL);
}

/* ---- collections ----
 *
 * TVars are followed of attempts under way, of the commits that may be their culprits, and those that have numbers or
 * labels. No other is kept alive, and no other is looked at.
 */

/* What is called once for each slot that holds the address of a TVar; it has the form of the compactor's function.
 * Slots that hold 0 are left out. */
struct visitor {
	void (*visit)(void *user, uintptr_t *slot);
	void *user;
};

static void visit_records(struct ghc_lane *lane, void *arg)
{
	const struct visitor *visitor = arg;
	lane->stack.len = 0; /* it has addresses of closures */
	if (lane->wake.tvar != 0)
		visitor->visit(visitor->user, &lane->wake.tvar);
	for (uint32_t i = 0; i < lane->records.len; i++)
		if (lane->records.at[i].tvar != 0)
			visitor->visit(visitor->user, &lane->records.at[i].tvar);
}

static void find_oldest(struct ghc_lane *lane, void *oldest_ns)
{
	if (lane->began_ns < *(uint64_t *)oldest_ns)
		*(uint64_t *)oldest_ns = lane->began_ns;
}

static void visit_write(struct ring_write *write, const struct visitor *visitor)
{
	uintptr_t tvar = AO_load(&write->tvar);
	if (tvar != 0)
		visitor->visit(visitor->user, (uintptr_t *)&write->tvar);
}

/* Visits what was written since the oldest attempt under way began, and forgets the commits before, from one with a
 * time stamp on: no attempt will search for them, and so each commit is followed through few collections. */
static void visit_ring(struct ring *ring, uint64_t oldest_ns, const struct visitor *visitor)
{
	AO_t head = AO_load(&ring->writes_head), kept = AO_load(&ring->head);
	for (AO_t position = head; position-- != 0 && head - position <= RING_WRITES;) {
		struct ring_write *write = &ring->writes[position % RING_WRITES];
		AO_t commit = AO_load(&write->commit);
		if (commit < AO_load(&ring->tail) || AO_load(&ring->head) - commit > RING_COMMITS ||
			AO_load(&ring->commits[commit % RING_COMMITS].stamp) < oldest_ns)
			break;
		visit_write(write, visitor);
		kept = commit;
	}
	AO_store(&ring->tail, kept);
}

static void visit_all(struct visitor visitor)
{
	uint64_t oldest_ns = UINT64_MAX;
	lanes_visit(find_oldest, &oldest_ns);
	lanes_visit(visit_records, &visitor);
	for (size_t i = 0; i < capabilities_len(); i++)
		visit_ring(&capability_at(i)->ring, oldest_ns, &visitor);
	objects_visit(visitor.visit, visitor.user);
	labels_visit(visitor.visit, visitor.user);
}

static void follow(void *unused, uintptr_t *slot)
{
	(void)unused;
	*slot = (uintptr_t)ghc_real.is_alive((struct hs_closure *)*slot);
}

volatile AO_t moves_have_just_ended;

void moves_collected(void)
{
	ghc_real.collected();
	AO_store(&moves_have_just_ended, 1);
	visit_all((struct visitor){.visit = follow});
}

/* The compactor leaves objects alone that lie where nothing is compacted. */
void moves_compacting(void (*announce)(void *user, uintptr_t *slot), void *user)
{
	ghc_real.compacting(announce, user);
	visit_all((struct visitor){announce, user});
}
