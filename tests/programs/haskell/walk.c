/* SPDX-License-Identifier: MIT
 * Prints the number that it is called with, and the return addresses on the stack of the Haskell thread that calls it
 * (an "unsafe" call, for which GHC's register of the stack, rbp, is left as it is). A return address is that of the
 * code itself, one more than the address of its first byte, since it is read as the end of a call. */
#include <Rts.h>
#include <stdio.h>

void walk_haskell_stack(long number);
void walk_from(long number, StgPtr at);

__asm__(".text\n"
	".globl walk_haskell_stack\n"
	"walk_haskell_stack:\n"
	"	movq %rbp, %rsi\n"
	"	jmp walk_from\n");

void walk_from(long number, StgPtr at)
{
	printf("%ld", number);
	for (;;) {
		const StgClosure *frame = (const StgClosure *)at;
		int type = get_ret_itbl(frame)->i.type;
		if (type == STOP_FRAME)
			break;
		if (type == UNDERFLOW_FRAME) {
			at = ((StgUnderflowFrame *)at)->next_chunk->sp;
			continue;
		}
		printf(" 0x%lx", (unsigned long)*at + 1);
		at += stack_frame_sizeW((StgClosure *)at);
	}
	printf("\n");
	fflush(stdout);
}
