/* SPDX-License-Identifier: MIT
 * See watch.h. The filter sends a signal for each system call but those of watch_syscall(), which it knows by their
 * address. The handler counts the call, and makes it by watch_syscall(). Readings of a thread's processor time, and
 * getrusage(), pass the filter and are counted by functions of the same name: a signal would be one more interruption,
 * for which the agent would look at both again.
 *
 * Allocations and locks are counted where the caller is in a module of stmlog's; in a program that embeds the library,
 * all are. The program is linked with -rdynamic, so that an agent calls these functions, too. */
#include "watch.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

enum { NUMBERS = 1024 };

static volatile int is_watching;
static volatile unsigned long syscalls[NUMBERS], allocations, locks, usages, cpu_clocks;
static uintptr_t from, until; /* of stmlog's module */

static void count(volatile unsigned long *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

/* ---- allocations and locks ---- */

static void count_of_ours(volatile unsigned long *number, const void *caller)
{
	if (is_watching && (uintptr_t)caller - from < until - from)
		count(number);
}

#define CALLER __builtin_return_address(0)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t len, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
	count_of_ours(&allocations, CALLER);
	return __libc_malloc(size);
}

void *calloc(size_t len, size_t size)
{
	count_of_ours(&allocations, CALLER);
	return __libc_calloc(len, size);
}

void *realloc(void *memory, size_t size)
{
	count_of_ours(&allocations, CALLER);
	return __libc_realloc(memory, size);
}

void free(void *memory)
{
	count_of_ours(&allocations, CALLER);
	__libc_free(memory);
}

static struct {
	int (*lock)(pthread_mutex_t *mutex);
	int (*clock)(clockid_t id, struct timespec *time);
	int (*usage)(__rusage_who_t who, struct rusage *usage);
} real;

static void *found(void *known, const char *name)
{
	return known != NULL ? known : dlsym(RTLD_NEXT, name);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	count_of_ours(&locks, CALLER);
	*(void **)&real.lock = found(*(void **)&real.lock, "pthread_mutex_lock");
	return real.lock(mutex);
}

/* ---- calls that pass the filter ---- */

int clock_gettime(clockid_t id, struct timespec *time)
{
	if (is_watching && id == CLOCK_THREAD_CPUTIME_ID)
		count(&cpu_clocks);
	*(void **)&real.clock = found(*(void **)&real.clock, "clock_gettime");
	return real.clock(id, time);
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	if (is_watching)
		count(&usages);
	*(void **)&real.usage = found(*(void **)&real.usage, "getrusage");
	return real.usage(who, usage);
}

/* ---- the filter ---- */

/* watch_syscall(NUMBER, six arguments); the kernel sees the address behind the instruction. */
long watch_syscall(long number, ...) __attribute__((visibility("hidden")));
extern const char watch_syscall_behind[] __attribute__((visibility("hidden")));
__asm__(".text\n.globl watch_syscall\n.hidden watch_syscall\n.type watch_syscall, @function\nwatch_syscall:\n"
	"mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\nmov %r8, %r10\nmov %r9, %r8\nmov 8(%rsp), "
	"%r9\n"
	"syscall\n.globl watch_syscall_behind\n.hidden watch_syscall_behind\nwatch_syscall_behind:\nret\n"
	".size watch_syscall, . - watch_syscall\n");

void watch_yield(void)
{
	watch_syscall(SYS_sched_yield, 0L, 0L, 0L, 0L, 0L, 0L);
}

static void take_call(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	(void)signal;
	if (is_watching)
		count(&syscalls[(unsigned)info->si_syscall < NUMBERS ? info->si_syscall : 0]);
	registers[REG_RAX] = watch_syscall(info->si_syscall, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
		registers[REG_R10], registers[REG_R8], registers[REG_R9]);
}

#define FIELD(member) offsetof(struct seccomp_data, member)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define UNLESS(value, jump) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, jump)
#define ANSWER(answer) BPF_STMT(BPF_RET | BPF_K, answer)
#define PASS_IF_NUMBER(number) UNLESS(number, 1), ANSWER(SECCOMP_RET_ALLOW)

/* By an instruction of its own: what the agent asks of the system is to be seen as it is without a filter, and the
 * agent looks for filters in calls of syscall() (runtimes/libitm/life/process_calls.c). */
static bool filter(void)
{
	uint64_t behind = (uintptr_t)watch_syscall_behind;
	struct sock_filter steps[] = {
		LOAD(FIELD(nr)),
		PASS_IF_NUMBER(SYS_rt_sigreturn),
		PASS_IF_NUMBER(SYS_getrusage),
		UNLESS(SYS_clock_gettime, 3),
		LOAD(FIELD(args)),
		UNLESS(CLOCK_THREAD_CPUTIME_ID, 1),
		ANSWER(SECCOMP_RET_ALLOW),
		LOAD(FIELD(instruction_pointer)),
		UNLESS(behind, 3),
		LOAD(FIELD(instruction_pointer) + 4),
		UNLESS(behind >> 32, 1),
		ANSWER(SECCOMP_RET_ALLOW),
		ANSWER(SECCOMP_RET_TRAP),
	};
	struct sock_fprog program = {sizeof steps / sizeof steps[0], steps};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       watch_syscall(SYS_seccomp, (long)SECCOMP_SET_MODE_FILTER, (long)SECCOMP_FILTER_FLAG_TSYNC, &program, 0L,
		       0L, 0L) == 0;
}

/* ---- the two moments ---- */

static int find_ours(struct dl_phdr_info *module, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (strstr(module->dlpi_name, "libstmlog") == NULL)
		return 0;
	from = UINTPTR_MAX;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
		if (part->p_type != PT_LOAD)
			continue;
		from = start < from ? start : from;
		until = end > until ? end : until;
	}
	return 1;
}

static void end_skipped(const char *why)
{
	fprintf(stderr, "%s\n", why);
	_exit(77);
}

void watch_begin(void)
{
	struct sigaction action = {.sa_sigaction = take_call, .sa_flags = SA_SIGINFO};
	struct timespec now;
	struct rusage usage;
	until = 0;
	if (dl_iterate_phdr(find_ours, NULL) == 0)
		until = UINTPTR_MAX;
	sigaction(SIGSYS, &action, NULL);
	if (!filter())
		end_skipped("no filter for system calls here (seccomp)");
	getrusage(RUSAGE_THREAD, &usage);
	is_watching = 1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	is_watching = 0;
	if (syscalls[SYS_clock_gettime] != 0)
		end_skipped("clock_gettime() is a system call here");
	is_watching = 1;
}

static void print(const char *name, unsigned long number)
{
	if (number != 0)
		printf("%s %lu\n", name, number);
}

void watch_end(void)
{
	is_watching = 0;
	for (int i = 0; i < NUMBERS; i++)
		if (syscalls[i] != 0)
			printf("syscall %d %lu\n", i, syscalls[i]);
	print("allocation", allocations);
	print("lock", locks);
	print("getrusage", usages);
	print("cpu-clock", cpu_clocks);
	puts("watched");
	fflush(stdout);
	_exit(0);
}
