/* SPDX-License-Identifier: MIT
 * Lets runtimes join and leave the session while other threads call their callbacks, if their headers fit. */
#include "runtimes.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include <stmlog/agent.h>

#include "check.h"
#include "misuse.h"
#include "modules.h"
#include "out.h"

struct runtime runtimes[STMLOG_RUNTIMES];

void runtimes_forget(void)
{
	memset(runtimes, 0, sizeof runtimes);
}

static const char *runtime_name_of(const struct stmlog_setup *setup)
{
	return setup->runtime != NULL ? setup->runtime : "";
}

/* Names are equal if their copies are. */
static bool has_name(const struct runtime *runtime, const struct stmlog_setup *setup)
{
	const char *name = runtime_name_of(setup);
	size_t len = strnlen(name, RUNTIME_NAME - 1);
	return strlen(runtime->name) == len && memcmp(runtime->name, name, len) == 0;
}

static bool has_callbacks(const struct runtime *runtime, const struct stmlog_setup *setup)
{
	const struct stmlog_setup *known = &runtime->setup;
	return known->expand == setup->expand && known->expand_arg == setup->expand_arg &&
	       known->name_object == setup->name_object && known->name_object_arg == setup->name_object_arg &&
	       known->find_block == setup->find_block && known->find_block_arg == setup->find_block_arg &&
	       known->before_report == setup->before_report && known->before_report_arg == setup->before_report_arg &&
	       known->find_open == setup->find_open && known->find_open_arg == setup->find_open_arg;
}

/* ---- places: only the thread that has moved a place's state to CHANGING may change the place ---- */

/* Returns false if the place is in another state. Waits for a thread that is changing the place, perhaps only to
 * compare it with another runtime: it holds no second place. Full barrier; partner: runtimes_enter(). */
static bool begin_change(struct runtime *runtime, enum runtime_state state)
{
	while (AO_compare_and_swap_full(&runtime->state, state, RUNTIME_CHANGING) == 0) {
		AO_t found = AO_load(&runtime->state);
		if (found != RUNTIME_CHANGING && found != (AO_t)state)
			return false;
		sched_yield();
	}
	return true;
}

/* Release: all writes to the place come before. Partner: the acquire in runtimes_enter(). */
static void end_change(struct runtime *runtime, enum runtime_state state)
{
	AO_store_release(&runtime->state, state);
}

/* After begin_change(): nobody enters any more, since the state is CHANGING; threads between runtimes_enter() and
 * runtimes_leave() leave. */
static void wait_for_callers(const struct runtime *runtime)
{
	while (AO_load_acquire(&runtime->callers) != 0)
		sched_yield();
}

/* ---- the modules that contain the callbacks ---- */

enum { CALLBACKS = 5 };
struct code {
	uintptr_t at[CALLBACKS];
	uint64_t hash;
};

/* Another module at the same address has another build id, if its linker writes build ids. */
static void add_module(const struct module *module, void *arg)
{
	struct code *code = arg;
	for (size_t i = 0; i < CALLBACKS; i++) {
		if (code->at[i] < module->start || code->at[i] >= module->end)
			continue;
		code->hash = code->hash * 31 + module->start;
		for (size_t byte = 0; byte < module->build_id_len; byte++)
			code->hash = code->hash * 31 + module->build_id[byte];
	}
}

/* 0: the runtime has no callbacks, or they are in no module, as code that the program has generated. */
static uint64_t code_of(const struct stmlog_setup *setup)
{
	struct code code = {
		.at = {(uintptr_t)setup->expand, (uintptr_t)setup->name_object, (uintptr_t)setup->find_block,
			(uintptr_t)setup->before_report, (uintptr_t)setup->find_open}};
	bool has_any = false;
	for (size_t i = 0; i < CALLBACKS; i++)
		has_any |= code.at[i] != 0;
	if (has_any)
		modules_visit(add_module, &code);
	return code.hash;
}

/* Gives a place that was taken to a runtime. */
static void fill(struct runtime *runtime, const struct stmlog_setup *setup, uint64_t code)
{
	const char *name = runtime_name_of(setup);
	size_t len = strnlen(name, RUNTIME_NAME - 1);
	wait_for_callers(runtime);
	memcpy(runtime->name, name, len);
	runtime->name[len] = '\0';
	runtime->setup = *setup;
	runtime->setup.runtime = runtime->setup.report = NULL; /* the runtime's strings may be unloaded */
	runtime->code = code;
	end_change(runtime, RUNTIME_IN);
}

/* Gives the place to the runtime if its state is `state`, and it is free or had the runtime's name. */
static bool join_at(struct runtime *runtime, enum runtime_state state, const struct stmlog_setup *setup, uint64_t code)
{
	if (!begin_change(runtime, state))
		return false;
	if (state == RUNTIME_FREE || has_name(runtime, setup)) {
		fill(runtime, setup, code);
		return true;
	}
	end_change(runtime, state);
	return false;
}

bool runtimes_has(const struct stmlog_setup *setup)
{
	for (size_t i = 0; i < STMLOG_RUNTIMES; i++) {
		const struct stmlog_setup *found = runtimes_enter(i);
		bool is_same = found != NULL && has_name(&runtimes[i], setup) && has_callbacks(&runtimes[i], setup);
		runtimes_leave(i);
		if (is_same)
			return true;
	}
	return false;
}

int runtimes_join(const struct stmlog_setup *setup)
{
	static const enum runtime_state states[] = {RUNTIME_OUT, RUNTIME_FREE};
	runtimes_part_unloaded(); /* another version of this one may have been at the same addresses */
	if (runtimes_has(setup))
		return 0;
	uint64_t code = code_of(setup);
	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < STMLOG_RUNTIMES; i++)
			if (join_at(&runtimes[i], states[s], setup, code))
				return 0;
	return -ENOSPC;
}

bool runtimes_part(const struct stmlog_setup *setup)
{
	for (size_t i = 0; i < STMLOG_RUNTIMES; i++) {
		struct runtime *runtime = &runtimes[i];
		if (!begin_change(runtime, RUNTIME_IN))
			continue;
		if (has_name(runtime, setup) && has_callbacks(runtime, setup)) {
			wait_for_callers(runtime);
			runtime->setup = (struct stmlog_setup){.runtime = NULL};
			end_change(runtime, RUNTIME_OUT);
			return true;
		}
		end_change(runtime, RUNTIME_IN);
	}
	return false;
}

/* The dynamic linker's list is locked while its modules are visited, and code that the dynamic linker runs may join or
 * leave: so no place is CHANGING meanwhile. */
void runtimes_part_unloaded(void)
{
	for (size_t i = 0; i < STMLOG_RUNTIMES; i++) {
		const struct stmlog_setup *found = runtimes_enter(i);
		struct stmlog_setup setup = found != NULL ? *found : (struct stmlog_setup){.runtime = NULL};
		uint64_t code = runtimes[i].code;
		setup.runtime = runtimes[i].name;
		runtimes_leave(i);
		if (found != NULL && code_of(&setup) != code && runtimes_part(&setup))
			misuse_count("a runtime was unloaded without stmlog_leave");
	}
}

/* How many runtimes_enter() of this thread have had no runtimes_leave() yet. */
static _Thread_local unsigned entered __attribute__((tls_model("initial-exec")));

bool runtimes_refuse_within(const char *call)
{
	if (entered != 0)
		misuse_count(call);
	return entered != 0;
}

/* The caller counts itself and then looks at the state; runtimes_part() changes the state and then looks for callers,
 * both with a full barrier in between. A place may be CHANGING for a moment because a thread compares it with another
 * runtime. */
const struct stmlog_setup *runtimes_enter(size_t place)
{
	REQUIRES(place < STMLOG_RUNTIMES);
	struct runtime *runtime = &runtimes[place];
	for (;;) {
		entered++;
		AO_fetch_and_add_full(&runtime->callers, 1);
		AO_t state = AO_load_acquire(&runtime->state);
		if (state != RUNTIME_CHANGING)
			return state == RUNTIME_IN ? &runtime->setup : NULL;
		runtimes_leave(place);
		sched_yield();
	}
}

void runtimes_leave(size_t place)
{
	REQUIRES(entered != 0 && AO_load(&runtimes[place].callers) != 0);
	AO_fetch_and_add_full(&runtimes[place].callers, (AO_t)-1);
	entered--;
}

void runtimes_fork_child(void)
{
	for (size_t i = 0; i < STMLOG_RUNTIMES; i++) {
		AO_store(&runtimes[i].callers, 0);
		if (AO_load(&runtimes[i].state) == RUNTIME_CHANGING)
			end_change(&runtimes[i], RUNTIME_OUT); /* the thread that was changing it does not exist here */
	}
}

/* ---- all runtimes ---- */

static bool is_first_of_name(size_t place)
{
	for (size_t i = 0; i < place; i++)
		if (strcmp(runtimes[i].name, runtimes[place].name) == 0)
			return false;
	return true;
}

void runtimes_names(char text[RUNTIMES_TEXT])
{
	size_t len = 0;
	text[0] = '\0';
	for (size_t i = 0; i < STMLOG_RUNTIMES; i++) {
		const char *name = runtimes[i].name;
		runtimes_enter(i); /* the name does not change meanwhile */
		if (name[0] != '\0' && is_first_of_name(i)) {
			memcpy(text + len, ", ", len != 0 ? 2 : 0);
			len += len != 0 ? 2 : 0;
			memcpy(text + len, name, strlen(name) + 1);
			len += strlen(name);
		}
		runtimes_leave(i);
	}
	if (len == 0)
		memcpy(text, "embedded", sizeof "embedded");
}

bool runtimes_find_blocks(void)
{
	bool may_find = false;
	for (size_t i = 0; i < STMLOG_RUNTIMES; i++) {
		const struct stmlog_setup *setup = runtimes_enter(i);
		may_find |= setup != NULL && setup->find_block != NULL;
		runtimes_leave(i);
	}
	return may_find;
}

/* ---- headers ---- */

bool stmlog_abi_fits(unsigned abi)
{
	char theirs[DECIMAL_SIZE], ours[DECIMAL_SIZE];
	if (abi != STMLOG_ABI)
		standard_error_tell("this program was compiled with headers of another library (ABI ",
			decimal_text(theirs, abi), ", this one has ", decimal_text(ours, STMLOG_ABI),
			"); it is not profiled: compile it again", NULL);
	return abi == STMLOG_ABI;
}
