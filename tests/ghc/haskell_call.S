/* SPDX-License-Identifier: MIT
 *
 * uintptr_t haskell_call(void *function, const uintptr_t arguments[4], uintptr_t *top, uintptr_t r1)
 *
 * Calls a function as Haskell code does: with its stack pointer in rbp and its first argument in rbx.
 */
	.text
	.globl	haskell_call
	.type	haskell_call, @function
haskell_call:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movq	%rdi, %rax
	movq	%rsi, %r10
	movq	%rdx, %rbp
	movq	%rcx, %rbx
	movq	0(%r10), %rdi
	movq	8(%r10), %rsi
	movq	16(%r10), %rdx
	movq	24(%r10), %rcx
	call	*%rax
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size	haskell_call, . - haskell_call

	/* stmStartTransaction(), which loads the list of free TRecs first (FAKE_FREE_TRECS). */
	.globl	fake_start
	.type	fake_start, @function
fake_start:
	movq	0x4b8(%rdi), %rax
	jmp	fake_start_trec
	.size	fake_start, . - fake_start

	.section .note.GNU-stack, "", @progbits
