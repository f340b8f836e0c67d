/* SPDX-License-Identifier: MIT
 *
 * The begin shim. The real _ITM_beginTransaction keeps its caller's stack pointer and return address, and after a
 * restart returns from the same call again. So the agent must leave nothing on the stack while the user's transaction
 * runs. The shim takes the user's return address off the stack and calls the real begin: that keeps exactly the stack
 * pointer that it would have kept without the shim. runtimes/libitm/NOTES.txt,
 * "The begin shim", has the pictures.
 *
 * Meanwhile the return address is in r15, which the real begin saves and restores as for every caller; and the user's
 * r15 is in thread-local storage. So the unwinder finds its way (.cfi_register) while libitm waits inside begin.
 *
 * This object has no feature note: with a shadow stack the popped return address would not match. If an object lacks
 * the note, the loader turns shadow stacks off.
 */
#include "asm_shared.h"

/* A register on the stack while a function of the agent runs. */
	.macro	save register
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endm
	.macro	restore register
	popq	\register
	.cfi_adjust_cfa_offset -8
	.endm

/* Around libitm's begin: with %r11 at itm_self, the return address goes from the stack to r15 and back. */
	.macro	hide_return_address
	movq	%r15, %fs:ITM_USER_R15(%r11)
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, r15
	.cfi_undefined r15
	.endm
	.macro	restore_return_address
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_offset rip, -8
	movq	itm_self@gottpoff(%rip), %r11
	movq	%fs:ITM_USER_R15(%r11), %r15
	.cfi_same_value r15
	.endm

/* Reads the time stamp counter into %rax. */
	.macro	read_time_stamp
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	.endm

	.macro	look_at_serial_lock
	movq	itm_serial_word(%rip), %r10
	cmpl	$0, (%r10)
	jne	.Lheld
	.endm

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
	movq	%fs:ITM_CRITICAL(%r11), %r10
	cmpq	$0, (%r10)
	je	.Linterrupted
.Luninterrupted:
	testl	$ITM_GOES_IRREVOCABLE, %edi
	jne	.Lalone
.Lany:
	subl	$1, %fs:ITM_COUNTDOWN(%r11)
	js	.Lrun_out
	look_at_serial_lock

	/* Not measured: one store sets depth to 1 and flags to 0. The site is stored in the ring, so that victims of
	   this transaction can name it. Restarts return here: a transaction that fails often is measured from then on.
	   */
.Lunmeasured:
	movq	$1, %fs:ITM_DEPTH(%r11)
	movq	$0, %fs:ITM_FAILED(%r11)
	movq	%fs:ITM_RING(%r11), %r10
	.cfi_remember_state
	hide_return_address
	movq	%r15, ITM_RING_SITE(%r10)
	call	*itm_real_begin(%rip)
	testb	$ITM_RESTORES_LIVE, %al
	jne	.Lfailed
	.cfi_remember_state
	restore_return_address
	ret
	.cfi_restore_state

	/* A longjmp has left the processor's predicted returns in disorder, so a jump is quicker here than ret. */
.Lfailed:
	movq	itm_self@gottpoff(%rip), %r11
	testl	$(ITM_MEASURED | ITM_STOPWATCH), %fs:ITM_FLAGS(%r11)
	jne	.Lfailed_late
	testb	$ITM_ABORTED, %al
	jne	.Lback
	movl	$1, %fs:ITM_DEPTH(%r11)
	addq	$1, %fs:ITM_FAILED(%r11)
	movq	%fs:ITM_CRITICAL(%r11), %r10
	cmpq	$0, (%r10)
	je	.Lfailed_often
	movq	%fs:ITM_FAILED(%r11), %r10
	cmpq	%fs:ITM_HALF_FROM(%r11), %r10
	jae	.Lfailed_half
.Lback:
	movq	%r15, %r10
	.cfi_register rip, r10
	movq	%fs:ITM_USER_R15(%r11), %r15
	.cfi_same_value r15
	jmp	*%r10
	.cfi_register rip, r15
	.cfi_undefined r15
.Lfailed_half:
	je	.Lread_half
	cmpq	%fs:ITM_LATE_FROM(%r11), %r10
	jae	.Lfailed_often
	jmp	.Lback
.Lread_half:
	movq	%rax, %r10
	read_time_stamp
	movq	%rax, %fs:ITM_RETURNED(%r11)
	movq	%r10, %rax
	movq	%fs:ITM_HALF_FROM(%r11), %r10
	movq	%r10, %fs:ITM_BEFORE(%r11)
	jmp	.Lback
.Lfailed_late:
	testl	$ITM_STOPWATCH, %fs:ITM_FLAGS(%r11)
	je	.Lfailed_often
	restore_return_address
	jmp	.Lread_watch
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, r15
	.cfi_undefined r15
.Lfailed_often:
	restore_return_address
	save	%rax
	movl	%eax, %edi
	leaq	8(%rsp), %rsi
	call	itm_unmeasured_restarted	/* (result, slot of the return address) */
	restore	%rax
	ret
	.cfi_restore_state

	.p2align 4
.Lrun_out:
	cmpl	$0, %fs:ITM_TIME_NEXT(%r11)
	jne	.Ltime
	look_at_serial_lock
.Lsampled:
	save	%rdi
	movl	%edi, %esi
	leaq	8(%rsp), %rdi
	cmpl	$0, %fs:ITM_EXACT(%r11)
	jne	.Lexact
.Lchoose:
	call	itm_begin_sampled		/* (slot of the return address, properties) -> measured? */
	restore	%rdi
	movq	itm_self@gottpoff(%rip), %r11
	testb	%al, %al
	je	.Lunmeasured
	testl	$ITM_STOPWATCH, %fs:ITM_FLAGS(%r11)
	jne	.Lwatch

.Lmeasured:
	hide_return_address
.Lbegin:
	call	*itm_real_begin(%rip)
	/* The first return, restarts and cancels all arrive here, with the same registers. */
	restore_return_address
	testl	$ITM_STOPWATCH, %fs:ITM_FLAGS(%r11)
	jne	.Lread_watch
	save	%rax
	movl	%eax, %edi
	call	itm_begin_returned
	restore	%rax
	ret

	/* All transactions are measured, most of them on a fast path. */
	.p2align 4
.Lexact:
	.cfi_adjust_cfa_offset 8
	call	itm_exact_begin		/* with the same arguments -> begun? */
	testb	%al, %al
	je	.Lslow_path
	restore	%rdi
	movq	itm_self@gottpoff(%rip), %r11
	jmp	.Lmeasured
.Lslow_path:
	.cfi_adjust_cfa_offset 8
	movl	(%rsp), %esi
	leaq	8(%rsp), %rdi
	jmp	.Lchoose
	.cfi_adjust_cfa_offset -8

	/* A timed transaction, which was chosen some transactions ago (sample.c): as little as possible is done before
	   it. The time stamp is read first, and again directly after libitm's begin. In other transactions the look at
	   the serial lock may wait for the lock's cache line, too. */
	.p2align 4
.Ltime:
	read_time_stamp
	movq	%rax, %fs:ITM_BEGAN(%r11)
	look_at_serial_lock
	movl	$0, %fs:ITM_TIME_NEXT(%r11)
	movl	%fs:ITM_COUNTDOWN_NEXT(%r11), %eax
	movl	%eax, %fs:ITM_COUNTDOWN(%r11)
	movl	$1, %fs:ITM_DEPTH(%r11)
	movl	$(ITM_STOPWATCH | ITM_ARMED), %fs:ITM_FLAGS(%r11)
	movq	%fs:ITM_RING(%r11), %r10
	movq	(%rsp), %rax
	movq	%rax, ITM_RING_SITE(%r10)
	movq	%rax, %fs:ITM_WATCH_SITE(%r11)
	movq	%fs:ITM_WEIGHT_NEXT(%r11), %rax
	movq	%rax, %fs:ITM_WEIGHT(%r11)
.Lwatched:
	movq	$0, %fs:ITM_RETURNED(%r11)
	movq	$0, %fs:ITM_FAILED(%r11)
	jmp	.Lmeasured
.Lwatch:
	read_time_stamp
	movq	%rax, %fs:ITM_BEGAN(%r11)
	jmp	.Lwatched

	/* The user's registers and stack are as at begin's return. A restart leaves inner transactions. */
	.p2align 4
.Lread_watch:
	movq	%rax, %r10
	testl	$ITM_LATE, %fs:ITM_FLAGS(%r11)
	jne	.Llate
	read_time_stamp
	movq	%rax, %fs:ITM_RESTARTED(%r11)
	cmpq	$0, %fs:ITM_RETURNED(%r11)
	jne	.Lrestarted
	movq	%rax, %fs:ITM_RETURNED(%r11)
.Lresult:
	movq	%fs:ITM_CRITICAL(%r11), %rax
	cmpq	$0, (%rax)
	je	.Linterrupted_in_begin
.Llooked:
	movq	%r10, %rax
	testl	$ITM_ABORTED, %eax
	jne	.Lcancelled
	movl	$1, %fs:ITM_DEPTH(%r11)
	ret
.Linterrupted_in_begin:
	save	%r10
	call	itm_stopwatch_returned
	restore	%r10
	movq	itm_self@gottpoff(%rip), %r11
	jmp	.Llooked
.Lrestarted:
	addq	$1, %fs:ITM_FAILED(%r11)
	testl	$ITM_ABORTED, %r10d
	jne	.Lresult
	movq	%fs:ITM_FAILED(%r11), %rax
	cmpq	%fs:ITM_LATE_FROM(%r11), %rax
	jae	.Llook
	movq	%fs:ITM_CRITICAL(%r11), %rax
	cmpq	$0, (%rax)
	je	.Linterrupted_in_begin
	movq	%r10, %rax
	movl	$1, %fs:ITM_DEPTH(%r11)
	jmp	.Lback_from_stack
.Llook:
	save	%r10
	leaq	8(%rsp), %rdi
	call	itm_timed_restarted	/* (slot of the return address) */
	restore	%rax
	ret
.Llate:
	addq	$1, %fs:ITM_FAILED(%r11)
	testl	$ITM_ABORTED, %eax
	jne	.Lcancelled
	movl	$1, %fs:ITM_DEPTH(%r11)
	movq	%fs:ITM_FAILED(%r11), %rdx
	cmpq	%fs:ITM_LOOK_FROM(%r11), %rdx
	jae	.Llook
	movq	%fs:ITM_CRITICAL(%r11), %rdx
	cmpq	$0, (%rdx)
	je	.Llook
.Lback_from_stack:
	popq	%r10
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, r10
	jmp	*%r10
	.cfi_adjust_cfa_offset 8
	.cfi_offset rip, -8
.Lcancelled:
	save	%rax
	call	itm_stopwatch_cancelled
	restore	%rax
	ret

	/* The thread was off the processor since its last transaction. */
	.p2align 4
.Linterrupted:
	save	%rdi
	call	itm_preemption_discard
	restore	%rdi
	movq	itm_self@gottpoff(%rip), %r11
	jmp	.Luninterrupted

	/* Irrevocable from the start: others that wait find in its ring that it runs alone. */
.Lalone:
	save	%rdi
	call	itm_begin_irrevocable
	restore	%rdi
	movq	itm_self@gottpoff(%rip), %r11
	jmp	.Lany

	/* The serial lock is taken: the transaction will wait, and is measured closely, whatever the countdown says. */
.Lheld:
	addl	$1, %fs:ITM_COUNTDOWN(%r11)
	orl	$ITM_FINDS_HELD, %fs:ITM_FLAGS(%r11)
	jmp	.Lsampled

	/* Restarts return from the outermost begin, so an inner begin is only counted. */
	.p2align 4
.Lnested:
	testl	$ITM_ARMED, %fs:ITM_FLAGS(%r11)
	jne	.Larmed
	save	%rdi
	call	itm_begin_inner
	restore	%rdi
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
