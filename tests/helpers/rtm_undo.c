/* SPDX-License-Identifier: MIT
 *
 * Makes all writable memory read-only. The first write to a page raises a signal, and the handler keeps a copy of the
 * page. The data that the handlers write are in this library and on its own stacks, which stay writable.
 */
#include "rtm_undo.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 512, AREAS = 256, MAPS = 1 << 17, STACK = 1 << 16 };

struct area {
	uintptr_t start, end;
};

/* A single mapping with all that is written while other memory is watched; made once. */
static struct undo {
	bool is_on;
	unsigned limit;
	void (*fail)(void *context);
	unsigned area_count, page_count;
	struct area areas[AREAS];
	uintptr_t pages[PAGES];
	char copies[PAGES][PAGE];
	char maps[MAPS];
} * undo;

/* Stacks for signals. They are recognised by their size, which no other mapping has, and stay writable. */
enum { OWN_SIZE = STACK + 16 * PAGE };

static uintptr_t hex(const char **at)
{
	char *end;
	uintptr_t number = strtoul(*at, &end, 16);
	*at = end + 1;
	return number;
}

static bool is_ours(uintptr_t start, uintptr_t end)
{
	static int data;
	uintptr_t own = (uintptr_t)undo, library = (uintptr_t)&data;
	return (start <= own && own < end) || (start <= library && library < end) || end - start == OWN_SIZE;
}

/* A line of /proc/self/maps: "START-END rw-p ... NAME". */
static void take_line(const char *line)
{
	const char *at = line;
	uintptr_t start = hex(&at), end = hex(&at);
	bool is_special = strstr(line, "[v") != NULL;
	if (strncmp(at, "rw-p", 4) == 0 && !is_special && !is_ours(start, end) && undo->area_count < AREAS)
		undo->areas[undo->area_count++] = (struct area){start, end};
}

static void find_areas(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t got;
	while (fd >= 0 && len < MAPS - 1 && (got = read(fd, undo->maps + len, MAPS - 1 - len)) > 0)
		len += (size_t)got;
	close(fd);
	undo->maps[len] = '\0';
	undo->area_count = 0;
	for (char *line = undo->maps, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		take_line(line);
	}
}

static void protect(int protection)
{
	for (unsigned i = 0; i < undo->area_count; i++)
		mprotect((void *)undo->areas[i].start, undo->areas[i].end - undo->areas[i].start, protection);
}

void undo_watch(void)
{
	if (undo == NULL || undo->limit == 0)
		return;
	find_areas();
	undo->page_count = 0;
	undo->is_on = true;
	protect(PROT_READ);
}

void undo_forget(void)
{
	if (undo == NULL || !undo->is_on)
		return;
	protect(PROT_READ | PROT_WRITE);
	undo->is_on = false;
}

static void roll_back(void)
{
	undo_forget();
	while (undo->page_count > 0) {
		undo->page_count--;
		memcpy((void *)undo->pages[undo->page_count], undo->copies[undo->page_count], PAGE);
	}
}

static bool is_watched(uintptr_t address)
{
	for (unsigned i = 0; i < undo->area_count; i++)
		if (address - undo->areas[i].start < undo->areas[i].end - undo->areas[i].start)
			return undo->is_on;
	return false;
}

/* If there are more pages than expected, the transaction ends, too. */
static void keep_page(int signal, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
	if (!is_watched(page)) {
		(void)!sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		return;
	}
	if (undo->page_count == undo->limit || undo->page_count == PAGES) {
		roll_back();
		undo->fail(context);
		return;
	}
	memcpy(undo->copies[undo->page_count], (void *)page, PAGE);
	undo->pages[undo->page_count++] = page;
	mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
}

void undo_prepare(unsigned pages, void (*fail)(void *context))
{
	void *memory = mmap(NULL, sizeof *undo, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		abort();
	undo = memory;
	undo->limit = pages;
	undo->fail = fail;
	struct sigaction action = {.sa_sigaction = keep_page, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
	sigaction(SIGSEGV, &action, NULL);
}

/* As the kernel tells: its state stands behind the name in parentheses. */
static bool is_asleep(const char *task)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", task);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	const char *behind = strrchr(text, ')');
	return behind == NULL || behind[1] == '\0' || behind[2] == 'S';
}

/* The thread that has started this one may be about to wait for it. */
static void await_others(void)
{
	char own[32];
	bool are_asleep;
	snprintf(own, sizeof own, "%d", (int)gettid());
	do {
		DIR *tasks = opendir("/proc/self/task");
		are_asleep = true;
		for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;)
			are_asleep &=
				task->d_name[0] == '.' || strcmp(task->d_name, own) == 0 || is_asleep(task->d_name);
		closedir(tasks);
	} while (!are_asleep);
}

void undo_thread(stack_t *stack)
{
	static __thread bool has_stack __attribute__((tls_model("initial-exec")));
	if (has_stack)
		return;
	char *memory = mmap(NULL, OWN_SIZE + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		abort();
	mprotect(memory + PAGE, OWN_SIZE,
		PROT_READ | PROT_WRITE); /* between two pages, so that no neighbour is joined */
	*stack = (stack_t){.ss_sp = memory + PAGE, .ss_size = OWN_SIZE};
	sigaltstack(stack, NULL);
	has_stack = true;
	if (undo->limit != 0)
		await_others();
}
