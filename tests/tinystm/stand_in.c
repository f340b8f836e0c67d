/* SPDX-License-Identifier: MIT
 * Makes no transactions; but calls the module as TinySTM does, and raises the same counters. */
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

#include <atomic_ops.h>

#define REASONS 16
#define SLOTS 7
#define WRITE_SET 4096u

struct stm_tx {
	volatile AO_t specific[SLOTS];
	unsigned aborts[REASONS];
	unsigned write_set_size;
	unsigned written;
	int nesting;
};

struct module {
	void (*on_thread_init)(void *);
	void (*on_thread_exit)(void *);
	void (*on_start)(void *);
	void (*on_precommit)(void *);
	void (*on_commit)(void *);
	void (*on_abort)(void *);
	void *arg;
};

struct stand_in_build stand_in_build = {true, "SUICIDE", SLOTS, SLOTS};

static struct module modules[SLOTS];
static int module_count, specific_count;
static __thread struct stm_tx *self;

/* Each key is used once: other threads may read the data at any time. */
static struct stm_tx descriptors[256];
static volatile AO_t descriptor_count;

int stand_in_modules(void)
{
	return module_count;
}

struct stm_tx *stand_in_self(void)
{
	return self;
}

/* ---- the public interface ---- */

void stm_init(void)
{
}

int stm_register(void (*on_thread_init)(void *), void (*on_thread_exit)(void *), void (*on_start)(void *),
	void (*on_precommit)(void *), void (*on_commit)(void *), void (*on_abort)(void *), void *arg)
{
	if (module_count == stand_in_build.module_slots)
		return 0;
	modules[module_count++] =
		(struct module){on_thread_init, on_thread_exit, on_start, on_precommit, on_commit, on_abort, arg};
	return 1;
}

#define CALL(callback)                                               \
	do {                                                         \
		for (int m = 0; m < module_count; m++)               \
			if (modules[m].callback != NULL)             \
				modules[m].callback(modules[m].arg); \
	} while (0)

struct stm_tx *stm_init_thread(void)
{
	size_t place = AO_fetch_and_add1(&descriptor_count);
	if (place == sizeof descriptors / sizeof *descriptors)
		abort();
	self = &descriptors[place];
	self->write_set_size = WRITE_SET;
	CALL(on_thread_init);
	return self;
}

void stm_exit_thread(void)
{
	if (self == NULL)
		return;
	CALL(on_thread_exit);
	self = NULL;
}

int stm_create_specific(void)
{
	return specific_count < stand_in_build.specific_slots ? specific_count++ : -1;
}

void stm_set_specific_tx(struct stm_tx *tx, int key, void *data)
{
	AO_store(&tx->specific[key], (AO_t)data);
}

void *stm_get_specific_tx(struct stm_tx *tx, int key)
{
	return (void *)AO_load(&tx->specific[key]);
}

void stm_set_specific(int key, void *data)
{
	stm_set_specific_tx(self, key, data);
}

void *stm_get_specific(int key)
{
	return stm_get_specific_tx(self, key);
}

static bool is_one(const char *name, const char *wanted, unsigned from, unsigned *to)
{
	if (strcmp(name, wanted) != 0)
		return false;
	*to = from;
	return true;
}

int stm_get_stats(const char *name, void *value)
{
	unsigned *to = value;
	const unsigned *aborts = self->aborts;
	if (is_one(name, "write_set_size", self->write_set_size, to) ||
		is_one(name, "write_set_nb_entries", self->written, to))
		return 1;
	return stand_in_build.counts_aborts &&
	       (is_one(name, "nb_aborts_locked_read", aborts[STAND_IN_WR_CONFLICT], to) ||
		       is_one(name, "nb_aborts_locked_write", aborts[STAND_IN_WW_CONFLICT], to) ||
		       is_one(name, "nb_aborts_validate_read", aborts[STAND_IN_VAL_READ], to) ||
		       is_one(name, "nb_aborts_validate_write", aborts[STAND_IN_VAL_WRITE], to) ||
		       is_one(name, "nb_aborts_validate_commit", aborts[STAND_IN_VALIDATE], to) ||
		       is_one(name, "nb_aborts_killed", aborts[STAND_IN_KILLED], to) ||
		       is_one(name, "nb_aborts_invalid_memory", aborts[STAND_IN_SIGNAL], to));
}

int stm_get_parameter(const char *name, void *value)
{
	if (strcmp(name, "contention_manager") != 0)
		return 0;
	*(const char **)value = stand_in_build.contention;
	return 1;
}

/* ---- what it is told to do ---- */

__attribute__((noinline)) static void roll_back(enum stand_in_reason reason)
{
	self->aborts[reason]++;
	if (reason == STAND_IN_EXTEND_WS) {
		self->written = self->write_set_size;
		self->write_set_size *= 2;
	}
	self->nesting = 1;
	CALL(on_abort);
	self->written = 0;
}

void stand_in_start(void)
{
	if (self->nesting++ == 0)
		CALL(on_start);
}

void stand_in_set_writes(unsigned size, unsigned len)
{
	self->write_set_size = size;
	self->written = len;
}

void stand_in_abort(enum stand_in_reason reason)
{
	roll_back(reason);
	self->written = 1; /* and no call in the tail: this is a frame of its own */
}

void stand_in_give_up(enum stand_in_reason reason)
{
	roll_back(reason);
	self->nesting = 0;
}

void stand_in_fail_commit(enum stand_in_reason reason)
{
	CALL(on_precommit);
	roll_back(reason);
	self->written = 1;
}

void stand_in_commit(void)
{
	if (--self->nesting > 0)
		return;
	CALL(on_precommit);
	CALL(on_commit);
}
