/* SPDX-License-Identifier: MIT
 *
 * The data barriers: each notes what it is, the address it is about and where its
 * return address lies, and jumps on; no frame, no call. Arguments may be in any
 * argument register or vector register, so only r10, r11 and rax are free.
 * An agent linked without this file is the light one.
 */
#include "layout.h"

	.text
.Lindex = 0
	.macro barrier kind, address, name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	movq	itm_self@gottpoff(%rip), %r11
	movl	$\kind, %fs:ITM_KIND(%r11)
	movq	%rsp, %fs:ITM_SLOT(%r11)
	movq	%\address, %fs:ITM_ADDRESS(%r11)
	.if \kind == ITM_KIND_COPY
	movq	%rsi, %fs:ITM_SOURCE(%r11)
	.endif
	jmp	*itm_real_barriers + 8 * .Lindex(%rip)
	.cfi_endproc
	.size	\name, . - \name
	.set	.Lindex, .Lindex + 1
	.endm

#define BARRIER(kind, address, name) barrier ITM_KIND_##kind, address, name;
#include "barriers.def"

	/* Its presence tells the C side that the barriers are hooked. */
	.section .rodata
	.globl	itm_barriers_hooked
	.hidden	itm_barriers_hooked
	.type	itm_barriers_hooked, @object
itm_barriers_hooked:
	.byte	1
	.size	itm_barriers_hooked, 1

	.section .note.GNU-stack, "", @progbits
