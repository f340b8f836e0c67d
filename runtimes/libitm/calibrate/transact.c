/* SPDX-License-Identifier: MIT
 * Makes transactions by calls of libitm's ABI. Variables that change between two returns of begin are volatile, as with
 * setjmp(). */
#include "transact.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "asm_shared.h"
#include "begin.h"

static void (*commit)(void);
static void (*cancel)(uint32_t);
static uint64_t (*load)(const uint64_t *);
static void (*store)(uint64_t *, uint64_t);

static bool look_up(void *library, const char *name, void *place)
{
	void *found = dlsym(library, name);
	memcpy(place, &found, sizeof found);
	return found != NULL;
}

bool transact_with(void *library)
{
	return look_up(library, "_ITM_beginTransaction", &transact_real_begin) &&
	       look_up(library, "_ITM_commitTransaction", &commit) &&
	       look_up(library, "_ITM_abortTransaction", &cancel) && look_up(library, "_ITM_RU8", &load) &&
	       look_up(library, "_ITM_WU8", &store);
}

const void *transact_begin_entry(void)
{
	const void *entry;
	memcpy(&entry, &transact_real_begin, sizeof entry);
	return entry;
}

__attribute__((noinline)) void transact_write(uint64_t *word, transact_callback *callback, void *argument)
{
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_HAS_NO_CANCEL);
	store(word, (uintptr_t)word);
	if (callback != NULL)
		callback(argument);
	commit();
}

__attribute__((noinline)) void transact_read(const uint64_t *word)
{
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_HAS_NO_CANCEL);
	(void)load(word);
	commit();
}

__attribute__((noinline)) void transact_irrevocable(transact_callback *callback, void *argument)
{
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_RUNS_UNINSTRUMENTED | ITM_HAS_NO_CANCEL | ITM_GOES_IRREVOCABLE);
	if (callback != NULL)
		callback(argument);
	commit();
}

__attribute__((noinline)) void transact_nested(uint64_t *word)
{
	transact_begin(ITM_RUNS_INSTRUMENTED);
	if (!(transact_begin(ITM_RUNS_INSTRUMENTED) & ITM_ABORTED)) {
		store(word, (uintptr_t)word);
		cancel(ITM_USER_ABORT);
	}
	commit();
}

/* begin may return again until commit, so each transaction stands in one function. */
__attribute__((noinline)) bool transact_read_locked(const uint64_t *word, unsigned times)
{
	volatile unsigned tries = 0;
	volatile bool is_locked = true;
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_HAS_NO_CANCEL);
	if (tries < times && is_locked) {
		tries = tries + 1;
		(void)load(word);
		is_locked = false; /* load() has returned: no restart */
	}
	commit();
	return is_locked;
}

__attribute__((noinline)) bool transact_write_locked(uint64_t *word, unsigned times)
{
	volatile unsigned tries = 0;
	volatile bool is_locked = true;
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_HAS_NO_CANCEL);
	if (tries < times && is_locked) {
		tries = tries + 1;
		store(word, 0);
		is_locked = false;
	}
	commit();
	return is_locked;
}
