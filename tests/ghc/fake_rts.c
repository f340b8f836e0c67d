/* SPDX-License-Identifier: MIT */
#include "fake_rts.h"

#include <pthread.h>
#include <signal.h>

#include "real.h"

struct fake_script fake_script;
char **(*ghc_leaving)(char *const *environment);
void (*ghc_filtering)(long number, long first, long second);

static struct hs_trec no_trec;
static struct hs_chunk last_chunk = {.info = (uintptr_t)fake_last_chunk_info.code};

void fake_rts_open(bool is_threaded)
{
	ghc_real_find();
	fake_script = (struct fake_script){.holding = NULL};
	ghc_rts.is_threaded = is_threaded;
	ghc_rts.entry_size = sizeof(struct hs_entry) + (is_threaded ? sizeof(uint64_t) : 0);
	ghc_rts.no_trec = &no_trec;
	ghc_rts.free_trecs = FAKE_FREE_TRECS;
}

static void play(void (**scene)(void))
{
	void (*played)(void) = *scene;
	*scene = NULL;
	if (played != NULL)
		played();
}

/* ---- entries ---- */

static struct hs_chunk *add_chunk(struct hs_trec *trec, struct hs_chunk *previous)
{
	struct hs_chunk *chunk = fake_take(sizeof *chunk + HS_CHUNK_ENTRIES * ghc_rts.entry_size);
	chunk->info = fake_info(&fake_chunk_info);
	chunk->previous = previous;
	trec->chunk = chunk;
	return chunk;
}

static struct hs_entry *add_entry(struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t expected, uintptr_t value)
{
	struct hs_chunk *chunk = trec->chunk;
	if (chunk->len == HS_CHUNK_ENTRIES)
		chunk = add_chunk(trec, chunk);
	struct hs_entry *entry = hs_entry_at(chunk, chunk->len++);
	*entry = (struct hs_entry){tvar, expected, value};
	return entry;
}

/* Calls the function for each entry, the latest chunk first, until it returns false. Returns whether it never did. */
static bool each(struct hs_trec *trec, bool (*act)(struct hs_trec *, struct hs_entry *, void *), void *arg)
{
	for (struct hs_chunk *chunk = trec->chunk; chunk != &last_chunk; chunk = chunk->previous)
		for (uint64_t i = 0; i < chunk->len; i++)
			if (!act(trec, hs_entry_at(chunk, i), arg))
				return false;
	return true;
}

struct wanted {
	const struct hs_tvar *tvar;
	struct hs_entry *found;
};

static bool is_another(struct hs_trec *trec, struct hs_entry *entry, void *arg)
{
	struct wanted *wanted = arg;
	(void)trec;
	if (entry->tvar != wanted->tvar)
		return true;
	wanted->found = entry;
	return false;
}

static struct hs_entry *entry_of(struct hs_trec *trec, const struct hs_tvar *tvar)
{
	struct wanted wanted = {.tvar = tvar};
	each(trec, is_another, &wanted);
	return wanted.found;
}

/* ---- locks ---- */

/* The test's threads take turns, but the thread sanitizer knows only of atomic operations. */
static uintptr_t value_of(const struct hs_tvar *tvar)
{
	return __atomic_load_n(&tvar->value, __ATOMIC_ACQUIRE);
}

static void set(struct hs_tvar *tvar, uintptr_t value)
{
	__atomic_store_n(&tvar->value, value, __ATOMIC_RELEASE);
}

static uintptr_t unlocked_value(const struct hs_tvar *tvar, const struct hs_trec *any)
{
	for (;;) {
		uintptr_t value = value_of(tvar);
		if (!hs_is_lock(value, any))
			return value;
		assert_non_null(fake_script.spinning); /* else it would spin for ever */
		play(&fake_script.spinning);
	}
}

static bool is_as_expected(struct hs_trec *trec, struct hs_entry *entry, void *unused)
{
	(void)trec;
	(void)unused;
	return value_of(entry->tvar) == entry->expected;
}

static bool lock(struct hs_trec *trec, struct hs_entry *entry, void *unused)
{
	(void)unused;
	if (value_of(entry->tvar) != entry->expected)
		return false;
	if (entry->value != entry->expected)
		set(entry->tvar, (uintptr_t)trec);
	return true;
}

static bool unlock(struct hs_trec *trec, struct hs_entry *entry, void *unused)
{
	(void)unused;
	if (value_of(entry->tvar) == (uintptr_t)trec)
		set(entry->tvar, entry->expected);
	return true;
}

static bool store(struct hs_trec *trec, struct hs_entry *entry, void *unused)
{
	(void)unused;
	if (value_of(entry->tvar) != (uintptr_t)trec)
		return true;
	entry->tvar->updates += ghc_rts.is_threaded;
	set(entry->tvar, entry->value);
	return true;
}

/* ---- the functions ---- */

/* A TRec that was given back is taken first, with what is in its padding; in a new one anything is. Called by
 * fake_start() in haskell_call.S. */
struct hs_trec *fake_start_trec(struct hs_capability *capability, struct hs_trec *outer);
struct hs_trec *fake_start_trec(struct hs_capability *capability, struct hs_trec *outer)
{
	struct hs_trec **given = fake_free_trecs(capability), *trec = *given;
	if (trec != &no_trec) {
		*given = trec->enclosing;
	} else {
		trec = fake_take(sizeof *trec);
		trec->mark = 0xabcdef01;
	}
	trec->info = fake_info(&fake_trec_info);
	trec->enclosing = outer;
	trec->state = outer != &no_trec ? outer->state : HS_ACTIVE;
	add_chunk(trec, &last_chunk);
	return trec;
}

static void give_back(struct hs_capability *capability, struct hs_trec *trec)
{
	trec->enclosing = *fake_free_trecs(capability);
	*fake_free_trecs(capability) = trec;
}

/* The entry of the TVar in this TRec; it may be a copy of one of those around it. NULL: none has one. */
static struct hs_entry *entry_within(struct hs_trec *trec, struct hs_tvar *tvar)
{
	struct hs_entry *own = entry_of(trec, tvar);
	if (own != NULL || trec->enclosing == &no_trec)
		return own;
	const struct hs_entry *outer = entry_within(trec->enclosing, tvar);
	return outer != NULL ? add_entry(trec, tvar, outer->expected, outer->value) : NULL;
}

static uintptr_t read_tvar(struct hs_capability *capability, struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t a)
{
	const struct hs_entry *entry = entry_within(trec, tvar);
	(void)capability;
	(void)a;
	if (entry != NULL)
		return entry->value;
	play(&fake_script.reading);
	uintptr_t value = unlocked_value(tvar, trec);
	play(&fake_script.has_read);
	return add_entry(trec, tvar, value, value)->value;
}

static void write_tvar(struct hs_capability *capability, struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t value)
{
	struct hs_entry *entry = entry_within(trec, tvar);
	(void)capability;
	if (entry != NULL)
		entry->value = value;
	else
		add_entry(trec, tvar, unlocked_value(tvar, trec), value);
}

static uintptr_t commit(struct hs_capability *capability, struct hs_trec *trec, uintptr_t a, uintptr_t b)
{
	bool is_lost = fake_script.is_momentary || trec->state == HS_CONDEMNED;
	(void)a;
	(void)b;
	fake_script.is_momentary = false;
	bool has_locked = !is_lost && each(trec, lock, NULL);
	if (has_locked) {
		play(&fake_script.holding);
		each(trec, store, NULL);
	} else {
		each(trec, unlock, NULL);
	}
	give_back(capability, trec);
	return has_locked;
}

static bool is_nest_valid(struct hs_trec *trec)
{
	for (; trec != &no_trec; trec = trec->enclosing)
		if (!each(trec, is_as_expected, NULL))
			return false;
	return true;
}

static bool merge(struct hs_trec *trec, struct hs_entry *entry, void *unused)
{
	(void)unused;
	write_tvar(NULL, trec->enclosing, entry->tvar, entry->value);
	return true;
}

static uintptr_t commit_nested(struct hs_capability *capability, struct hs_trec *trec, uintptr_t a, uintptr_t b)
{
	bool is_valid = is_nest_valid(trec);
	(void)a;
	(void)b;
	if (is_valid)
		each(trec, merge, NULL);
	give_back(capability, trec);
	return is_valid;
}

static uintptr_t validate(struct hs_capability *capability, struct hs_trec *trec, uintptr_t a, uintptr_t b)
{
	(void)capability;
	(void)a;
	(void)b;
	if (is_nest_valid(trec))
		return trec->state != HS_CONDEMNED;
	trec->state = HS_CONDEMNED;
	return 0;
}

static void abort_trec(struct hs_capability *capability, struct hs_trec *trec, uintptr_t a, uintptr_t b)
{
	(void)a;
	(void)b;
	give_back(capability, trec);
}

static uintptr_t wait(struct hs_capability *capability, struct hs_tso *tso, struct hs_trec *trec, uintptr_t a)
{
	(void)tso;
	(void)a;
	if (is_nest_valid(trec)) {
		for (uint64_t i = 0; i < trec->chunk->len; i++)
			fake_add_waiter(hs_entry_at(trec->chunk, i)->tvar);
		trec->state = FAKE_WAITING;
		return 1;
	}
	give_back(capability, trec);
	return 0;
}

static uintptr_t rewait(struct hs_capability *capability, struct hs_tso *tso, uintptr_t a, uintptr_t b)
{
	(void)a;
	(void)b;
	if (is_nest_valid(hs_trec(tso)))
		return 1;
	give_back(capability, hs_trec(tso));
	return 0;
}

/* The code is a function of the test. */
static void *run(void *code, void *registers)
{
	return ((void *(*)(void *))code)(registers);
}

static void collected(void)
{
}

/* Capabilities have nothing that moves. */
static void compacting(void (*announce)(void *user, uintptr_t *slot), void *user)
{
	(void)announce;
	(void)user;
}

static struct hs_closure *is_alive(struct hs_closure *closure)
{
	struct hs_tvar *tvar = (struct hs_tvar *)(void *)closure;
	return (struct hs_closure *)(void *)(fake_script.moved != NULL ? fake_script.moved(tvar) : tvar);
}

struct hs_tvar *fake_died(struct hs_tvar *tvar)
{
	(void)tvar;
	return NULL;
}

static uint8_t supports_bound_threads(void)
{
	return 1;
}

unsigned char fake_atomically_code[GHC_ATOMICALLY_BYTES] = {
	0x90, 0x49, 0x8d, 0x4d, 0xe8,             /* lea -0x18(%r13),%rcx */
	0x49, 0x8b, 0x85, 0x68, 0x03, 0x00, 0x00, /* mov 0x368(%r13),%rax */
	0x48, 0x8b, 0x40, 0x50,                   /* mov 0x50(%rax),%rax */
};

/* Not the instructions of stg_newTVarzh. */
static unsigned char new_tvar_code[64];

bool ghc_real_find(void)
{
	ghc_real = (struct ghc_real){
		.start = fake_start,
		.read = read_tvar,
		.write = write_tvar,
		.commit = commit,
		.commit_nested = commit_nested,
		.validate = validate,
		.abort = abort_trec,
		.wait = wait,
		.rewait = rewait,
		.run = run,
		.collected = collected,
		.compacting = compacting,
		.is_alive = is_alive,
		.supports_bound_threads = supports_bound_threads,
		.atomically = fake_atomically_code,
		.no_trec = &no_trec,
		.new_tvar = new_tvar_code,
	};
	return true;
}
