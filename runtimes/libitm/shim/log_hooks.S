/* SPDX-License-Identifier: MIT
 *
 * The hooks of the log of accesses: of begin, of commit and of the data barriers. They are called in windows only
 * (windows.h). If the thread does not log, the call is passed on at once.
 *
 * A data barrier's arguments are in rdi, rsi, rdx and vector registers, its result in rax, vector registers or on the
 * stack of the x87. C code that is called before the barrier touches no vector or x87 registers (access_log.c). After
 * the barrier only the time stamp is read. Begin must find the stack as the user's call has left it, so the hook jumps
 * there.
 */
#include "asm_shared.h"

	.text
	/* Keeps the time stamp in the log; r10, r11, rax, rcx and rdx are lost. */
	.macro note_return
	movq	itm_self@gottpoff(%rip), %r11
	movq	%fs:ITM_CURRENT_LOG(%r11), %r10
	testq	%r10, %r10
	je	.Lnot_noted\@
	lfence
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, ITM_LOG_RETURNED(%r10)
.Lnot_noted\@:
	.endm

	.section .data.rel.ro.local, "aw"
	.p2align 3
	.globl	itm_log_entries
	.hidden	itm_log_entries
	.type	itm_log_entries, @object
itm_log_entries:
	.quad	itm_own_begin, log_begin
	.quad	itm_own_commit, log_commit
	.globl	itm_log_barriers
	.hidden	itm_log_barriers
	.type	itm_log_barriers, @object
itm_log_barriers:

	.text
	.type	log_begin, @function
	.p2align 4
log_begin:
	.cfi_startproc
	endbr64
	movq	(%rsp), %rsi
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	call	itm_log_begin		/* (properties, return address) */
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	xorl	%eax, %eax
	jmp	itm_own_begin
	.cfi_endproc
	.size	log_begin, . - log_begin

	.type	log_commit, @function
	.p2align 4
log_commit:
	.cfi_startproc
	endbr64
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	itm_log_commit
	call	itm_own_commit
	call	itm_log_committed
	note_return
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	log_commit, . - log_commit

.Lindex = 0
	/* in_memory: an argument may lie on the stack, where the barrier must find it. */
	.macro barrier index, in_memory
	.p2align 4
.Lhook\@:
	.pushsection .data.rel.ro.local, "aw"
	.quad	.Lhook\@
	.popsection
	.cfi_startproc
	endbr64
	movq	itm_self@gottpoff(%rip), %r11
	cmpq	$0, %fs:ITM_CURRENT_LOG(%r11)
	je	.Lpass\@
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	movl	$\index, %ecx
	call	itm_log_access		/* (the barrier's arguments, its row) */
	.if \in_memory
	note_return
	.endif
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.if \in_memory == 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	*itm_real_barriers + 8 * \index(%rip)
	movq	%rax, (%rsp)
	movq	%rdx, %r9
	note_return
	movq	%r9, %rdx
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.endif
.Lpass\@:
	jmp	*itm_real_barriers + 8 * \index(%rip)
	.cfi_endproc
	.endm

	/* Long double numbers are passed in memory; of the vectors, those of the same sizes are left alone, too. */
#define BARRIER(kind, leaves, address, size, reads, writes, name) \
	barrier .Lindex, (ITM_KIND_##kind == ITM_KIND_WRITE && size >= 16 && size != ITM_SIZE_ARGUMENT); \
	.Lindex = .Lindex + 1;
#include "barriers.def"

	.section .note.GNU-stack, "", @progbits
