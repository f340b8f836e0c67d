/* SPDX-License-Identifier: MIT
 *
 * Hooks that call a function of the agent first, and then jump to the real function with unchanged registers and stack.
 * So functions with a variable number of arguments work, too. Those that leave this process image without running exit
 * handlers, exec and _exit, have the recording written. Those by which a program filters its system calls have the
 * agent make fewer (process_calls.c).
 */
#include "asm_shared.h"

	.text
	.macro hook name, function, index
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
	call	\function		/* (index, arguments) -> the real function */
	movq	%rax, %r11
	.irp	register, rdi, rsi, rdx, rcx, r8, r9, rax
	popq	%\register
	.cfi_adjust_cfa_offset -8
	.endr
	jmp	*%r11
	.cfi_endproc
	.size	\name, . - \name
	.endm

	hook execve, itm_leave, ITM_EXECVE
	hook execv, itm_leave, ITM_EXECV
	hook execvp, itm_leave, ITM_EXECVP
	hook execvpe, itm_leave, ITM_EXECVPE
	hook execl, itm_leave, ITM_EXECL
	hook execle, itm_leave, ITM_EXECLE
	hook execlp, itm_leave, ITM_EXECLP
	hook fexecve, itm_leave, ITM_FEXECVE
	hook execveat, itm_leave, ITM_EXECVEAT
	hook _exit, itm_leave, ITM_EXIT_NOW
	hook _Exit, itm_leave, ITM_EXIT_NOW_C
	hook prctl, itm_filter, ITM_PRCTL
	hook syscall, itm_filter, ITM_SYSCALL

	.section .note.GNU-stack, "", @progbits
