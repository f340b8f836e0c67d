/* SPDX-License-Identifier: MIT */
#include "tail_call.h"

#include <string.h>

/* Whether they are parts of one function, which the compiler has split: "f", "f.part.0", "f.cold". */
static bool are_parts(const struct code_function *left, const struct code_function *right)
{
	size_t len = strcspn(left->name, ".");
	return len == strcspn(right->name, ".") && memcmp(left->name, right->name, len) == 0;
}

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
	if (stands.name == NULL || are_parts(&left, &stands))
		return 0;
	*jumped = behind_jump(code, &left, stands.start);
	return target;
}
