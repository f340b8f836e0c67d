/* SPDX-License-Identifier: MIT
 * libitm's begin, under a name that can be declared as returning twice; a pointer to a function cannot. It leaves the
 * stack as it is, so that libitm sees the caller's. */
	.bss
	.globl	transact_real_begin
	.hidden	transact_real_begin
	.type	transact_real_begin, @object
	.p2align 3
transact_real_begin:
	.zero	8
	.size	transact_real_begin, 8

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
