/* SPDX-License-Identifier: MIT
 *
 * The functions that the RTS calls instead of its own: they jump to the hook, or to the function itself as long as the
 * module is not open. Haskell code has its stack pointer in rbp and its first argument in rbx, which a call of C does
 * not change: these become the fifth and the sixth argument, which none of the functions has.
 *
 * An access goes straight to the function if the attempt is not measured, which the mark of its TRec tells. So do most
 * starts and commits.
 */
	.text

	/* Jumps to the function of the RTS if the comparison before has found two equal values. In a program that is
	 * linked with the module the linker knows the function; otherwise it stands in ghc_real, AT bytes from the
	 * beginning. */
	.macro real_if_equal name, at
#ifdef GHC_LINKED
	je	__real_\name
#else
	jne	.Lbehind_\@
	jmp	*ghc_real+\at(%rip)
.Lbehind_\@:
#endif
	.endm

	.macro hook name, at
	.globl	__wrap_\name
	.type	__wrap_\name, @function
__wrap_\name:
	movq	%rbp, %r8
	movq	%rbx, %r9
	jmp	*ghc_hooks+\at(%rip)
	.size	__wrap_\name, . - __wrap_\name
	.endm

	/* rsi: the TRec. MARK is the offset of its mark (rts.h). */
	.set	MARK, 28
	/* Offsets of no_trec and free_trecs in struct ghc_rts. */
	.set	NO_TREC, 16
	.set	FREE_TRECS, 24
	.macro hook_of_access name, at
	.globl	__wrap_\name
	.type	__wrap_\name, @function
__wrap_\name:
	cmpl	$0, MARK(%rsi)
	real_if_equal \name, \at
	movq	%rbp, %r8
	movq	%rbx, %r9
	jmp	*ghc_hooks+\at(%rip)
	.size	__wrap_\name, . - __wrap_\name
	.endm

	/* As long as nothing is watched for (`watched`), a TRec has the mark 0 when it is begun, if it is a free one. Else
	 * that holds of one that is not nested, on a capability which expects neither another attempt of a transaction nor
	 * one that is due (capability.h). Where no TRec is free the RTS makes a new one, whose padding has any value: behind
	 * a collection, and while a Haskell thread that was preempted, or calls C, is in the middle of an attempt.
	 */
	.set	EXPECTS, 44
	.p2align 5
	.globl	__wrap_stmStartTransaction
	.type	__wrap_stmStartTransaction, @function
__wrap_stmStartTransaction:
	cmpq	$0, watched(%rip)
	movq	ghc_rts+NO_TREC(%rip), %rdx
	jne	2f
1:	movq	ghc_rts+FREE_TRECS(%rip), %rax
	cmpq	%rdx, (%rdi, %rax)
	je	3f
#ifdef GHC_LINKED
	jmp	__real_stmStartTransaction
#else
	jmp	*ghc_real(%rip)
#endif
2:	cmpq	%rdx, %rsi
	jne	3f
	movq	capability_held@gottpoff(%rip), %rax
	cmpq	%rdi, %fs:(%rax)
	jne	3f
	movq	%fs:8(%rax), %rax
	cmpw	$0, EXPECTS(%rax)
	je	1b
3:	movq	%rbp, %r8
	movq	%rbx, %r9
	jmp	*ghc_hooks(%rip)
	.size	__wrap_stmStartTransaction, . - __wrap_stmStartTransaction

	/* Counts the commit (capability.h), which may make the next transaction due. More is to be done only while some
	 * attempt is measured, or after a sleep; and for one commit in WAKER_MASK + 1 while a transaction sleeps, which
	 * it may wake. The whole count is here, without a call, since nearly all transactions of a program go this way.
	 */
	.set	LEFT, 8
	.set	WAKER_MASK, 127
	.p2align 5
	.globl	__wrap_stmCommitTransaction
	.type	__wrap_stmCommitTransaction, @function
__wrap_stmCommitTransaction:
	cmpq	$0, watched(%rip)
	jne	2f
	movq	capability_held@gottpoff(%rip), %rax
	cmpq	%rdi, %fs:(%rax)
	jne	3f
1:	pushq	%fs:8(%rax)
#ifdef GHC_LINKED
	call	__real_stmCommitTransaction
#else
	call	*ghc_real+24(%rip)
#endif
	popq	%rdi
	testq	%rax, %rax
	je	4f
	decq	LEFT(%rdi)
	jle	5f
	ret
2:	cmpl	$0, watched(%rip)
	jne	3f
	cmpl	$0, MARK(%rsi)
	jne	3f
	movq	capability_held@gottpoff(%rip), %rax
	cmpq	%rdi, %fs:(%rax)
	jne	3f
	movq	%fs:8(%rax), %rcx
	testb	$WAKER_MASK, LEFT(%rcx)
	jne	1b
3:	movq	%rbp, %r8
	jmp	*ghc_hooks+24(%rip)
4:	jmp	commit_failed
5:	movq	%rax, %rsi
	jmp	commit_makes_due
	.size	__wrap_stmCommitTransaction, . - __wrap_stmCommitTransaction

	hook_of_access stmReadTVar, 8
	hook_of_access stmWriteTVar, 16
	hook	stmCommitNestedTransaction, 32
	hook	stmValidateNestOfTransactions, 40
	hook	stmAbortTransaction, 48
	hook	stmWait, 56
	hook	stmReWait, 64
	hook	StgRun, 72
	hook	gcStableNameTable, 80
	hook	markCapabilities, 88

	.section .note.GNU-stack, "", @progbits
