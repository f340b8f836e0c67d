/* SPDX-License-Identifier: MIT
 *
 * Forks, gives up the copy of the program's memory, and traces the companion with PTRACE_O_TRACEEXIT: the kernel stops
 * it before it gives up its memory, also if it was killed. The program's addresses stay mapped, without access: so
 * nothing else is mapped there, and a handler of SIGSEGV reads the pages that are needed.
 *
 * A system call does not raise SIGSEGV for a page that is not there: it fails. So `inherit` must have read the memory
 * that it passes to system calls.
 */
#include "heir.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "decimal.h"
#include "maps.h"

/* Not 0, so that they are not in .bss, which the heir vacates; the handler needs them. */
static pid_t traced = -1;
static uintptr_t page_bytes = 4096;

/* ---- memory ---- */

/* Copies a part of the companion's memory to the same addresses. */
static bool copy(uintptr_t start, size_t len)
{
	struct iovec part = {(void *)start, len};
	return process_vm_readv(traced, &part, 1, &part, 1, 0) == (ssize_t)len;
}

/* Maps the page, and reads it from the companion. If there is no such page, the instruction that has asked for it ends
 * the process. */
static void read_page(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	uintptr_t start = (uintptr_t)info->si_addr & ~(page_bytes - 1);
	void *page =
		mmap((void *)start, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	(void)context;
	if (page == MAP_FAILED || !copy(start, page_bytes)) {
		munmap((void *)start, page_bytes);
		signal(number, SIG_DFL);
	}
	errno = saved;
	/* cppcheck-suppress memleak ; the page stays there */
}

static void read_pages_on_demand(void)
{
	struct sigaction action = {.sa_sigaction = read_page, .sa_flags = SA_SIGINFO | SA_NODEFER};
	sigset_t fault;
	sigemptyset(&fault);
	sigaddset(&fault, SIGSEGV);
	sigaction(SIGSEGV, &action, NULL);
	pthread_sigmask(SIG_UNBLOCK, &fault, NULL);
}

/* `replace`: MAP_FIXED, or MAP_FIXED_NOREPLACE, with which what is mapped there stays. */
static void vacate(uintptr_t start, uintptr_t end, int replace)
{
	if (start < end)
		/* cppcheck-suppress leakReturnValNotUsed ; the address is known */
		(void)mmap((void *)start, end - start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | replace,
			-1, 0);
}

/* Variables of modules that do not begin as 0: they are mapped from the modules' files. */
static bool are_variables(const struct mapping *mapping)
{
	enum { BYTES_MAX = 1 << 20 }; /* a larger file is rather the program's data */
	return mapping->is_private_data && mapping->path != NULL && mapping->end - mapping->start <= BYTES_MAX;
}

/* Keeps this process's stack and thread-local memory, variables, and what cannot be written to. */
static bool vacate_mapping(const struct mapping *mapping, void *own_memory)
{
	uintptr_t own = (uintptr_t)own_memory, own_end = own + COMPANION_BYTES;
	bool is_kept = !mapping->is_private_data || are_variables(mapping);
	int replace = is_kept ? MAP_FIXED_NOREPLACE : MAP_FIXED;
	vacate(mapping->start, mapping->end < own ? mapping->end : own, replace);
	vacate(mapping->start > own_end ? mapping->start : own_end, mapping->end, replace);
	return true;
}

/* What cannot be copied is read on demand. */
static bool copy_variables(const struct mapping *mapping, void *unused)
{
	(void)unused;
	if (are_variables(mapping))
		copy(mapping->start, mapping->end - mapping->start);
	return true;
}

/* Vacates the companion's mappings, and so what was read before from the living companion. */
static void take_over_memory(const struct companion *self)
{
	char path[sizeof "/proc//maps" + DECIMAL_SIZE], number[DECIMAL_SIZE];
	struct maps_line line;
	stpcpy(stpcpy(stpcpy(path, "/proc/"), decimal_text(number, (uint64_t)traced)), "/maps");
	maps_visit(path, &line, vacate_mapping, self->memory);
	maps_visit(path, &line, copy_variables, NULL);
}

/* Gets the pages now: when the program is killed, there are none until these are given back. */
static void *get_pages(size_t bytes)
{
	volatile char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t at = 0; (void *)memory != MAP_FAILED && at < bytes; at += page_bytes)
		memory[at] = 1;
	return (void *)memory;
}

/* ---- the companion ---- */

/* Yama allows it only after the companion's prctl(). */
static bool trace(void)
{
	static const struct timespec nap = {0, 1000000};
	enum { TRIES = 100 };
	for (int i = 0; i < TRIES; i++) {
		if (ptrace(PTRACE_SEIZE, traced, NULL, PTRACE_O_TRACEEXIT) == 0)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

/* The companion gets all its signals, and stops if one of them says so. Returns when it is about to end: whether
 * SIGKILL ends it. */
static bool wait_until_killed(void)
{
	int status;
	unsigned long end = 0;
	while (waitpid(traced, &status, __WALL) == traced && WIFSTOPPED(status)) {
		int event = status >> 16, number = WSTOPSIG(status);
		if (event == PTRACE_EVENT_EXIT)
			return ptrace(PTRACE_GETEVENTMSG, traced, NULL, &end) == 0 && WTERMSIG((int)end) == SIGKILL;
		if (event == PTRACE_EVENT_STOP && number != SIGTRAP)
			ptrace(PTRACE_LISTEN, traced, NULL, NULL);
		else
			ptrace(PTRACE_CONT, traced, NULL, event == 0 ? number : 0);
	}
	return false;
}

/* Whether all threads of the process end within a second. Needs no memory. */
static bool ends(int process)
{
	struct pollfd end = {.fd = process, .events = POLLIN};
	return poll(&end, 1, 1000) == 1;
}

/* `self` is a copy, since the companion's own is vacated. */
static void serve(struct companion self, void (*inherit)(void), size_t reserve_bytes)
{
	struct maps_line line;
	int host = (int)syscall(SYS_pidfd_open, self.host, 0);
	if (host < 0 || !trace())
		return;
	prctl(PR_SET_NAME, "stmlog-heir", 0, 0, 0);
	read_pages_on_demand();
	maps_visit(MAPS_OF_SELF, &line, vacate_mapping, self.memory);
	void *reserve = get_pages(reserve_bytes);
	bool is_needed = wait_until_killed() && ends(host);
	munmap(reserve, reserve_bytes);
	if (!is_needed)
		return;
	take_over_memory(&self);
	inherit();
}

pid_t heir_start(const struct companion *self, void (*inherit)(void), size_t reserve_bytes)
{
	REQUIRES(companion_is_here(self));
	traced = getpid();
	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	if (self->is_elsewhere)
		return -1;
	pid_t heir = _Fork(); /* runs no handlers of pthread_atfork() */
	if (heir == 0) {
		serve(*self, inherit, reserve_bytes);
		_exit(0);
	}
	if (heir > 0)
		prctl(PR_SET_PTRACER, heir, 0, 0, 0);
	return heir;
}
