/* SPDX-License-Identifier: MIT
 * Looks at each byte e8, or at each that may load an address; then writes the stubs, the distances and the addresses.
 */
#include "detour.h"

#include <string.h>
#include <sys/mman.h>

#include "real.h"
#include "requires.h"

/* ---- finding calls ---- */

#define CALL 0xe8

static bool is_call(const unsigned char *operand)
{
	return operand[-1] == CALL;
}

/* lea OPERAND(%rip),REGISTER */
static bool is_load_by_distance(const unsigned char *operand)
{
	return operand[-2] == 0x8d && (operand[-1] & 0xc7) == 0x05;
}

/* mov $OPERAND,REGISTER */
static bool is_load_of_number(const unsigned char *operand)
{
	return (operand[-1] & 0xf8) == 0xb8;
}

uintptr_t calls_target(const unsigned char *operand)
{
	int32_t value;
	memcpy(&value, operand, sizeof value);
	if (is_call(operand) || is_load_by_distance(operand))
		return (uintptr_t)operand + OPERAND_BYTES + (uintptr_t)(intptr_t)value;
	return is_load_of_number(operand) ? (uint32_t)value : 0;
}

static void note(struct calls *calls, unsigned char *operand, const uintptr_t *functions, size_t len)
{
	uintptr_t target = calls_target(operand);
	for (size_t i = 0; i < len; i++) {
		if (functions[i] != target)
			continue;
		if (calls->len < CALLS_MAX)
			calls->calls[calls->len] = (struct call){operand, i, is_load_of_number(operand)};
		calls->len++;
		return;
	}
}

void calls_find(struct calls *calls, unsigned char *code, size_t size, const uintptr_t *functions, size_t len)
{
	unsigned char *end = code + size;
	while (end - code > OPERAND_BYTES && (code = memchr(code, CALL, (size_t)(end - code) - OPERAND_BYTES)) != NULL)
		note(calls, ++code, functions, len);
}

void calls_find_loads(struct calls *calls, unsigned char *code, size_t size, const uintptr_t *functions, size_t len)
{
	for (size_t at = OPERAND_BEFORE; at + OPERAND_BYTES <= size; at++)
		if (is_load_by_distance(code + at) || is_load_of_number(code + at))
			note(calls, code + at, functions, len);
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

/* Where the calls reach them: those of a program without position-independent code reach 2 GiB; a shared library lies
 * beside other mappings. NULL: as near_code_make(). */
static const struct stub *make_stubs(const struct calls *calls, const void *const *hooks, size_t len)
{
	bool is_low = calls->len == 0 || (uintptr_t)calls->calls[0].operand <= INT32_MAX;
	struct stub stubs[CALLS_MAX];
	for (size_t i = 0; i < len; i++) {
		stubs[i] = empty_stub;
		stubs[i].address = hooks[i];
	}
	return near_code_make(stubs, len * sizeof *stubs, is_low);
}

/* ---- leading calls ---- */

/* The operand by which the call reaches its stub, if that fits in OPERAND_BYTES. */
static intptr_t operand_for(const struct call *call, const struct stub *stubs)
{
	uintptr_t stub = (uintptr_t)&stubs[call->function];
	return (intptr_t)(call->is_number ? stub : stub - (uintptr_t)(call->operand + OPERAND_BYTES));
}

static bool are_near(const struct calls *calls, const struct stub *stubs)
{
	for (size_t i = 0; i < calls->len; i++)
		if (operand_for(&calls->calls[i], stubs) != (int32_t)operand_for(&calls->calls[i], stubs))
			return false;
	return true;
}

static bool protect(const struct call *call, int protection)
{
	return near_code_protect(call->operand, OPERAND_BYTES, protection);
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
	int32_t operand = (int32_t)operand_for(call, stubs);
	memcpy(call->operand, &operand, sizeof operand);
}

#ifdef STMLOG_CHECKS
static bool are_all_noted(const struct calls *calls, size_t functions)
{
	for (size_t i = 0; i < calls->len && calls->len <= CALLS_MAX; i++)
		if (calls->calls[i].function >= functions)
			return false;
	return calls->len <= CALLS_MAX && functions <= CALLS_MAX;
}
#endif

bool detour_redirect(const struct calls *calls, const void *const *hooks, size_t len)
{
	REQUIRES(are_all_noted(calls, len));
	const struct stub *stubs = make_stubs(calls, hooks, len);
	if (stubs == NULL || !are_near(calls, stubs)) /* the stubs stay: this happens once in a process */
		return false;
	size_t opened = open_pages(calls);
	for (size_t i = 0; opened == calls->len && i < calls->len; i++)
		redirect(&calls->calls[i], stubs);
	close_pages(calls, opened == calls->len ? opened : opened + 1); /* a call in two pages may have one open */
	return opened == calls->len;
}
