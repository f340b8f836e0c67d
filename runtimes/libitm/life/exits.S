/* SPDX-License-Identifier: MIT
 *
 * Hooks of the functions that leave this process image without running exit handlers: exec and _exit. Each first has
 * the recording written (leave.c), then jumps to the real function with the arguments where they were. So functions
 * with a variable number of arguments work, too.
 */
#include "asm_shared.h"

	.text
	.macro leave_by name, index
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	.irp	register, rax, r9, r8, rcx, rdx, rsi, rdi
	pushq	%\register
	.cfi_adjust_cfa_offset 8
	.endr
	movl	$\index, %edi
	movq	%rsp, %rsi
	call	itm_leave		/* (index, arguments) -> the real function */
	movq	%rax, %r11
	.irp	register, rdi, rsi, rdx, rcx, r8, r9, rax
	popq	%\register
	.cfi_adjust_cfa_offset -8
	.endr
	jmp	*%r11
	.cfi_endproc
	.size	\name, . - \name
	.endm

	leave_by execve, ITM_EXECVE
	leave_by execv, ITM_EXECV
	leave_by execvp, ITM_EXECVP
	leave_by execvpe, ITM_EXECVPE
	leave_by execl, ITM_EXECL
	leave_by execle, ITM_EXECLE
	leave_by execlp, ITM_EXECLP
	leave_by fexecve, ITM_FEXECVE
	leave_by execveat, ITM_EXECVEAT
	leave_by _exit, ITM_EXIT_NOW
	leave_by _Exit, ITM_EXIT_NOW_C

	.section .note.GNU-stack, "", @progbits
