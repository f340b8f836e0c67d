/* SPDX-License-Identifier: MIT
 * Functions of the test program that end with a jump to another one, and one that calls them. They are never run. The
 * labels are where its calls return to. */
#ifndef TAIL_CALL_SAMPLE_H
#define TAIL_CALL_SAMPLE_H

void tail_last(void);
void tail_other(void);
void tail_by_one(void);
void tail_by_slot(void);
void tail_by_two(void);
void tail_by_other(void);
extern const char tail_direct[], tail_once[], tail_slot[], tail_twice[], tail_far[], tail_split[], tail_stub[],
	tail_any[], tail_jumped[];

#define TAIL_FUNCTION(name, body)                           \
	".globl " #name "\n"                                \
	".type " #name ", @function\n" #name ": " body "\n" \
	".size " #name ", . - " #name "\n"
#define TAIL_CALL(name, label) "call " #name "\n.globl " #label "\n" #label ":\n"

__asm__(".text\n" TAIL_FUNCTION(tail_last, "ret") TAIL_FUNCTION(tail_other, "ret") TAIL_FUNCTION(
	tail_by_one, "nop\njmp tail_last\n.globl tail_jumped\ntail_jumped: ret") TAIL_FUNCTION(tail_by_slot,
	"jmp *tail_last@gotpcrel(%rip)") TAIL_FUNCTION(tail_by_two,
	"je tail_last\njmp tail_last") TAIL_FUNCTION(tail_by_other, "jmp tail_by_one") TAIL_FUNCTION(tail_last.cold,
	"jmp tail_last") TAIL_FUNCTION(tail_calls,
	TAIL_CALL(tail_last, tail_direct) TAIL_CALL(tail_by_one, tail_once) TAIL_CALL(tail_by_slot, tail_slot)
		TAIL_CALL(tail_by_two, tail_twice) TAIL_CALL(tail_by_other, tail_far) TAIL_CALL(tail_last.cold,
			tail_split) TAIL_CALL(psignal @plt, tail_stub) TAIL_CALL(* % rax, tail_any) "ret"));

#endif
