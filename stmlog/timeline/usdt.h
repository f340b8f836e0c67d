/* SPDX-License-Identifier: MIT
 *
 * Static probes (USDT) for perf, bpftrace and SystemTap. A probe is one nop instruction, and a note in the ELF file
 * that says where its arguments are. So each argument is a register or a word in memory that exists anyway.
 * runtimes/README.md lists the arguments; later versions may append further ones.
 */
#ifndef STMLOG_USDT_H
#define STMLOG_USDT_H

/* Clang stores all arguments to the stack for a probe, so there are no probes in its builds. */
#ifndef __clang__
#include <sys/sdt.h>

/* The thread's number, without the load that a volatile word would need. Only the thread itself stores it. */
#define USDT_ID(thread) (*(const AO_t *)&(thread)->id)
#define USDT_LOSS(name, thread, loss, lost_ns)                                                                \
	STAP_PROBE7(stmlog, name, USDT_ID(thread), (loss)->cause.reason, (loss)->cause.contention, (lost_ns), \
		(loss)->cause.detail, (loss)->object, (loss)->remote_thread)
#define USDT_COMMIT(thread) \
	STAP_PROBE3(stmlog, commit, USDT_ID(thread), (thread)->so_far.tries, (thread)->so_far.tries_ns)
/* `at`: a struct stmlog_event. The probe has a semaphore, `stmlog_event_semaphore`: a tracer adds 1 to it while it
 * wants the events. */
#define USDT_SEMAPHORE __attribute__((section(".probes")))
#define USDT_EVENT(at, word) \
	STAP_PROBE6(stmlog, event, (at)->thread, (at)->kind, (at)->time_ns, (at)->argument, (word), (at)->detail)
#else
#define USDT_LOSS(name, thread, loss, lost_ns) ((void)0)
#define USDT_COMMIT(thread) ((void)0)
#define USDT_SEMAPHORE
#define USDT_EVENT(at, word) ((void)0)
#endif

#endif
