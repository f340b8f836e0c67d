/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "symbols.h"

/* ---- one tail call ---- */

/* The address behind the only jump from the function to another; 0: there is none, or there are several. */
static uint64_t behind_jump(const struct code *code, const struct code_function *from, uint64_t to)
{
	uint64_t found = 0, at = from->start;
	while (at < from->end) {
		struct instruction step = code_at(code, at);
		bool is_call = step.kind == INSTRUCTION_CALL || step.kind == INSTRUCTION_CALL_SLOT;
		bool is_jump = !is_call && code_target(code, &step) == to;
		if (step.kind == INSTRUCTION_UNKNOWN || (is_jump && found != 0))
			return 0;
		at += step.len;
		found = is_jump ? at : found;
	}
	return found;
}

uint64_t tail_call_find(const struct code *code, uint64_t returned, uint64_t below, uint64_t *jumped)
{
	struct instruction call = code_call_before(code, returned);
	uint64_t target = code_target(code, &call);
	if (target == 0)
		return 0;
	struct code_function left = code_function(code, target);
	if (left.name == NULL || left.start != target || (left.start <= below && below < left.end))
		return 0;
	struct code_function stands = code_function(code, below);
	if (stands.name == NULL || code_are_parts(&left, &stands))
		return 0;
	*jumped = behind_jump(code, &left, stands.start);
	return target;
}

/* ---- the frames of a recording ---- */

/* The same two sites follow each other in many tracebacks: their code is looked at once. */

/* Two sites that follow each other, and the one between them; STMLOG_NO_SITE: nothing has left the stack there. The
 * outer one may be a begin that is no frame of its own. */
struct pair {
	uint32_t below, left;
	bool is_begin;
	struct pair *next;
};

struct adder {
	struct symbols *symbols;
	const struct recording *recording;
	bool has_begins;     /* that are kept beside a traceback */
	struct pair **pairs; /* by the outer site: a list */
	struct stmlog_site_record *added;
	size_t added_count, added_cap;
	uint32_t *words; /* of the new tracebacks */
	size_t len, cap;
};

/* Returns the number of the site. */
static uint32_t add_site(struct adder *adder, uint32_t module, uint64_t position, uint32_t last_line)
{
	adder->added = memory_grown(adder->added, adder->added_count, &adder->added_cap, sizeof *adder->added);
	adder->added[adder->added_count] = (struct stmlog_site_record){
		.kind = STMLOG_SITE_ADDRESS, .module = module, .position = position, .last_line = last_line};
	return (uint32_t)(adder->recording->site_count + adder->added_count++);
}

/* The return address that the site stands for, in the file of its module. */
static uint64_t returned(const struct adder *adder, const struct code *code, const struct stmlog_site_record *site)
{
	return symbols_moved(adder->symbols, site->module, site->position) - code->bias;
}

static void look_between(struct adder *adder, uint32_t site, struct pair *pair)
{
	const struct stmlog_site_record *sites = adder->recording->sites, *outer = &sites[site],
					*inner = &sites[pair->below];
	struct module *module = symbols_module_of(adder->symbols, outer);
	struct code code;
	uint64_t jumped;
	if (module == NULL || symbols_is_c_library(module) || module != symbols_module_of(adder->symbols, inner) ||
		!code_open(&code, module->elf))
		return;
	uint64_t at = returned(adder, &code, outer), stands = returned(adder, &code, inner) - 1;
	if (itm_begins_before(&code, at)) {
		pair->is_begin = code_is_one_function(&code, at - 1, stands);
		return;
	}
	uint64_t left = tail_call_find(&code, at, stands, &jumped);
	uint32_t number = adder->symbols->first[outer->module];
	if (left != 0)
		pair->left = jumped != 0 ? add_site(adder, number, code.bias + jumped, 0)
					 : add_site(adder, number, code.bias + left + 1, TAIL_FRAMES_FUNCTION);
}

static const struct pair *pair_of(struct adder *adder, uint32_t site, uint32_t below)
{
	struct pair **at = &adder->pairs[site];
	while (*at != NULL && (*at)->below != below)
		at = &(*at)->next;
	if (*at == NULL) {
		*at = memory_zeroed(1, sizeof **at);
		**at = (struct pair){.below = below, .left = STMLOG_NO_SITE};
		look_between(adder, site, *at);
	}
	return *at;
}

static void adder_put(struct adder *adder, uint32_t word)
{
	adder->words = memory_grown(adder->words, adder->len, &adder->cap, sizeof *adder->words);
	adder->words[adder->len++] = word;
}

/* Returns where the new traceback begins. */
static size_t copy_traceback(struct adder *adder, size_t traceback)
{
	const uint32_t *words = adder->recording->traceback_words + adder->recording->traceback_at[traceback];
	size_t begin = adder->len;
	const uint32_t *sites = words + 2;
	bool is_marked = (words[1] & STMLOG_TRACEBACK_BEGIN) != 0;
	adder_put(adder, words[0]);
	adder_put(adder, words[1] & ~STMLOG_TRACEBACK_BEGIN);
	for (uint32_t i = 0; i < words[0]; i++) {
		const struct pair *pair = i > 0 ? pair_of(adder, sites[i], sites[i - 1]) : NULL;
		if (pair != NULL && pair->left != STMLOG_NO_SITE)
			adder_put(adder, pair->left);
		bool is_begin = i == 1 && (is_marked || pair->is_begin);
		adder->has_begins |= is_begin;
		if (is_begin)
			adder->recording->traceback_begin[traceback] = sites[i] + 1;
		else
			adder_put(adder, sites[i]);
	}
	adder->words[begin] = (uint32_t)(adder->len - begin - 2);
	return begin;
}

/* The recording gets arrays of its own instead of those of its file. */
static void replace(struct adder *adder, struct recording *recording, const size_t *begins)
{
	size_t count = recording->site_count + adder->added_count;
	struct stmlog_site_record *sites = memory_zeroed(count, sizeof *sites);
	memcpy(sites, recording->sites, recording->site_count * sizeof *sites);
	if (adder->added_count != 0)
		memcpy(sites + recording->site_count, adder->added, adder->added_count * sizeof *sites);
	memcpy(recording->traceback_at, begins, recording->traceback_count * sizeof *begins);
	free(recording->own_sites);
	free(recording->own_words);
	recording->sites = recording->own_sites = sites;
	recording->traceback_words = recording->own_words = adder->words;
	recording->site_count = count;
	adder->words = NULL;
}

void tail_frames_add(struct symbols *symbols, struct recording *recording)
{
	REQUIRES(symbols->sites == NULL);
	size_t count = recording->traceback_count, site_count = recording->site_count;
	if (recording_is_haskell(recording) || recording->module_count == 0 || count == 0)
		return;
	struct adder adder = {
		.symbols = symbols, .recording = recording, .pairs = memory_zeroed(site_count, sizeof *adder.pairs)};
	size_t *begins = memory_zeroed(count, sizeof *begins);
	for (size_t i = 0; i < count; i++)
		begins[i] = copy_traceback(&adder, i);
	if (adder.added_count != 0 || adder.has_begins)
		replace(&adder, recording, begins);
	for (size_t i = 0; i < site_count; i++)
		for (struct pair *pair = adder.pairs[i], *next; pair != NULL; pair = next) {
			next = pair->next;
			free(pair);
		}
	free(adder.pairs);
	free(adder.added);
	free(adder.words);
	free(begins);
}
