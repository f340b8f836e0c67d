/* SPDX-License-Identifier: MIT
 *
 * What libitm's _ITM_beginTransaction does where it uses hardware transactions, step by step as that does it, with a
 * word to us about each try that fails. The policy is libitm's: it says whether to try again. It keeps of the caller
 * what its own begin would keep, in the same 72 bytes, and returns to it by itself later, past us.
 * hardware_code.c puts this in the place only of a begin whose every instruction is known to be the same.
 *
 * In hardware nothing is written and nothing called: one load more than libitm's own.
 */
#include "asm_shared.h"

/* Frame while libitm is asked, from rsp: edi (4), whether hardware was tried (4), then what libitm keeps (72), whose
   last word is the return address. */
#define PROPERTIES  0
#define HAS_TRIED   4
#define FRAME       72

	.text
	.globl	itm_hardware_begin
	.hidden	itm_hardware_begin
	.type	itm_hardware_begin, @function
	.p2align 5
itm_hardware_begin:
	.cfi_startproc
	endbr64
	xorl	%r8d, %r8d
	movq	itm_self@gottpoff(%rip), %r11
	testl	$ITM_EXPLORED, %fs:ITM_FLAGS(%r11)
	jne	.Lsoftware
	movq	itm_hardware(%rip), %rdx
	cmpl	$0, ITM_SERIAL_FASTPATH(%rdx)
	je	.Lsoftware
	testl	$ITM_HAS_NO_CANCEL, %edi
	je	.Lsoftware

.Ltry:
	movq	itm_hardware(%rip), %rdx
	xbegin	.Laborted
	/* Monitored from here on: whoever takes the lock aborts us. */
	cmpl	$0, ITM_SERIAL_WRITERS(%rdx)
	jne	.Lheld
	cmpl	$0, ITM_SERIAL_FASTPATH(%rdx)
	je	.Lheld
	andl	$ITM_RUNS_UNINSTRUMENTED, %edi
	movl	$ITM_RUNS_INSTRUMENTED, %eax
	cmovnz	%edi, %eax
	ret
.Lheld:
	xabort	$ITM_HELD_CODE

	/* All but rax is as it was before xbegin. */
.Laborted:
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movl	%eax, %edi
	call	itm_hardware_aborted
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	movl	$1, %r8d
	testl	$(ITM_STATUS_EXPLICIT | ITM_STATUS_RETRY), %eax
	je	.Lsoftware
	orl	$ITM_MAY_TRY_AGAIN, %edi

.Lsoftware:
	leaq	8(%rsp), %rax
	subq	$FRAME, %rsp
	.cfi_adjust_cfa_offset FRAME
	movl	%edi, PROPERTIES(%rsp)
	movl	%r8d, HAS_TRIED(%rsp)
	movq	%rax, -72(%rax)
	movq	%rbx, -64(%rax)
	movq	%rbp, -56(%rax)
	movq	%r12, -48(%rax)
	movq	%r13, -40(%rax)
	movq	%r14, -32(%rax)
	movq	%r15, -24(%rax)
	xorl	%edx, %edx
	rdsspq	%rdx
	movq	%rdx, -16(%rax)
	leaq	-72(%rax), %rsi
	call	*itm_hardware + 8(%rip)
	cmpl	$ITM_TRY_AGAIN, %eax
	je	.Lagain

	movq	itm_self@gottpoff(%rip), %r11
	orl	$ITM_IN_SOFTWARE, %fs:ITM_FLAGS(%r11)
	movl	%eax, PROPERTIES(%rsp)
	movl	HAS_TRIED(%rsp), %edi
	call	itm_hardware_runs_alone
	movl	PROPERTIES(%rsp), %eax
	addq	$FRAME, %rsp
	.cfi_adjust_cfa_offset -FRAME
	ret

	.cfi_adjust_cfa_offset FRAME
.Lagain:
	call	itm_hardware_tries_again
	movl	PROPERTIES(%rsp), %edi
	addq	$FRAME, %rsp
	.cfi_adjust_cfa_offset -FRAME
	andl	$~ITM_MAY_TRY_AGAIN, %edi
	orl	$ITM_HAS_TRIED_AGAIN, %edi
	jmp	.Ltry
	.cfi_endproc
	.size	itm_hardware_begin, . - itm_hardware_begin

	.section .note.GNU-stack, "", @progbits
