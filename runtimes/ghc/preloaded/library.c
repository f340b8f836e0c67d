/* SPDX-License-Identifier: MIT
 * Asks the loader for the library, and reads its .eh_frame_hdr, which lies in memory. Finds the functions of the RTS by
 * calls from exported names, and references to an exported table. */
#include "library.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "detour.h"

struct wanted {
	struct library *library;
	const char *name;
};

static bool has_name(const struct dl_phdr_info *info, const char *name)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	return strncmp(slash != NULL ? slash + 1 : info->dlpi_name, name, strlen(name)) == 0;
}

/* The begin of .eh_frame_hdr, as every linker writes it. */
struct header {
	uint8_t version, frames_encoding, count_encoding, table_encoding;
	int32_t frames;
	uint32_t count;
	struct library_function functions[];
};

static void read_functions(struct library *library, const struct header *header)
{
	static const uint8_t known[] = {1, 0x1b, 0x03, 0x3b};
	if (memcmp(header, known, sizeof known) != 0)
		return;
	library->functions = header->functions;
	library->functions_len = header->count;
	library->table = (uintptr_t)header;
}

static void read_segment(struct library *library, const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
	uintptr_t start = info->dlpi_addr + segment->p_vaddr;
	if (segment->p_type == PT_GNU_EH_FRAME && segment->p_memsz >= sizeof(struct header))
		read_functions(library, (const struct header *)start);
	if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0)
		return;
	library->code = (unsigned char *)start;
	library->code_size = segment->p_memsz;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct wanted *wanted = arg;
	(void)size;
	if (!has_name(info, wanted->name))
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		read_segment(wanted->library, info, &info->dlpi_phdr[i]);
	wanted->library->path = info->dlpi_name;
	return 1;
}

bool library_open(struct library *library, const char *name)
{
	struct wanted wanted = {library, name};
	*library = (struct library){.handle = NULL};
	dl_iterate_phdr(look, &wanted);
	if (library->path != NULL)
		library->handle = dlopen(library->path, RTLD_LAZY | RTLD_NOLOAD);
	bool is_known = library->handle != NULL && library->code != NULL && library->functions_len != 0;
	if (!is_known)
		library_close(library);
	return is_known;
}

void library_close(struct library *library)
{
	if (library->handle != NULL)
		dlclose(library->handle);
	*library = (struct library){.handle = NULL};
}

uintptr_t library_symbol(const struct library *library, const char *name)
{
	return (uintptr_t)dlsym(library->handle, name);
}

static uintptr_t start_of(const struct library *library, size_t index)
{
	return library->table + (uintptr_t)(intptr_t)library->functions[index].start;
}

/* An entry of .eh_frame, as compilers write it. */
struct entry {
	uint32_t bytes, common;
	int32_t start; /* distance from here */
	uint32_t size;
};

/* Returns an empty span if the entry has another form. */
static struct library_span span_of(const struct library *library, size_t index)
{
	uintptr_t start = start_of(library, index);
	const struct entry *entry =
		(const struct entry *)(library->table + (uintptr_t)(intptr_t)library->functions[index].entry);
	bool is_known = (uintptr_t)&entry->start + (uintptr_t)(intptr_t)entry->start == start;
	return (struct library_span){start, start + (is_known ? entry->size : 0)};
}

struct library_span library_function(const struct library *library, uintptr_t address)
{
	size_t low = 0, high = library->functions_len; /* functions before `low` begin at or before the address */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (start_of(library, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	struct library_span span = {0, 0};
	if (low != 0)
		span = span_of(library, low - 1);
	return address - span.start < span.end - span.start ? span : (struct library_span){0, 0};
}

/* ---- calls in the RTS's library ---- */

/* How functions are called: by instructions that call them, or as well by instructions that load their addresses, as
 * compiled Haskell may do in an RTS for -debug. */
enum calls_by { BY_CALL, BY_CALL_OR_LOAD };

static bool is_code(const struct library *library, uintptr_t address)
{
	return address - (uintptr_t)library->code < library->code_size;
}

static bool is_function(const struct library *library, uintptr_t address)
{
	return is_code(library, address) && library_function(library, address).start == address;
}

/* The nth function that is called within the span, from 0 on, each call counted; 0: there is none. */
static uintptr_t nth_called(
	const struct library *library, const struct library_span *span, enum calls_by by, unsigned nth)
{
	const unsigned char *at = (const unsigned char *)span->start + OPERAND_BEFORE;
	for (; at + OPERAND_BYTES <= (const unsigned char *)span->end; at++) {
		uintptr_t target = by == BY_CALL && at[-1] != 0xe8 ? 0 : calls_target(at);
		if (is_function(library, target) && nth-- == 0)
			return target;
	}
	return 0;
}

static size_t calls_within(const struct library_span *span, uintptr_t function, enum calls_by by)
{
	struct calls calls = {.len = 0};
	unsigned char *code = (unsigned char *)span->start;
	calls_find(&calls, code, span->end - span->start, &function, 1);
	if (by == BY_CALL_OR_LOAD)
		calls_find_loads(&calls, code, span->end - span->start, &function, 1);
	return calls.len;
}

static size_t calls_of_all(const struct library *library, uintptr_t function, enum calls_by by)
{
	struct library_span all = {(uintptr_t)library->code, (uintptr_t)library->code + library->code_size};
	return calls_within(&all, function, by);
}

/* ---- functions that exported code calls ---- */

#define REACH 1024 /* bytes; no code that is looked at is longer */

/* The nth function that the code of a name calls, of those with so many calls in all; 0: there is none. */
static uintptr_t called_from(
	const struct library *library, const char *name, enum calls_by by, size_t calls, unsigned nth)
{
	uintptr_t start = library_symbol(library, name), end = (uintptr_t)library->code + library->code_size;
	struct library_span span = {start, end - start > REACH ? start + REACH : end};
	uintptr_t called = 0;
	for (unsigned i = 0; is_code(library, start) && (called = nth_called(library, &span, by, i)) != 0; i++)
		if (calls_of_all(library, called, by) == calls && nth-- == 0)
			break;
	return called;
}

/* StgRun() ends at an exported label, and is called once. */
static uintptr_t find_run(const struct library *library)
{
	enum { RUN_BYTES = 128 };
	uintptr_t label = library_symbol(library, "StgReturn");
	const unsigned char *at = library->code + OPERAND_BEFORE;
	for (; at + OPERAND_BYTES <= library->code + library->code_size; at++)
		if (at[-1] == 0xe8 && label - calls_target(at) - 1 < RUN_BYTES)
			return calls_target(at);
	return 0;
}

/* ---- functions of the garbage collector ---- */

/* If two functions look like the one that is sought, the address becomes one that nothing calls. */
static void set_only(uintptr_t *address, uintptr_t function)
{
	*address = *address == 0 || *address == function ? function : UINTPTR_MAX;
}

/* Returns the function that this one calls twice, and that is called four times in all; 0: there is none. */
static uintptr_t called_twice(const struct library *library, const struct library_span *function)
{
	uintptr_t called = 0;
	for (unsigned i = 0; (called = nth_called(library, function, BY_CALL, i)) != 0; i++)
		if (calls_within(function, called, BY_CALL) == 2 && calls_of_all(library, called, BY_CALL) == 4)
			break;
	return called;
}

/* gcStableNameTable() asks of each stable name, and of each object with one, whether it is alive. */
static void look_for_collected(
	const struct library *library, const struct library_span *function, uintptr_t addresses[PLACES])
{
	uintptr_t is_alive = called_twice(library, function);
	if (is_alive == 0 || calls_of_all(library, function->start, BY_CALL) != 1)
		return;
	set_only(&addresses[PLACE_collected], function->start);
	addresses[PLACE_is_alive] = is_alive;
}

/* call *REGISTER, or call *DISTANCE(%rbp) */
static bool calls_what_it_gets(const struct library_span *function)
{
	for (const unsigned char *at = (const unsigned char *)function->start;
		at + 1 < (const unsigned char *)function->end; at++)
		if (at[0] == 0xff && ((at[1] & 0xf8) == 0xd0 || at[1] == 0x55))
			return true;
	return false;
}

/* The compactor's function shows itself all roots. The first are the capabilities, and the last but one the stable
 * names, by a function that calls nothing but the function that it gets. */
static void look_for_compacting(
	const struct library *library, const struct library_span *function, uintptr_t addresses[PLACES])
{
	struct calls calls = {.len = 0};
	if (nth_called(library, function, BY_CALL, 0) != 0 || !calls_what_it_gets(function))
		return;
	calls_find(&calls, library->code, library->code_size, &function->start, 1);
	for (size_t i = 0; i < calls.len && i < CALLS_MAX; i++) {
		struct library_span caller = library_function(library, (uintptr_t)calls.calls[i].operand);
		uintptr_t first = nth_called(library, &caller, BY_CALL, 0);
		if (calls_of_all(library, first, BY_CALL) == 1)
			set_only(&addresses[PLACE_compacting], first);
	}
}

/* Looks at each function that uses the table of stable names. */
static void find_collector(const struct library *library, uintptr_t addresses[PLACES])
{
	uintptr_t table = library_symbol(library, "stable_name_table");
	for (size_t at = 0; at + OPERAND_BYTES <= library->code_size; at++) {
		int32_t distance;
		memcpy(&distance, library->code + at, sizeof distance);
		if ((uintptr_t)library->code + at + OPERAND_BYTES + (uintptr_t)(intptr_t)distance != table)
			continue;
		struct library_span function = library_function(library, (uintptr_t)library->code + at);
		look_for_collected(library, &function, addresses);
		look_for_compacting(library, &function, addresses);
	}
}

/* ---- all functions of the RTS ---- */

static void find_called(const struct library *library, enum calls_by by, uintptr_t addresses[PLACES])
{
#define HOOKED(member, name, calls, debug_calls, from, nth) \
	addresses[PLACE_##member] = called_from(library, from, by, by == BY_CALL ? (calls) : (debug_calls), nth);
#include "functions.def"
}

static bool has_all(const uintptr_t addresses[PLACES])
{
	for (size_t i = 0; i < NEEDED; i++)
		if (addresses[i] == 0)
			return false;
	return true;
}

bool hidden_find(const struct library *library, bool is_debug, uintptr_t addresses[PLACES])
{
	find_called(library, is_debug ? BY_CALL_OR_LOAD : BY_CALL, addresses);
#define CALLED(member, name) addresses[PLACE_##member] = library_symbol(library, #name);
#define OPTIONAL CALLED
#include "functions.def"
	addresses[PLACE_run] = find_run(library);
	find_collector(library, addresses);
	return has_all(addresses);
}
