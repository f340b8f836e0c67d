/* SPDX-License-Identifier: MIT
 *
 * What the assembly and the C of the agent agree on: where the members of
 * struct itm_thread stand that assembly touches, and the numbers it stores there.
 * agent.c asserts that the offsets are those of the struct.
 */
#ifndef ITM_ASM_SHARED_H
#define ITM_ASM_SHARED_H

/* clang-format off */
/* Offsets within struct itm_thread. */
#define ITM_DEPTH     0
#define ITM_FLAGS     4
#define ITM_COUNTDOWN 8
#define ITM_KIND      12
#define ITM_SLOT      16
#define ITM_RETURN    24
#define ITM_ADDRESS   32
#define ITM_SOURCE    40
#define ITM_USER_R15  48
#define ITM_RING      56
#define ITM_READS_AT  64
#define ITM_READS_END 72
#define ITM_LENGTH    80
#define ITM_CONTEXT   88
#define ITM_LOCK_WORD 96
#define ITM_LOCK_TABLE 104

/* Bits of `flags`; all clear when a transaction begins. */
#define ITM_ARMED      1 /* libitm will call our undo action, or cannot restart */
#define ITM_MEASURED   2 /* the library was told that this transaction began */
#define ITM_CANCELLING 4 /* the program cancels the outermost transaction */
#define ITM_TIMED      8 /* it is watched for standing still inside libitm */
#define ITM_FIRST     16 /* and is the thread's first */
#define ITM_SERIAL    32 /* and if it waits before it begins, or begins anew, it is for the serial lock */
#define ITM_IN_SOFTWARE 64 /* of transactions that may run in hardware (hardware.h): this one does not */
#define ITM_HOLDS_SERIAL 128 /* and is known to others as the serial lock's holder */
#define ITM_EXPLORED 256 /* and its barriers leave what they are about (explore.h); before it begins: it is to run alone */

/* `kind`: which entry of libitm the transaction called last; of a data barrier with its size above,
 * ITM_SIZE_ARGUMENT: the memcpy family's, in `length`. */
#define ITM_SIZE_SHIFT    16
#define ITM_SIZE_ARGUMENT 255
#define ITM_KIND_NONE   0
#define ITM_KIND_READ   1
#define ITM_KIND_WRITE  2
#define ITM_KIND_COPY   3 /* reads and writes: the memcpy family */
#define ITM_KIND_COMMIT 4
#define ITM_KIND_MODE   5 /* asks to become inevitable */
#define ITM_KIND_NESTED 6 /* an inner begin; may have to become inevitable */
#define ITM_KIND_ABORT  7 /* the program cancels or retries */
#define ITM_KINDS       8

/* What a data barrier leaves behind beside itself: an address it reads, one it writes, for the
 * first time in the transaction as far as the compiler knows. */
#define ITM_LEAVES_NOTHING 0
#define ITM_LEAVES_READ    1
#define ITM_LEAVES_WRITE   2
#define ITM_LEAVES_BOTH    3

/* struct itm_ring (ring.h): where its entries begin, and how many bytes they are. */
#define ITM_RING_HEADER   192
#define ITM_RING_BYTES    16384
#define ITM_RING_SITE     8

/* Of a word that holds an address of the user's and more: the bits of the address. */
#define ITM_RING_ADDRESS  0xffffffffffff

/* What begin is told and what it answers: libitm's ABI. */
#define ITM_RUNS_INSTRUMENTED 1 /* told: there is such code; answered: it is to be run */
#define ITM_RUNS_UNINSTRUMENTED 2 /* told: there is such code; answered: it is to be run */
#define ITM_HAS_NO_CANCEL 8       /* told */
#define ITM_GOES_IRREVOCABLE 64 /* told: from the start */
#define ITM_SAVES_LIVE     4  /* first return: software, and able to restart */
#define ITM_RESTORES_LIVE  8  /* a later return */
#define ITM_ABORTED        16 /* ... because the program cancelled */
#define ITM_USER_ABORT     1  /* _ITM_abortTransaction's argument */
#define ITM_OUTER_ABORT    16
#define ITM_NO_TRANSACTION 1 /* that a commit action depends on */

/* Between libitm's begin in assembly and its other half: what the one tells of a try in hardware that failed, and what
 * the other one answers; the first two words of the serial lock. */
#define ITM_MAY_TRY_AGAIN   0x800000
#define ITM_HAS_TRIED_AGAIN 0x1000000
#define ITM_TRY_AGAIN       0x20
#define ITM_SERIAL_WRITERS  0
#define ITM_SERIAL_FASTPATH 4

/* The processor's status of a transaction that it has aborted. */
#define ITM_STATUS_EXPLICIT 1 /* by xabort, whose code stands in the highest byte */
#define ITM_STATUS_RETRY    2
#define ITM_STATUS_CONFLICT 4
#define ITM_STATUS_CAPACITY 8
#define ITM_STATUS_NESTED   32
#define ITM_STATUS_CODE_SHIFT 24
#define ITM_HELD_CODE       0xff /* libitm's: the serial lock was held */

/* Indices of itm_leavers[]: the entries of libc that end this process image. */
#define ITM_EXECVE     0
#define ITM_EXECV      1
#define ITM_EXECVP     2
#define ITM_EXECVPE    3
#define ITM_EXECL      4
#define ITM_EXECLE     5
#define ITM_EXECLP     6
#define ITM_FEXECVE    7
#define ITM_EXECVEAT   8
#define ITM_EXIT_NOW   9
#define ITM_EXIT_NOW_C 10
#define ITM_LEAVERS    11
/* clang-format on */

#endif
