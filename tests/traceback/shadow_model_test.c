/* SPDX-License-Identifier: MIT
 *
 * Random operations on a shadow stack, compared with arrays of numbers after each of them. */
#include "frame.h"

#include "mem.h"
#include "random.h"
#include "stacks.h"

#define MODEL_DEPTH 100 /* the array grows twice */
#define MODEL_CAPTURES 16
#define LOST UINTPTR_MAX

struct sites {
	uintptr_t position[MODEL_DEPTH];
	uint32_t len;
};

struct model {
	struct sites pushed; /* outermost first; LOST for a push that was lost */
	struct sites captured[MODEL_CAPTURES];
	struct tb_frame *captures[MODEL_CAPTURES]; /* NULL: none */
	struct tb_mark mark;
	uint32_t mark_len; /* how long the stack was when the mark was set; more than MODEL_DEPTH: no mark */
	uintptr_t next_position;
};

static struct sites named(const struct sites *pushed)
{
	struct sites named = {.len = 0};
	for (uint32_t i = 0; i < pushed->len; i++)
		if (pushed->position[i] != LOST)
			named.position[named.len++] = pushed->position[i];
	return named;
}

static void assert_same(const struct tb_frame *traceback, const struct sites *sites)
{
	assert_int_equal(tb_depth(traceback), sites->len);
	for (uint32_t i = sites->len; i-- > 0; traceback = tb_down(traceback))
		assert_int_equal(tb_frame_site(traceback).position, sites->position[i]);
	assert_ptr_equal(traceback, TB_EMPTY);
}

/* Whether a push or a capture found no memory, the model takes from tb_stack_lost(). It takes nothing else on trust. */
static void model_push(struct model *model, struct tb_stack *stack, uintptr_t position)
{
	if (model->pushed.len == MODEL_DEPTH)
		return;
	uint64_t lost = tb_stack_lost(stack);
	tb_push(stack, site(position));
	model->pushed.position[model->pushed.len++] = tb_stack_lost(stack) > lost ? LOST : position;
}

static void model_pop(struct model *model, struct tb_stack *stack)
{
	tb_pop(stack);
	if (model->pushed.len > 0)
		model->pushed.len--;
	if (model->pushed.len < model->mark_len)
		model->mark_len = UINT32_MAX;
}

static void model_update(struct model *model, struct tb_stack *stack)
{
	tb_update(stack, site(++model->next_position));
	if (model->pushed.len == 0)
		return;
	uintptr_t *top = &model->pushed.position[model->pushed.len - 1];
	if (*top != LOST)
		*top = model->next_position;
}

static void model_capture(struct model *model, struct tb_stack *stack, uint32_t slot)
{
	if (model->captures[slot] != NULL) {
		tb_unref(stack, model->captures[slot]);
		model->captures[slot] = NULL;
		return;
	}
	uint64_t lost = tb_stack_lost(stack);
	struct tb_frame *captured = tb_capture(stack);
	assert_int_equal(tb_is_unknown(captured), tb_stack_lost(stack) > lost);
	if (tb_is_unknown(captured))
		return;
	model->captures[slot] = captured;
	model->captured[slot] = named(&model->pushed);
}

static void model_mark(struct model *model, struct tb_stack *stack)
{
	if (model->mark_len <= MODEL_DEPTH) {
		tb_unwind(stack, model->mark);
		model->pushed.len = model->mark_len;
	}
	model->mark = tb_stack_mark(stack);
	model->mark_len = model->pushed.len;
}

/* Without memory for all sites the innermost ones are lost. */
static void model_restore(struct model *model, struct tb_stack *stack, uint32_t slot)
{
	if (model->captures[slot] == NULL)
		return;
	uint64_t lost = tb_stack_lost(stack);
	tb_restore(stack, model->captures[slot]);
	model->pushed = model->captured[slot];
	model->mark_len = UINT32_MAX;
	for (uint32_t i = 1; i <= tb_stack_lost(stack) - lost; i++)
		model->pushed.position[model->pushed.len - i] = LOST;
}

/* The same site as before is pushed often, so that kept frames are right again. */
static uintptr_t any_position(struct model *model, struct random *random)
{
	return random_below(random, 2) == 0 ? model->pushed.len : ++model->next_position;
}

/* `trend`: more pushes than pops while it is large. */
static void model_step(struct model *model, struct tb_stack *stack, struct random *random, uint32_t trend)
{
	uint32_t step = random_below(random, 16);
	if (step < trend)
		model_push(model, stack, any_position(model, random));
	else if (step < 9)
		model_pop(model, stack);
	else if (step == 9)
		model_update(model, stack);
	else if (step == 10 && random_below(random, 4) == 0)
		model_mark(model, stack);
	else if (step == 11 && random_below(random, 4) == 0)
		model_restore(model, stack, random_below(random, MODEL_CAPTURES));
	else if (step > 12)
		model_capture(model, stack, random_below(random, MODEL_CAPTURES));
}

static void check_captures(const struct model *model)
{
	for (uint32_t i = 0; i < MODEL_CAPTURES; i++)
		if (model->captures[i] != NULL)
			assert_same(model->captures[i], &model->captured[i]);
}

static void check(const struct model *model, struct tb_stack *stack)
{
	struct sites expected = named(&model->pushed);
	assert_true(shadow_is_valid(stack));
	assert_int_equal(stack->lost_now, model->pushed.len - expected.len);
	assert_int_equal(tb_stack_mark(stack).depth, model->pushed.len);
	uintptr_t top = expected.len != 0 ? expected.position[expected.len - 1] : 0;
	assert_int_equal(tb_top_site(stack).position, top);
	check_captures(model);
}

static void release_all(struct model *model, struct tb_stack *stack)
{
	for (uint32_t slot = 0; slot < MODEL_CAPTURES; slot++)
		if (model->captures[slot] != NULL)
			tb_unref(stack, model->captures[slot]);
}

/* Between two steps there may be no capture, so that frames are outdated for long. Without memory the array does not
 * grow, and captures get the frames only that the stack itself has released. Returns how many found none. */
static uint64_t walk_randomly(struct tb_stack *stack, struct random *random, bool is_scarce)
{
	struct model model = {.mark_len = UINT32_MAX};
	struct tb_frame *all = TB_EMPTY;
	for (int i = 0; i < 900; i++) {
		if (is_scarce && i % 300 == 30)
			all = fixture_hoard(stack);
		if (is_scarce && i % 300 == 270) {
			tb_unref(stack, all);
			all = TB_EMPTY;
		}
		mem_fail_at(all != TB_EMPTY);
		model_step(&model, stack, random, i % 300 < 180 ? 7 : 3);
		mem_fail_at(0);
		check(&model, stack);
	}
	tb_unref(stack, all);
	release_all(&model, stack);
	return tb_stack_lost(stack);
}

TEST_WITH(no_leaks, random_operations_agree_with_a_model)
{
	static const uint32_t caps[] = {0, 1, 2, 5};
	uint64_t lost = 0;
	for (uint64_t seed = 0; seed < 24; seed++) {
		struct random random = {seed};
		struct tb_stack *stack = tb_stack_create(caps[seed % 4]);
		lost += walk_randomly(stack, &random, seed % 3 != 0);
		assert_true(seed % 3 != 0 || tb_stack_lost(stack) == 0);
		tb_stack_destroy(&stack);
		assert_int_equal(tb_live_frames(), 0);
	}
	assert_true(lost > 100);
}
