/* SPDX-License-Identifier: MIT
 *
 * The numbers that the agent's assembly and C share: offsets of members of struct itm_thread, values that are stored in
 * them, and constants of libitm's ABI. state.c and ring.c assert that the offsets are right.
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
#define ITM_READS_LIMIT 72
#define ITM_LENGTH    80
#define ITM_CONTEXT   88
#define ITM_EXACT     92
#define ITM_LOCK_WORD 96
#define ITM_WORD_TABLE 104
#define ITM_CRITICAL  112
#define ITM_READS_END 120
#define ITM_BEGAN     128
#define ITM_RETURNED  136
#define ITM_RESTARTED 144
#define ITM_TIME_NEXT 152
#define ITM_COUNTDOWN_NEXT 156
#define ITM_WATCH_SITE 160
#define ITM_WEIGHT    168
#define ITM_WEIGHT_NEXT 176
#define ITM_FAILED    184
#define ITM_LATE_FROM 192
#define ITM_HALF_FROM 200
#define ITM_LOOK_FROM 208
#define ITM_BEFORE    216

/* Bits of `flags`, about the transaction under way. All are clear when a transaction begins. */
#define ITM_ARMED      1 /* libitm will call the agent's undo action, or the transaction cannot restart */
#define ITM_MEASURED   2 /* stmlog_start() was called for it */
#define ITM_CANCELLING 4 /* the program cancels the outermost transaction */
#define ITM_TIMED      8 /* its waits inside libitm are measured (wait.h) */
#define ITM_FIRST     16 /* it is the thread's first */
#define ITM_SERIAL    32 /* if it waits before an attempt, it waits for the serial lock */
#define ITM_RAN_ALONE 64 /* under htm: it commits without the hardware, with the serial lock (counts.h) */
#define ITM_STOPWATCH 512 /* it is only timed (stopwatch.h) */
#define ITM_FINDS_HELD 1024 /* the serial lock is taken as it begins; before it begins: it is to be measured */
#define ITM_UPGRADED 2048 /* it has become irrevocable: it may sleep in functions of the system */
#define ITM_BARE 4096 /* measured without data barriers: it was begun between two bursts (bursts.h) */
#define ITM_FAST_PATH 8192 /* it has begun on the fast path (attempts.c) */
#define ITM_LATE 16384 /* measured from a later attempt on (late.c) */
#define ITM_HAS_FREED 32768 /* it has called a function that frees memory (other_entries.c) */
#define ITM_PRESUMED 65536 /* its thread is presumed to have slept in it (preemption.h) */

/* Values of `kind`: the entry of libitm that the transaction called last. Of a data barrier, the size of the access
 * stands above it; ITM_SIZE_ARGUMENT: `length` has the size, as with the memcpy family. */
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

/* Added to `slot` by a barrier that only reads: the list of reads has its access, and `kind`, `size` and `address` are of
 * an earlier entry. */
#define ITM_SLOT_OF_READ 1

/* An entry of the list of reads is two words (struct itm_read). The first has the address, and above it the exclusive or
 * of the size and ITM_READ_SIZE: so that of most reads is their address. The second is the return address. */
#define ITM_READ_SIZE 8
#define ITM_READ_SIZE_SHIFT 48

/* What a data barrier records: the address that it reads (thread's list of reads), the address that it writes (ring).
 * Only the first access to an address in the transaction is recorded, as far as the compiler knows which is first. */
#define ITM_LEAVES_NOTHING 0
#define ITM_LEAVES_READ    1
#define ITM_LEAVES_WRITE   2
#define ITM_LEAVES_BOTH    3

/* struct itm_ring (ring.h): the offset and the size of its entries, and the offset of `site`. */
#define ITM_RING_HEADER   640
#define ITM_RING_BYTES    16384
#define ITM_RING_SITE     8

/* The bits of a word that hold an address of user space; the others may hold something else. */
#define ITM_RING_ADDRESS  0xffffffffffff

/* The argument and the result of begin: libitm's ABI. */
#define ITM_RUNS_INSTRUMENTED 1 /* argument: the transaction has such code; result: run it */
#define ITM_RUNS_UNINSTRUMENTED 2 /* argument: the transaction has such code; result: run it */
#define ITM_HAS_NO_CANCEL 8       /* argument */
#define ITM_GOES_IRREVOCABLE 64 /* argument: irrevocable from the start */
#define ITM_SAVES_LIVE     4  /* first return: software, and able to restart */
#define ITM_RESTORES_LIVE  8  /* a later return */
#define ITM_ABORTED        16 /* ... because the program cancelled */
#define ITM_USER_ABORT     1  /* _ITM_abortTransaction's argument */
#define ITM_OUTER_ABORT    16
#define ITM_IS_IRREVOCABLE 2 /* _ITM_inTransaction's result */
#define ITM_LOCK_FACTOR 81007 /* of the hash that gives a stripe its lock (libitm_layout.h) */
#define ITM_NO_TRANSACTION 1 /* the commit action belongs to the outermost transaction */

/* Indices of leavers[] in process_calls.c: the functions of libc that end this process image. */
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

/* Indices of real_filters[] in process_calls.c. */
#define ITM_PRCTL   0
#define ITM_SYSCALL 1
/* clang-format on */

#endif
