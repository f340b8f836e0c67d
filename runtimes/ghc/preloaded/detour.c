/* SPDX-License-Identifier: MIT
 * Looks at each byte e8; then writes the stubs and the distances. */
#include "detour.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "requires.h"

/* ---- finding calls ---- */

#define CALL 0xe8

static uintptr_t target_of(const unsigned char *call)
{
	int32_t distance;
	memcpy(&distance, call + 1, sizeof distance);
	return (uintptr_t)call + CALL_BYTES + (uintptr_t)(intptr_t)distance;
}

static void note(struct calls *calls, unsigned char *call, const uintptr_t *functions, size_t len)
{
	uintptr_t target = target_of(call);
	for (size_t i = 0; i < len; i++) {
		if (functions[i] != target)
			continue;
		if (calls->len < CALLS_MAX)
			calls->calls[calls->len] = (struct call){call, i};
		calls->len++;
		return;
	}
}

void calls_find(struct calls *calls, unsigned char *code, size_t size, const uintptr_t *functions, size_t len)
{
	unsigned char *end = code + size;
	while (end - code >= CALL_BYTES && (code = memchr(code, CALL, (size_t)(end - code) - CALL_BYTES + 1)) != NULL)
		note(calls, code++, functions, len);
}

size_t calls_of(const struct calls *calls, size_t function)
{
	size_t count = 0;
	for (size_t i = 0; i < calls->len && i < CALLS_MAX; i++)
		count += calls->calls[i].function == function;
	return count;
}

/* jmp *address; the address is stored directly after the instruction. */
struct stub {
	unsigned char jump[6], unused[2];
	const void *address;
};

static const struct stub empty_stub = {{0xff, 0x25, 0x02, 0x00, 0x00, 0x00}, {0xcc, 0xcc}, NULL};

/* ---- stubs ---- */

/* Makes the stubs below 2 GiB, where calls of a program without position-independent code reach. NULL: there is no
 * memory, or the kernel lets nobody write code. */
static const struct stub *make_stubs(const void *const *hooks, size_t len)
{
	size_t size = len * sizeof(struct stub);
	struct stub *stubs = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (stubs == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		stubs[i] = empty_stub;
		stubs[i].address = hooks[i];
	}
	if (mprotect(stubs, size, PROT_READ | PROT_EXEC) == 0)
		return stubs;
	munmap(stubs, size);
	return NULL;
}

/* ---- leading calls ---- */

static intptr_t distance(const struct call *call, const struct stub *stubs)
{
	return (intptr_t)((uintptr_t)&stubs[call->function] - (uintptr_t)(call->at + CALL_BYTES));
}

static bool are_near(const struct calls *calls, const struct stub *stubs)
{
	for (size_t i = 0; i < calls->len; i++)
		if (distance(&calls->calls[i], stubs) != (int32_t)distance(&calls->calls[i], stubs))
			return false;
	return true;
}

/* Sets the protection of the one or two pages that have the call. */
static bool protect(const struct call *call, int protection)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)call->at & ~(page - 1);
	uintptr_t end = ((uintptr_t)call->at + CALL_BYTES + page - 1) & ~(page - 1);
	return mprotect((void *)first, end - first, protection) == 0;
}

/* The pages stay executable while they are written, since a kernel that allows code to be changed at all may still
 * refuse to make it executable afterwards. */
static size_t open_pages(const struct calls *calls)
{
	size_t len = 0;
	while (len < calls->len && protect(&calls->calls[len], PROT_READ | PROT_WRITE | PROT_EXEC))
		len++;
	return len;
}

static void close_pages(const struct calls *calls, size_t len)
{
	for (size_t i = 0; i < len; i++)
		protect(&calls->calls[i], PROT_READ | PROT_EXEC);
}

static void redirect(const struct call *call, const struct stub *stubs)
{
	int32_t to = (int32_t)distance(call, stubs);
	memcpy(call->at + 1, &to, sizeof to);
}

#ifdef STMLOG_CHECKS
static bool are_all_noted(const struct calls *calls, size_t functions)
{
	for (size_t i = 0; i < calls->len && calls->len <= CALLS_MAX; i++)
		if (calls->calls[i].function >= functions)
			return false;
	return calls->len <= CALLS_MAX;
}
#endif

bool detour_redirect(const struct calls *calls, const void *const *hooks, size_t len)
{
	REQUIRES(are_all_noted(calls, len));
	const struct stub *stubs = make_stubs(hooks, len);
	if (stubs == NULL || !are_near(calls, stubs)) /* the stubs stay: this happens once in a process */
		return false;
	size_t opened = open_pages(calls);
	for (size_t i = 0; opened == calls->len && i < calls->len; i++)
		redirect(&calls->calls[i], stubs);
	close_pages(calls, opened == calls->len ? opened : opened + 1); /* a call in two pages may have one open */
	return opened == calls->len;
}
