/* SPDX-License-Identifier: MIT
 * Finds the slots in the relocations that the loader has processed, remembers them, and stores to them. */
#include "slots.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic_ops.h>

/* Slots beyond these keep the function that the loader has bound them to. */
#define SLOTS_MAX 2048
#define MODULES_MAX 256

/* The relocations of slots: for calls by the procedure linkage table, and for addresses. */
#ifdef __aarch64__
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT };
#else
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT };
#endif

/* Part of a module that the loader has made read-only after it had bound the slots there. */
struct part {
	uintptr_t start, end;
};

struct slot {
	volatile AO_t *word;
	uint16_t function; /* index of the table */
	uint16_t part;     /* index of `parts`; that of an empty part, if the slot may be written */
	bool is_ours;      /* it has held functions[0]: the loader has bound it to that one */
};

/* The slots of all modules. Invariant: they are those of the loader's list of modules after `adds` additions and `subs`
 * removals; 0 additions: nothing is remembered. The first part is empty. */
static struct {
	unsigned long long adds, subs;
	size_t slots_len, parts_len;
	struct slot slots[SLOTS_MAX];
	struct part parts[MODULES_MAX];
} known;

/* The slots that were remembered before modules came or went. */
static struct {
	size_t len;
	struct slot slots[SLOTS_MAX];
} before;

/* The call under way. */
struct request {
	const struct native_slot_choice *table;
	size_t len;
	unsigned which;
	bool is_done, has_failed;
	bool is_anew; /* the modules are being looked at */
};

/* ---- finding them ---- */

/* A module's dynamic section. */
struct dynamic {
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * tables[2];
	size_t sizes[2]; /* in bytes */
	size_t relative; /* so many relocations at the front of tables[0] have no symbol */
};

/* The loader may have relocated the addresses there, or not. */
static uintptr_t address_in(const struct dl_phdr_info *info, ElfW(Addr) address)
{
	return address < info->dlpi_addr ? info->dlpi_addr + address : address;
}

static struct dynamic dynamic_of(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
	struct dynamic dynamic = {.names = NULL};
	for (; entry->d_tag != DT_NULL; entry++) {
		uintptr_t address = address_in(info, entry->d_un.d_ptr);
		if (entry->d_tag == DT_SYMTAB)
			dynamic.symbols = (const ElfW(Sym) *)address;
		else if (entry->d_tag == DT_STRTAB)
			dynamic.names = (const char *)address;
		else if (entry->d_tag == DT_RELA)
			dynamic.tables[0] = (const ElfW(Rela) *)address;
		else if (entry->d_tag == DT_JMPREL)
			dynamic.tables[1] = (const ElfW(Rela) *)address;
		else if (entry->d_tag == DT_RELASZ)
			dynamic.sizes[0] = entry->d_un.d_val;
		else if (entry->d_tag == DT_PLTRELSZ)
			dynamic.sizes[1] = entry->d_un.d_val;
		else if (entry->d_tag == DT_RELACOUNT)
			dynamic.relative = entry->d_un.d_val;
	}
	return dynamic;
}

static const ElfW(Phdr) * header_of(const struct dl_phdr_info *info, ElfW(Word) type)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == type)
			return &info->dlpi_phdr[i];
	return NULL;
}

/* The module's read-only part, in whole pages as the loader protects them: both ends are rounded down. */
static struct part part_of(const struct dl_phdr_info *info)
{
	const ElfW(Phdr) *header = header_of(info, PT_GNU_RELRO);
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	if (header == NULL)
		return (struct part){0, 0};
	uintptr_t start = info->dlpi_addr + header->p_vaddr;
	return (struct part){start & -page, (start + header->p_memsz) & -page};
}

static size_t index_of(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->len; i++)
		if (request->table[i].functions[0] != NULL && request->table[i].functions[1] != NULL &&
			strcmp(request->table[i].name, name) == 0)
			return i;
	return request->len;
}

/* A slot that holds functions[1] was either pointed there by an earlier call, or bound by the loader. */
static bool was_ours(const volatile AO_t *word)
{
	for (size_t i = 0; i < before.len; i++)
		if (before.slots[i].word == word)
			return before.slots[i].is_ours;
	return false;
}

/* Leaves the slots of a module alone if the module defines the function itself: its definition may be one of the two
 * functions between which slots are switched. */
static void add_slot(const struct request *request, const struct dl_phdr_info *info, const struct dynamic *dynamic,
	const ElfW(Rela) * relocation, const struct part *part)
{
	unsigned long type = ELF64_R_TYPE(relocation->r_info);
	const ElfW(Sym) *symbol = &dynamic->symbols[ELF64_R_SYM(relocation->r_info)];
	uintptr_t word = info->dlpi_addr + relocation->r_offset;
	if ((type != JUMP_SLOT && type != GLOB_DAT) || symbol->st_shndx != SHN_UNDEF || word % sizeof(AO_t) != 0 ||
		known.slots_len == SLOTS_MAX)
		return;
	size_t function = index_of(request, dynamic->names + symbol->st_name);
	if (function == request->len)
		return;
	bool is_protected = word >= part->start && word < part->end;
	if (is_protected && known.parts[known.parts_len - 1].start != part->start) {
		if (known.parts_len == MODULES_MAX)
			return;
		known.parts[known.parts_len++] = *part;
	}
	known.slots[known.slots_len++] = (struct slot){(volatile AO_t *)word, (uint16_t)function,
		(uint16_t)(is_protected ? known.parts_len - 1 : 0), was_ours((volatile AO_t *)word)};
}

static void add_slots(const struct request *request, const struct dl_phdr_info *info)
{
	const ElfW(Phdr) *header = header_of(info, PT_DYNAMIC);
	if (header == NULL)
		return;
	const struct part part = part_of(info);
	const struct dynamic dynamic = dynamic_of(info, (const ElfW(Dyn) *)(info->dlpi_addr + header->p_vaddr));
	if (dynamic.symbols == NULL || dynamic.names == NULL)
		return;
	for (size_t t = 0; t < 2; t++) {
		size_t len = dynamic.tables[t] != NULL ? dynamic.sizes[t] / sizeof(ElfW(Rela)) : 0;
		for (size_t i = t == 0 ? dynamic.relative : 0; i < len; i++)
			add_slot(request, info, &dynamic, &dynamic.tables[t][i], &part);
	}
}

/* ---- storing ---- */

/* Finds the slots that the loader has bound since: it binds some at their first use, at any time. */
static void see_bound(const struct request *request)
{
	for (size_t i = 0; i < known.slots_len; i++)
		if (AO_load(known.slots[i].word) == (AO_t)request->table[known.slots[i].function].functions[0])
			known.slots[i].is_ours = true;
}

/* Whether the slot holds the other function. */
static bool is_to_change(const struct request *request, const struct slot *slot)
{
	return slot->is_ours &&
	       AO_load(slot->word) == (AO_t)request->table[slot->function].functions[1 - request->which];
}

static bool protect(const struct part *part, int protection)
{
	int saved = errno;
	bool is_done = mprotect((void *)part->start, part->end - part->start, protection) == 0;
	errno = saved;
	return is_done;
}

/* Whether a slot of the part is to be changed. The slots that are not protected are those of part 0. */
static bool has_change(const struct request *request, size_t part)
{
	for (size_t i = 0; i < known.slots_len; i++)
		if (known.slots[i].part == part && is_to_change(request, &known.slots[i]))
			return true;
	return false;
}

/* Other threads may call through the slots meanwhile: each finds either the old or the new function. */
static void store_part(const struct request *request, size_t part)
{
	for (size_t i = 0; i < known.slots_len; i++) {
		const struct slot *slot = &known.slots[i];
		if (slot->part == part && is_to_change(request, slot))
			AO_store(slot->word, (AO_t)request->table[slot->function].functions[request->which]);
	}
}

static void store_all(struct request *request)
{
	see_bound(request);
	store_part(request, 0);
	for (size_t part = 1; part < known.parts_len; part++) {
		if (!has_change(request, part))
			continue;
		if (protect(&known.parts[part], PROT_READ | PROT_WRITE)) {
			store_part(request, part);
			protect(&known.parts[part], PROT_READ);
		} else {
			request->has_failed = true;
		}
	}
}

/* ---- all modules ---- */

static void remember_anew(struct request *request, const struct dl_phdr_info *info)
{
	request->is_anew = true;
	known.adds = info->dlpi_adds;
	known.subs = info->dlpi_subs;
	before.len = known.slots_len;
	memcpy(before.slots, known.slots, known.slots_len * sizeof known.slots[0]);
	known.slots_len = 0;
	known.parts_len = 1;
}

/* Called for each module. If none has come or gone, all is done in the first call, while the loader's lock is held. */
static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct request *request = arg;
	if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
		request->is_done = request->has_failed = true;
		return 1;
	}
	if (!request->is_anew) {
		if (info->dlpi_adds == known.adds && info->dlpi_subs == known.subs) {
			store_all(request);
			request->is_done = true;
			return 1;
		}
		remember_anew(request, info);
	}
	add_slots(request, info);
	return 0;
}

bool native_slots_point(const struct native_slot_choice *table, size_t len, unsigned which)
{
	enum { TRIES = 4 }; /* modules may come or go between finding slots and storing to them */
	struct request request = {.table = table, .len = len, .which = which};
	for (int i = 0; i < TRIES && !request.is_done; i++) {
		request.is_anew = false;
		dl_iterate_phdr(look_at, &request);
	}
	return request.is_done && !request.has_failed;
}

size_t native_slots_known(void)
{
	return known.slots_len;
}
