/* SPDX-License-Identifier: MIT
 *
 * Hooks of the data barriers. In a measured transaction each adds reads to the thread's list, and notes the slot of its
 * return address, its kind and its address; a read leaves out kind and address, which the list has. In every transaction
 * each appends writes to the thread's ring (ring.h), where victims look for them. Then it jumps to the real barrier: it
 * makes no frame and no call. The hooks come first, and what only some transactions need comes behind all of them
 * (subsection 1).
 *
 * Arguments are in rdi, rsi, rdx and vector registers; so rax, rcx and r8 to r11 are free.
 */
#include "asm_shared.h"

	.text
	/* r8: the size that is the third argument, at most as much as the 16 bits of an entry can hold. */
	.macro size_to_r8
	movl	$0xffff, %r8d
	cmpq	%r8, %rdx
	cmovbq	%rdx, %r8
	.endm

	/* Computes in r8 what the list gets, unless that is the address itself. */
	.macro read_to_r8 address, size
	.if \size == ITM_SIZE_ARGUMENT
	size_to_r8
	xorq	$ITM_READ_SIZE, %r8
	shlq	$ITM_READ_SIZE_SHIFT, %r8
	orq	%\address, %r8
	.elseif \size != ITM_READ_SIZE
	movabsq	$((\size ^ ITM_READ_SIZE) << ITM_READ_SIZE_SHIFT), %r8
	orq	%\address, %r8
	.endif
	.endm

	/* r10: the last place that is used; rax: the next. When the list is full, its last place is used again and
	   again: the first reads matter most. */
	.macro next_read
	movq	%fs:ITM_READS_AT(%r11), %r10
	leaq	16(%r10), %rax
	.endm
	.macro stay_in_list
	cmpq	%fs:ITM_READS_END(%r11), %rax
	cmovaeq	%r10, %rax
	.endm
	.macro leave_read address, size
	.if \size == ITM_READ_SIZE
	movq	%\address, (%rax)
	.else
	movq	%r8, (%rax)
	.endif
	movq	(%rsp), %r10
	movq	%r10, 8(%rax)
	movq	%rax, %fs:ITM_READS_AT(%r11)
	.endm

	/* Keeps the word of the address's lock: libitm will look at it some nanoseconds later, so a holder seen now is
	   most likely the one that libitm finds. Hash and shift are those of libitm_layout.h. */
	.macro see_lock address
	movq	%fs:ITM_WORD_TABLE(%r11), %r10
	movq	%\address, %rax
	shrq	$5, %rax
	imull	$ITM_LOCK_FACTOR, %eax, %eax
	shrl	$16, %eax
	movq	(%r10, %rax, 8), %rax
	movq	%rax, %fs:ITM_LOCK_WORD(%r11)
	.endm

	/* The entry is stored before the head: x86 keeps stores in order, and readers rely on that. Addresses of user
	   space have nothing in the highest 16 bits, where the context and the size go. */
	.macro leave_write address, size
	movq	%fs:ITM_RING(%r11), %r10
	movzwl	%fs:ITM_CONTEXT(%r11), %r9d
	shlq	$48, %r9
	orq	%\address, %r9
	.if \size == ITM_SIZE_ARGUMENT
	size_to_r8
	shlq	$48, %r8
	.else
	movabsq	$(\size << 48), %r8
	.endif
	orq	(%rsp), %r8
	movq	(%r10), %rax
	movl	%eax, %ecx
	andl	$(ITM_RING_BYTES - 1), %ecx
	movq	%r9, ITM_RING_HEADER(%r10, %rcx)
	movq	%r8, ITM_RING_HEADER + 8(%r10, %rcx)
	addq	$16, %rax
	movq	%rax, (%r10)
	.endm

	/* A hook that only reads. The list has all of a read but its slot. Where all transactions are measured, the few
	   others note their reads, too, so that no flag is tested; nothing uses those reads. Where `reads_limit` is NULL,
	   or the list is full, reads take the longer way. */
	.macro read_hook address, size
	read_to_r8 \address, \size
	movq	%fs:ITM_READS_AT(%r11), %rax
	addq	$16, %rax
	cmpq	%fs:ITM_READS_LIMIT(%r11), %rax
	jae	.Llong\@
.Lfits\@:
	leave_read \address, \size
	leaq	ITM_SLOT_OF_READ(%rsp), %rax
	movq	%rax, %fs:ITM_SLOT(%r11)
.Lread\@:
	jmp	*itm_real_barriers + 8 * .Lindex(%rip)

	.cfi_endproc

	.subsection 1
	.cfi_startproc
.Llong\@:
	testl	$ITM_MEASURED, %fs:ITM_FLAGS(%r11)
	je	.Lread\@
	cmpq	$0, %fs:ITM_WORD_TABLE(%r11)
	je	.Lunseen\@
	see_lock \address
.Lunseen\@:
	next_read
	stay_in_list
	jmp	.Lfits\@
	.cfi_endproc
	.previous
	.endm

	/* Only the thread itself reads what is noted, and only for measured transactions. */
	.macro other_hook kind, leaves, address, size
	testl	$ITM_MEASURED, %fs:ITM_FLAGS(%r11)
	je	.Lnoted\@
	movl	$(\kind | \size << ITM_SIZE_SHIFT), %fs:ITM_KIND(%r11)
	movq	%rsp, %fs:ITM_SLOT(%r11)
	movq	%\address, %fs:ITM_ADDRESS(%r11)
	.if \size == ITM_SIZE_ARGUMENT
	movq	%rdx, %fs:ITM_LENGTH(%r11)
	.endif
	.if \kind == ITM_KIND_COPY
	movq	%rsi, %fs:ITM_SOURCE(%r11)
	.endif
	.if \leaves & ITM_LEAVES_READ /* the memcpy family */
	read_to_r8 rsi, \size
	next_read
	stay_in_list
	leave_read rsi, \size
	.endif
	cmpq	$0, %fs:ITM_WORD_TABLE(%r11)
	jne	.Lsee\@ /* more than one other thread may hold the lock */
.Lnoted\@:
	.if \leaves & ITM_LEAVES_WRITE
	leave_write \address, \size
	.endif
	jmp	*itm_real_barriers + 8 * .Lindex(%rip)

	.cfi_endproc

	.subsection 1
	.cfi_startproc
.Lsee\@:
	see_lock \address
	jmp	.Lnoted\@
	.cfi_endproc
	.previous
	.endm

	/* The hooks, in the order of barriers.def: each adds itself. */
	.section .data.rel.ro.local, "aw"
	.p2align 3
	.globl	itm_own_barriers
	.hidden	itm_own_barriers
	.type	itm_own_barriers, @object
itm_own_barriers:
	.text
.Lindex = 0
	.macro barrier kind, leaves, address, size, name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
.Lhook\@:
	.pushsection .data.rel.ro.local, "aw"
	.quad	.Lhook\@
	.popsection
	.cfi_startproc
	endbr64
	movq	itm_self@gottpoff(%rip), %r11
	.if \kind == ITM_KIND_READ && \leaves == ITM_LEAVES_READ && \size != ITM_SIZE_ARGUMENT
	read_hook \address, \size
	.else
	other_hook \kind, \leaves, \address, \size
	.endif
	.size	\name, . - \name
	.set	.Lindex, .Lindex + 1
	.endm

#define BARRIER(kind, leaves, address, size, name) \
	barrier ITM_KIND_##kind, ITM_LEAVES_##leaves, address, size, name;
#include "barriers.def"

	.section .note.GNU-stack, "", @progbits
