/* SPDX-License-Identifier: MIT
 *
 * The begin shim. The real _ITM_beginTransaction keeps its caller's stack pointer
 * and return address, and after a restart returns once more from the same call. So
 * nothing of ours may lie on the stack while the user's transaction runs: the user's
 * return address is taken off, the real one is called, and what it keeps is exactly
 * what it would have kept of the user. NOTES, "The begin shim", has the pictures.
 *
 * The return address waits in r15, which the real one keeps and restores as it does
 * for every caller, and the user's r15 in thread-local storage. Thus the unwinder
 * finds the way (.cfi_register) while libitm waits inside begin.
 *
 * No feature note: with a shadow stack the popped return address would not match.
 * An object without the note makes the loader leave shadow stacks off.
 */
#include "asm_shared.h"

	.text
	.globl	_ITM_beginTransaction
	.type	_ITM_beginTransaction, @function
	.p2align 5
_ITM_beginTransaction:
	.cfi_startproc
	endbr64
	movq	itm_self@gottpoff(%rip), %r11
	cmpl	$0, %fs:ITM_DEPTH(%r11)
	jne	.Lnested
	subl	$1, %fs:ITM_COUNTDOWN(%r11)
	jns	.Lunmeasured

	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	movl	%edi, %esi
	leaq	8(%rsp), %rdi
	call	itm_begin		/* (slot of the return address, properties) -> measured? */
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	movq	itm_self@gottpoff(%rip), %r11
	testb	%al, %al
	je	.Lunmeasured

	movq	%r15, %fs:ITM_USER_R15(%r11)
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, r15
	.cfi_undefined r15
	call	*itm_real_begin(%rip)
	/* First return, restart, or cancel: all arrive here, with the same registers. */
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_offset rip, -8
	movq	itm_self@gottpoff(%rip), %r11
	movq	%fs:ITM_USER_R15(%r11), %r15
	.cfi_same_value r15
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	movl	%eax, %edi
	call	itm_begin_returned
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret

	/* Not sampled: depth 1 and no flags, in one store; and which transaction it is, for
	   those who find what it will have written. Nothing else is ours. */
	.p2align 4
.Lunmeasured:
	movq	$1, %fs:ITM_DEPTH(%r11)
	movq	%fs:ITM_RING(%r11), %r10
	movq	(%rsp), %rax
	movq	%rax, ITM_RING_SITE(%r10)
	jmp	*itm_real_begin(%rip)

	/* Restarts go to the outermost begin, so an inner one is only counted. */
	.p2align 4
.Lnested:
	testl	$ITM_ARMED, %fs:ITM_FLAGS(%r11)
	jne	.Larmed
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	call	itm_arm
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	movq	itm_self@gottpoff(%rip), %r11
.Larmed:
	addl	$1, %fs:ITM_DEPTH(%r11)
	movl	$ITM_KIND_NESTED, %fs:ITM_KIND(%r11)
	movq	(%rsp), %rax
	movq	%rsp, %fs:ITM_SLOT(%r11)
	movq	%rax, %fs:ITM_RETURN(%r11)
	jmp	*itm_real_begin(%rip)
	.cfi_endproc
	.size	_ITM_beginTransaction, . - _ITM_beginTransaction

	.section .note.GNU-stack, "", @progbits
