/* SPDX-License-Identifier: MIT */
#include "fake_objects.h"

#include <stdlib.h>

_Static_assert(offsetof(struct fake_info, code) - offsetof(struct fake_info, type) == 8, "hs_type()");
_Static_assert(offsetof(struct fake_info, code) - offsetof(struct fake_info, layout) == 16, "hs_layout()");
_Static_assert(
	offsetof(struct fake_info, code) - offsetof(struct fake_info, description) == 24, "a constructor's name");

#define CAPABILITIES 256
#define STACK_WORDS 512

const struct fake_info fake_trec_info = FAKE_INFO(52, 0), fake_chunk_info = FAKE_INFO(53, 0),
		       fake_last_chunk_info = FAKE_INFO(53, 0), fake_tvar_info = FAKE_INFO(FAKE_TVAR, 0),
		       fake_tso_info = FAKE_INFO(51, 0), fake_stack_info = FAKE_INFO(54, 0),
		       fake_atomically_info = FAKE_INFO(HS_ATOMICALLY_FRAME, 2),
		       fake_catch_retry_info = FAKE_INFO(HS_CATCH_RETRY_FRAME, 3),
		       fake_catch_stm_info = FAKE_INFO(FAKE_CATCH_STM_FRAME, 2),
		       fake_stop_info = FAKE_INFO(HS_STOP_FRAME, 0),
		       fake_underflow_info = FAKE_INFO(HS_UNDERFLOW_FRAME, 1),
		       fake_update_info = FAKE_INFO(FAKE_UPDATE_FRAME, 1),
		       fake_waiter_info = FAKE_INFO(FAKE_MUTABLE, 0);
static const struct fake_info no_waiter_info = FAKE_INFO(HS_CONSTR_LAST, 0);

/* The name is found by its distance from the info's code. */
static const struct {
	struct fake_info info;
	char name[24];
} int_info = {
	.info = {.description = sizeof(struct fake_info) - offsetof(struct fake_info, code), .type = HS_CONSTR},
	.name = "ghc-prim:GHC.Types.I#",
};

/* ---- memory ---- */

struct piece {
	struct piece *next;
	char memory[] __attribute__((aligned(16)));
};

static struct piece *pieces;

void *fake_take(size_t size)
{
	struct piece *piece = calloc(1, sizeof *piece + size);
	assert_non_null(piece);
	piece->next = pieces;
	pieces = piece;
	return piece->memory;
}

void fake_objects_free(void)
{
	while (pieces != NULL) {
		struct piece *next = pieces->next;
		free(pieces);
		pieces = next;
	}
}

/* ---- values ---- */

struct hs_closure *fake_closure(const struct fake_info *info, size_t len, const uintptr_t *words)
{
	struct hs_closure *closure = fake_take(sizeof *closure + len * sizeof *words);
	closure->info = fake_info(info);
	for (size_t i = 0; i < len; i++)
		closure->words[i] = words[i];
	return closure;
}

uintptr_t fake_value(void)
{
	return (uintptr_t)fake_closure(&int_info.info, 1, (const uintptr_t[]){0}) + 1;
}

struct hs_tvar *fake_tvar(void)
{
	struct hs_tvar *tvar = fake_take(sizeof *tvar);
	tvar->info = fake_info(&fake_tvar_info);
	tvar->value = fake_value();
	tvar->waiters = (uintptr_t)fake_take(sizeof(struct hs_closure));
	((struct hs_closure *)tvar->waiters)->info = fake_info(&no_waiter_info);
	return tvar;
}

void fake_add_waiter(struct hs_tvar *tvar)
{
	tvar->waiters = (uintptr_t)fake_take(sizeof(struct hs_closure));
	((struct hs_closure *)tvar->waiters)->info = fake_info(&fake_waiter_info);
}

/* ---- stacks ---- */

struct hs_stack *fake_stack(uint32_t words)
{
	struct hs_stack *stack = fake_take(sizeof *stack + words * sizeof *stack->words);
	stack->info = fake_info(&fake_stack_info);
	stack->size = words;
	stack->top = stack->words + words;
	fake_push_return(stack, &fake_stop_info);
	return stack;
}

void fake_push(struct hs_stack *stack, const uintptr_t *words, size_t len)
{
	assert_true(stack->top - stack->words >= (ptrdiff_t)len);
	stack->top -= len;
	for (size_t i = 0; i < len; i++)
		stack->top[i] = words[i];
}

void fake_pop(struct hs_stack *stack, size_t len)
{
	stack->top += len;
}

void fake_push_return(struct hs_stack *stack, const struct fake_info *info)
{
	fake_push(stack, (const uintptr_t[]){fake_info(info)}, 1);
}

/* ---- capabilities and threads ---- */

struct hs_trec **fake_free_trecs(struct hs_capability *capability)
{
	return (struct hs_trec **)((char *)capability + FAKE_FREE_TRECS);
}

struct hs_capability *fake_capability(void)
{
	static union {
		struct hs_capability capability;
		uintptr_t words[FAKE_FREE_TRECS / sizeof(uintptr_t) + 1];
	} all[CAPABILITIES];
	static size_t used;
	assert_true(used < CAPABILITIES);
	struct hs_capability *capability = &all[used++].capability;
	*fake_free_trecs(capability) = ghc_rts.no_trec;
	return capability;
}

static uint64_t fake_threads;

struct hs_tso *fake_tso(struct hs_capability *capability)
{
	struct hs_tso *tso = fake_take(sizeof *tso);
	tso->info = fake_info(&fake_tso_info);
	tso->id_ = ++fake_threads;
	tso->stack = fake_stack(STACK_WORDS);
	tso->capability = capability;
	fake_set_trec(tso, ghc_rts.no_trec);
	return tso;
}
