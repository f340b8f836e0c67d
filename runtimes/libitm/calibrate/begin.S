/* SPDX-License-Identifier: MIT
 * A begin that can be declared to return twice; a pointer to a function cannot. It keeps its caller's stack, so that
 * libitm sees that one. */
	.text
	.globl	transact_begin
	.type	transact_begin, @function
	.p2align 4
transact_begin:
	.cfi_startproc
	endbr64
	jmp	*transact_real_begin(%rip)
	.cfi_endproc
	.size	transact_begin, . - transact_begin

	.section .note.GNU-stack, "", @progbits
