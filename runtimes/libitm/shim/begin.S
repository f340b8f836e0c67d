/* SPDX-License-Identifier: MIT
 *
 * The begin shim. The real _ITM_beginTransaction keeps its caller's stack pointer and return address, and after a
 * restart returns from the same call again. So the agent must leave nothing on the stack while the user's transaction
 * runs. The shim takes the user's return address off the stack and calls the real begin: that keeps exactly the stack
 * pointer that it would have kept without the shim. NOTES, "The begin shim", has the pictures.
 *
 * Meanwhile the return address is in r15, which the real begin saves and restores as for every caller; and the user's
 * r15 is in thread-local storage. So the unwinder finds its way (.cfi_register) while libitm waits inside begin.
 *
 * This object has no feature note: with a shadow stack the popped return address would not match. If an object lacks
 * the note, the loader turns shadow stacks off.
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
	/* The first return, restarts and cancels all arrive here, with the same registers. */
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

	/* Not measured: one store sets depth to 1 and flags to 0. The site is stored in the ring, so that victims of this
	   transaction can name it. */
	.p2align 4
.Lunmeasured:
	movq	$1, %fs:ITM_DEPTH(%r11)
	movq	%fs:ITM_RING(%r11), %r10
	movq	(%rsp), %rax
	movq	%rax, ITM_RING_SITE(%r10)
	jmp	*itm_real_begin(%rip)

	/* Restarts return from the outermost begin, so an inner begin is only counted. */
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
