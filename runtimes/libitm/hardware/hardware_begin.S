/* SPDX-License-Identifier: MIT
 *
 * The same as libitm's _ITM_beginTransaction for hardware transactions, step by step; but it also calls the agent
 * after each try that has failed. Whether to try again is libitm's decision. The caller's registers are saved in the
 * same 72 bytes in which libitm's begin would save them, and libitm returns directly to the caller later.
 *
 * In hardware, that is after xbegin, it writes nothing, calls nothing, and loads what libitm's begin loads: two words.
 */
#include "asm_shared.h"

/* The frame while GTM_begin_transaction() runs, from rsp: edi (4 bytes), whether hardware was tried (4), then the
   registers that libitm keeps (72), of which the last is the return address. */
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
	/* A transaction that is to be explored runs alone, in software (explore.h). */
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
	/* From here on the processor watches the lock: a thread that takes it aborts this transaction. */
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

	/* All registers but rax are as before xbegin. */
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
	call	*itm_hardware + 8(%rip)		/* software_begin (hardware_code.h), which is GTM_begin_transaction() */
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
