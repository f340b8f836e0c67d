/* SPDX-License-Identifier: MIT
 * Steps of the model (hook_model.h): drawn at random, and played to the library. */
#ifndef TESTS_HOOK_STEP_H
#define TESTS_HOOK_STEP_H

#include "hook_model.h"
#include "random.h"

/* A step with arguments drawn at random; at_ns is in the range that the hook asks for, if `is_sane`. Otherwise
 * arguments may be out of their ranges. `handles` are the library's; the clock is at `now_ns`. */
struct model_step step_draw(struct random *random, const struct model *model,
	struct stmlog_thread *const handles[MODEL_HANDLES], uint64_t now_ns, bool is_sane);

/* The step that leads nearer to the state outside of transactions; false: the handle is there, and claimed. */
bool step_towards_outside(const struct model *model, unsigned handle, uint64_t now_ns, struct model_step *step);

/* Whether the hook returns an origin. */
bool step_makes_origin(const struct model_step *step);

/* Calls the hook. Returns the origin that the hook returns; 0 if it returns none. */
uint64_t step_play(const struct model_step *step, struct stmlog_thread *const handles[MODEL_HANDLES]);

#endif
