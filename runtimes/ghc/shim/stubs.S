/* SPDX-License-Identifier: MIT
 *
 * What the RTS calls instead of its own functions: jumps to the hook, or to the function itself as long as the module is
 * not open. Haskell code has its stack pointer in rbp and its first argument in rbx, which a call of C does not change:
 * these become the fifth and the sixth argument, which none of the functions has.
 *
 * An access goes straight to the function if the attempt is not measured, which the mark of its TRec tells. A start and
 * a commit do so as long as nothing is watched for (watch.h).
 */
	.text
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
	/* Offset of no_trec in struct ghc_rts. */
	.set	NO_TREC, 16
	.macro hook_of_access name, at, real
	.globl	__wrap_\name
	.type	__wrap_\name, @function
__wrap_\name:
	cmpl	$0, MARK(%rsi)
	jne	1f
	jmp	*ghc_real+\real(%rip)
1:	movq	%rbp, %r8
	movq	%rbx, %r9
	jmp	*ghc_hooks+\at(%rip)
	.size	__wrap_\name, . - __wrap_\name
	.endm

	/* As long as nothing is watched for (watch.h), a TRec that is not nested has the mark 0 when it is begun. */
	.globl	__wrap_stmStartTransaction
	.type	__wrap_stmStartTransaction, @function
__wrap_stmStartTransaction:
	cmpq	$0, watched(%rip)
	jne	1f
	cmpq	ghc_rts+NO_TREC(%rip), %rsi
	jne	1f
	jmp	*ghc_real(%rip)
1:	movq	%rbp, %r8
	movq	%rbx, %r9
	jmp	*ghc_hooks(%rip)
	.size	__wrap_stmStartTransaction, . - __wrap_stmStartTransaction

	/* And a commit is counted (capability.h), unless that makes the next transaction due: all of it stands here, since
	 * nearly all transactions of a program go this way. */
	.set	LEFT, 8
	.globl	__wrap_stmCommitTransaction
	.type	__wrap_stmCommitTransaction, @function
__wrap_stmCommitTransaction:
	cmpq	$0, watched(%rip)
	jne	1f
	movq	capability_held@gottpoff(%rip), %rax
	cmpq	%rdi, %fs:(%rax)
	jne	1f
	pushq	%fs:8(%rax)
	call	*ghc_real+24(%rip)
	popq	%rdi
	testq	%rax, %rax
	je	2f
	decq	LEFT(%rdi)
	jle	3f
	ret
1:	movq	%rbp, %r8
	jmp	*ghc_hooks+24(%rip)
2:	jmp	commit_failed
3:	movq	%rax, %rsi
	jmp	commit_makes_due
	.size	__wrap_stmCommitTransaction, . - __wrap_stmCommitTransaction

	hook_of_access stmReadTVar, 8, 8
	hook_of_access stmWriteTVar, 16, 16
	hook	stmCommitNestedTransaction, 32
	hook	stmValidateNestOfTransactions, 40
	hook	stmAbortTransaction, 48
	hook	stmWait, 56
	hook	stmReWait, 64
	hook	StgRun, 72
	hook	gcStableNameTable, 80
	hook	markCapabilities, 88

	.section .note.GNU-stack, "", @progbits
