/* SPDX-License-Identifier: MIT
 *
 * A preload library that watches libitm's hardware transactions from outside. It can also play them, that is, emulate
 * the instructions of RTM on a processor that has none. It is a witness for the profiler's reports, and shares no code
 * with the profiler.
 *
 * It counts the calls of GTM_begin_transaction(). libitm's begin calls this function after each failed try, and for
 * each transaction that runs in software. The library replaces the function in the only call instruction of
 * _ITM_beginTransaction. If it does not find that instruction it counts nothing, and prints no line.
 *
 * If the processor has no RTM, and RTM=play is in the environment (with ITM_DEFAULT_METHOD=htm), xbegin, xend, xabort
 * and xtest raise SIGILL. The handler does the same as these instructions, but it cannot roll back writes. So
 * transactions do not fail in the middle: only one at a time is "in hardware", and other tries fail at xbegin with a
 * conflict. Threads that may take the serial lock are held back until no transaction is in hardware: in
 * GTM_begin_transaction(), and at the end of a thread that has transacted. RTM_SCRIPT makes further tries fail. It is a
 * list such as 6,0,8: the status of each try in turn, or "-" for a try that does not fail. Each thread goes through the
 * list again and again, independently. With several lists, such as 0;-,6, the n-th thread that makes a try has the n-th
 * list, and all further threads have the last.
 *
 * With RTM_MIDDLE=N a transaction also fails, by a conflict, when it has written to N pages and is about to write to
 * another one. Then all its writes are rolled back (rtm_undo.c). This is for programs in which only one thread runs at
 * a time.
 *
 * At the end one line goes to the file descriptor RTM_OUT:
 *   entries=N software=N tries=N aborts=N
 * that is the calls of GTM_begin_transaction(), those of them without a failed try before, and the tries and aborts
 * that were played. Without RTM=play tries and aborts are 0, since they cannot be seen, and all entries count as
 * software.
 */
#include <cpuid.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "rtm_undo.h"

enum { MAY_TRY_AGAIN = 0x800000, TRY_AGAIN = 0x20, CONFLICT = 4 | 2 };

typedef uint32_t begin_function(uint32_t properties, const void *keep);

static begin_function *real_begin;
/* In libitm's serial lock, two words: the writers; and how often a transaction is tried in hardware, 0: not at all. */
static volatile uint32_t *lock;
static bool is_played;

static atomic_ullong entries, software, tries, aborts;

/* ---- one at a time ---- */

static atomic_int in_hardware; /* threads: 0 or 1 */
static atomic_int asking;      /* threads within GTM_begin_transaction() */

static __thread struct {
	int depth;
	bool has_failed; /* the try before this entry of GTM_begin_transaction() */
	unsigned number; /* threads are numbered from 1 in the order of their first tries; 0: no try yet */
	unsigned step;   /* how many tries have taken their status from the thread's list */
	greg_t registers[NGREG];
	struct _libc_fpstate floating; /* x87 and SSE; what AVX has beyond is not restored */
	greg_t handler;
} own __attribute__((tls_model("initial-exec")));

/* Each side announces what it does, and then looks at the other one: so at most one of them goes on. */
static bool enter_hardware(void)
{
	int nobody = 0;
	if (!atomic_compare_exchange_strong(&in_hardware, &nobody, 1))
		return false;
	if (atomic_load(&asking) == 0)
		return true;
	atomic_store(&in_hardware, 0);
	return false;
}

static void hold_back(void)
{
	atomic_fetch_add(&asking, 1);
	while (is_played && own.depth == 0 && atomic_load(&in_hardware) != 0)
		sched_yield();
}

static uint32_t begin_software(uint32_t properties, const void *keep)
{
	atomic_fetch_add(&entries, 1);
	if (!own.has_failed)
		atomic_fetch_add(&software, 1);
	own.has_failed = false;
	hold_back();
	uint32_t result = real_begin(properties, keep);
	if (is_played && lock[1] == 0)
		lock[1] = 2; /* as libitm does where the processor has RTM */
	atomic_fetch_sub(&asking, 1);
	return result;
}

/* libitm's destructor of what it knows of a thread. */
static void (*real_end)(void *);

static void end_thread(void *transaction)
{
	hold_back();
	real_end(transaction);
	atomic_fetch_sub(&asking, 1);
}

__attribute__((visibility("default"))) int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int (*create)(pthread_key_t *, void (*)(void *));
	void *found = dlsym(RTLD_NEXT, "pthread_key_create"), *code;
	Dl_info info;
	memcpy(&create, &found, sizeof create);
	memcpy(&code, &destructor, sizeof code);
	if (code == NULL || dladdr(code, &info) == 0 || strstr(info.dli_fname, "/libitm.so.1") == NULL)
		return create(key, destructor);
	real_end = destructor;
	return create(key, end_thread);
}

/* ---- the instructions ---- */

/* The calling thread's list. */
static const char *own_list(void)
{
	static atomic_uint threads;
	const char *list = getenv("RTM_SCRIPT"), *next;
	if (own.number == 0)
		own.number = 1 + atomic_fetch_add(&threads, 1);
	for (unsigned n = 1; list != NULL && n < own.number && (next = strchr(list, ';')) != NULL; n++)
		list = next + 1;
	return list;
}

/* The status of this try; -1: it does not fail. */
static long scripted(void)
{
	const char *list = own_list();
	unsigned len = 1, at = own.step++;
	if (list == NULL || *list == '\0')
		return -1;
	for (const char *c = list; *c != '\0' && *c != ';'; c++)
		len += *c == ',';
	for (at %= len; at > 0; at--)
		list = strchr(list, ',') + 1;
	return *list == '-' ? -1 : strtol(list, NULL, 0);
}

static void fail(greg_t *registers, uint32_t status)
{
	atomic_fetch_add(&aborts, 1);
	own.has_failed = true;
	registers[REG_RAX] = (greg_t)status;
	registers[REG_RIP] = own.handler;
}

/* An inner begin is no try of its own. The serial lock is not looked at here, even if the thread itself holds it: the
 * code behind xbegin looks at the lock, and runs xabort if it is held. */
static void xbegin(ucontext_t *context, int32_t displacement)
{
	greg_t *registers = context->uc_mcontext.gregs;
	registers[REG_RIP] += 6;
	if (own.depth > 0) {
		own.depth++;
		return;
	}
	atomic_fetch_add(&tries, 1);
	own.handler = registers[REG_RIP] + displacement;
	long status = scripted();
	if (status < 0 && !enter_hardware())
		status = CONFLICT;
	if (status >= 0) {
		fail(registers, (uint32_t)status);
		return;
	}
	memcpy(own.registers, registers, sizeof own.registers);
	own.floating = *context->uc_mcontext.fpregs;
	own.depth = 1;
	undo_watch();
}

static void leave_hardware(void)
{
	undo_forget();
	own.depth = 0;
	atomic_store(&in_hardware, 0);
}

/* The transaction fails in the middle. Its writes are rolled back already. */
static void fail_within(void *context)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
	memcpy(machine->gregs, own.registers, sizeof own.registers);
	*machine->fpregs = own.floating;
	leave_hardware();
	fail(machine->gregs, CONFLICT);
}

/* Comes only at the beginning of a transaction, so no writes have to be rolled back. */
static void xabort(greg_t *registers, uint8_t code)
{
	registers[REG_RIP] += 3;
	if (own.depth == 0)
		return;
	memcpy(registers, own.registers, sizeof own.registers);
	leave_hardware();
	fail(registers, (uint32_t)code << 24 | 1);
}

static void xend(greg_t *registers)
{
	registers[REG_RIP] += 3;
	if (--own.depth == 0)
		leave_hardware();
}

static void xtest(greg_t *registers)
{
	enum { ZERO_FLAG = 0x40 };
	registers[REG_RIP] += 3;
	if (own.depth > 0)
		registers[REG_EFL] &= ~(greg_t)ZERO_FLAG;
	else
		registers[REG_EFL] |= ZERO_FLAG;
}

static void play(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)registers[REG_RIP];
	int32_t displacement;
	(void)info;
	memcpy(&displacement, at + 2, sizeof displacement);
	/* The return from the handler sets the signal stack of the context, so a new one is written there, too. */
	undo_thread(&((ucontext_t *)context)->uc_stack);
	if (memcmp(at, "\xc7\xf8", 2) == 0)
		xbegin(context, displacement);
	else if (memcmp(at, "\xc6\xf8", 2) == 0)
		xabort(registers, at[2]);
	else if (memcmp(at, "\x0f\x01\xd5", 3) == 0)
		xend(registers);
	else if (memcmp(at, "\x0f\x01\xd6", 3) == 0)
		xtest(registers);
	else
		(void)!sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

/* ---- replacing the call ---- */

/* A jump to begin_software() within reach of the call. */
static uint8_t *make_jump(const uint8_t *near)
{
	static const uint8_t code[] = {0xff, 0x25, 0, 0, 0, 0};
	const uintptr_t page = 4096;
	begin_function *to = begin_software;
	for (uintptr_t away = page; away < ((uintptr_t)1 << 30); away += 16 * page) {
		uint8_t *wanted = (uint8_t *)(((uintptr_t)near & ~(page - 1)) - away);
		uint8_t *found = mmap(
			wanted, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (found == MAP_FAILED)
			continue;
		memcpy(found, code, sizeof code);
		memcpy(found + sizeof code, &to, sizeof to);
		mprotect(found, page, PROT_READ | PROT_EXEC);
		return found;
	}
	return NULL;
}

/* The bytes behind the call are those that check its result. */
static uint8_t *find_call(uint8_t *begin)
{
	for (uint8_t *at = begin + 100; at < begin + 160; at++)
		if (*at == 0xe8 && memcmp(at + 5, "\x8b\x3c\x24\x48\x83\xc4\x48\x83\xf8\x20", 10) == 0)
			return at;
	return NULL;
}

static void find_lock(const uint8_t *begin)
{
	int32_t displacement;
	if (memcmp(begin, "\xf3\x0f\x1e\xfa", 4) == 0)
		begin += 4;
	memcpy(&displacement, begin + 2, sizeof displacement);
	lock = (volatile uint32_t *)((uintptr_t)begin + 7 + (uintptr_t)(intptr_t)displacement) - 1;
}

static void watch(uint8_t *begin)
{
	uint8_t *call = find_call(begin), *jump = call != NULL ? make_jump(begin) : NULL;
	int32_t displacement;
	if (jump == NULL)
		return;
	memcpy(&displacement, call + 1, sizeof displacement);
	uintptr_t target = (uintptr_t)call + 5 + (uintptr_t)(intptr_t)displacement;
	memcpy(&real_begin, &target, sizeof real_begin);
	find_lock(begin);
	displacement = (int32_t)(jump - (call + 5));
	uint8_t *page = (uint8_t *)((uintptr_t)call & ~(uintptr_t)4095);
	mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(call + 1, &displacement, sizeof displacement);
	mprotect(page, 8192, PROT_READ | PROT_EXEC);
}

static bool has_rtm(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_RTM) != 0;
}

__attribute__((constructor)) static void begin_watching(void)
{
	const char *wanted = getenv("RTM"), *method = getenv("ITM_DEFAULT_METHOD");
	void *begin = dlsym(RTLD_NEXT, "_ITM_beginTransaction");
	void *library = dlopen("libitm.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (library != NULL)
		begin = dlsym(library, "_ITM_beginTransaction"); /* not that of another preloaded library */
	if (begin == NULL || library == NULL)
		return;
	watch(begin);
	is_played = real_begin != NULL && wanted != NULL && strcmp(wanted, "play") == 0 && method != NULL &&
		    strcmp(method, "htm") == 0 && !has_rtm();
	if (is_played) {
		struct sigaction action = {.sa_sigaction = play, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
		const char *middle = getenv("RTM_MIDDLE");
		undo_prepare(middle != NULL ? (unsigned)atoi(middle) : 0, fail_within);
		sigaction(SIGILL, &action, NULL);
	}
}

__attribute__((destructor)) static void tell(void)
{
	const char *fd = getenv("RTM_OUT");
	if (fd == NULL || real_begin == NULL)
		return;
	dprintf(atoi(fd), "entries=%llu software=%llu tries=%llu aborts=%llu\n", atomic_load(&entries),
		atomic_load(&software), atomic_load(&tries), atomic_load(&aborts));
}
