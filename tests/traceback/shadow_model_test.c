/* SPDX-License-Identifier: MIT
 *
 * Random operations on a shadow stack, compared with arrays of numbers after each of them. */
#include "shadow.h"

#include "fixture.h"
#include "mem.h"
#include "random.h"

static struct tb_site site(uintptr_t position)
{
	return tb_site_make(7, position);
}

#define MODEL_DEPTH 24
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
		assert_int_equal(tb_site(traceback).position, sites->position[i]);
	assert_ptr_equal(traceback, TB_EMPTY);
}

/* Whether a push or an update was lost for lack of memory, the model takes from tb_stack_lost(). It takes nothing else
 * on trust. */
static void model_push(struct model *model, struct tb_stack *stack)
{
	if (model->pushed.len == MODEL_DEPTH)
		return;
	uint64_t lost = tb_stack_lost(stack);
	tb_push(stack, site(++model->next_position));
	model->pushed.position[model->pushed.len++] = tb_stack_lost(stack) > lost ? LOST : model->next_position;
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
	uint64_t lost = tb_stack_lost(stack);
	tb_update(stack, site(++model->next_position));
	if (model->pushed.len == 0)
		return;
	uintptr_t *top = &model->pushed.position[model->pushed.len - 1];
	if (*top != LOST)
		*top = tb_stack_lost(stack) > lost ? LOST : model->next_position;
}

static void model_capture(struct model *model, struct tb_stack *stack, uint32_t slot)
{
	if (model->captures[slot] != NULL) {
		tb_unref(stack, model->captures[slot]);
		model->captures[slot] = NULL;
		return;
	}
	model->captures[slot] = tb_capture(stack);
	model->captured[slot] = named(&model->pushed);
}

static void model_mark(struct model *model, struct tb_stack *stack)
{
	if (model->mark_len <= MODEL_DEPTH) {
		tb_unwind(stack, model->mark);
		model->pushed.len = model->mark_len;
	}
	model->mark = tb_mark(stack);
	model->mark_len = model->pushed.len;
}

static void model_step(struct model *model, struct tb_stack *stack, struct random *random)
{
	switch (random_below(random, 12)) {
	case 0:
	case 1:
	case 2:
	case 3:
		model_push(model, stack);
		break;
	case 4:
	case 5:
	case 6:
		model_pop(model, stack);
		break;
	case 7:
		model_update(model, stack);
		break;
	case 8:
		if (random_below(random, 4) == 0)
			model_mark(model, stack);
		break;
	default:
		model_capture(model, stack, random_below(random, MODEL_CAPTURES));
		break;
	}
}

static void check(const struct model *model, const struct tb_stack *stack)
{
	struct sites expected = named(&model->pushed);
	assert_true(shadow_is_valid(stack));
	assert_same(tb_current(stack), &expected);
	assert_int_equal(stack->lost_now, model->pushed.len - expected.len);
	for (uint32_t i = 0; i < MODEL_CAPTURES; i++)
		if (model->captures[i] != NULL)
			assert_same(model->captures[i], &model->captured[i]);
}

/* Memory comes and goes: while all frames are hoarded, only what the stack itself frees can be pushed. */
static void random_operations_agree_with_a_model(void **state)
{
	(void)state;
	static const uint32_t caps[] = {0, 1, 2, 5};
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct random random = {seed};
		struct model model = {.mark_len = UINT32_MAX};
		struct tb_stack *stack = tb_stack_create(caps[seed]);
		struct tb_frame *all = TB_EMPTY;
		for (int i = 0; i < 5000; i++) {
			if (i % 500 == 250)
				all = fixture_hoard(stack);
			if (i % 500 == 499) {
				tb_unref(stack, all);
				all = TB_EMPTY;
			}
			mem_fail_at(all != TB_EMPTY);
			model_step(&model, stack, &random);
			mem_fail_at(0);
			check(&model, stack);
		}
		for (uint32_t slot = 0; slot < MODEL_CAPTURES; slot++)
			if (model.captures[slot] != NULL)
				tb_unref(stack, model.captures[slot]);
		tb_unref(stack, all);
		assert_true(tb_stack_lost(stack) > 10);
		tb_stack_destroy(&stack);
		assert_int_equal(tb_live_frames(), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(random_operations_agree_with_a_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
