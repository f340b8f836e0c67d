/* SPDX-License-Identifier: MIT
 * Reads the program headers that the dynamic linker keeps in memory. The dynamic linker has relative paths of some
 * modules, from the directory that was the current one then. Their absolute paths come from the kernel's list of
 * mappings. */
#include "modules.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic_ops.h>

#include "locks.h"
#include "mem.h"

/* ---- mappings: the file is read in small pieces, byte by byte, so that it needs little memory ---- */

/* Appends the next byte. Returns whether the line is complete; a line that is too long is cut. */
static bool line_add(struct maps_line *line, char byte)
{
	if (byte != '\n' && line->len < sizeof line->text - 1)
		line->text[line->len++] = byte;
	line->text[line->len] = '\0';
	return byte == '\n';
}

static struct mapping mapping_in(const struct maps_line *line)
{
	char *behind;
	struct mapping mapping = {.start = strtoull(line->text, &behind, 16)};
	if (*behind == '-')
		mapping.end = strtoull(behind + 1, &behind, 16);
	const char *flags = strlen(behind) > 4 ? behind + 1 : "----"; /* "rw-p" */
	mapping.is_readable = flags[0] == 'r';
	mapping.is_code = flags[2] == 'x';
	mapping.offset = strtoull(flags + 4, &behind, 16);
	const char *device = *behind == ' ' ? strchr(behind + 1, ' ') : NULL;
	mapping.inode = device != NULL ? strtoull(device, NULL, 10) : 0;
	mapping.path = strchr(line->text, '/');
	return mapping;
}

static void visit_all(int maps, struct maps_line *line, bool (*visit)(const struct mapping *, void *), void *arg)
{
	char bytes[1024];
	ssize_t got;
	line->len = 0;
	while ((got = read(maps, bytes, sizeof bytes)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (!line_add(line, bytes[i]))
				continue;
			struct mapping mapping = mapping_in(line);
			if (!visit(&mapping, arg))
				return;
			line->len = 0;
		}
	}
}

bool maps_visit(
	const char *path, struct maps_line *line, bool (*visit)(const struct mapping *mapping, void *arg), void *arg)
{
	int maps = open(path, O_RDONLY | O_CLOEXEC);
	if (maps < 0)
		return false;
	visit_all(maps, line, visit, arg);
	close(maps);
	return true;
}

/* ---- one module ---- */

struct visit {
	void (*visit)(const struct module *module, void *arg);
	void *arg;
	struct module module; /* not on the stack of each call, because it is large */
};

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* The sizes within notes may be wrong: nothing behind the segment is read. */
static void find_build_id(struct module *module, const char *notes, size_t size)
{
	size_t at = 0;
	while (at + sizeof(ElfW(Nhdr)) <= size) {
		ElfW(Nhdr) note;
		memcpy(&note, notes + at, sizeof note);
		const char *name = notes + at + sizeof note;
		size_t content = at + sizeof note + padded(note.n_namesz);
		if (content > size || note.n_descsz > size - content)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
			note.n_descsz <= BUILD_ID_MAX) {
			memcpy(module->build_id, notes + content, note.n_descsz);
			module->build_id_len = note.n_descsz;
			return;
		}
		at = content + padded(note.n_descsz);
	}
}

static void extend_range(struct module *module, const ElfW(Phdr) * header)
{
	uint64_t start = module->bias + header->p_vaddr;
	uint64_t end = start + header->p_memsz;
	if (module->end == 0 || start < module->start)
		module->start = start;
	if (end > module->end)
		module->end = end;
}

/* ---- the kernel's paths of mapped files ---- */

static bool find_path(const struct mapping *mapping, void *arg)
{
	struct module *module = arg;
	bool is_it = module->start >= mapping->start && module->start < mapping->end;
	if (is_it && mapping->path != NULL)
		strncpy(module->path, mapping->path, sizeof module->path - 1);
	return !is_it;
}

/* Without memory or /proc the path stays as it is. */
static void make_absolute(struct module *module)
{
	struct maps_line *line = mem_alloc(sizeof *line);
	if (line != NULL)
		maps_visit(MAPS_OF_SELF, line, find_path, module);
	mem_free(line, sizeof *line);
}

/* The kernel adds a mark to the path of a file that was deleted, or replaced, since it was mapped. */
static void cut_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path), mark_len = sizeof mark - 1;
	if (len > mark_len && strcmp(path + len - mark_len, mark) == 0)
		path[len - mark_len] = '\0';
}

/* ---- modules that are loaded ---- */

const char *modules_program(void)
{
	static char path[PATH_MAX];
	if (path[0] == '\0' && readlink("/proc/self/exe", path, sizeof path - 1) < 0)
		path[0] = '\0';
	return path;
}

static void read_path(struct module *module, const char *name)
{
	if (name[0] != '\0') {
		strncpy(module->path, name, sizeof module->path - 1);
		/* The module that the kernel maps (the vDSO) has no file, and no slash in its name. */
		if (name[0] != '/' && strchr(name, '/') != NULL)
			make_absolute(module);
		return;
	}
	/* The dynamic linker has no name for the executable. */
	const char *program = modules_program();
	memcpy(module->path, program, strlen(program) + 1);
}

static int visit_one(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct visit *visit = arg;
	struct module *module = &visit->module;
	(void)size;
	memset(module, 0, sizeof *module);
	module->bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0)
			extend_range(module, header);
		else if (header->p_type == PT_NOTE && module->build_id_len == 0)
			find_build_id(module, (const char *)(module->bias + header->p_vaddr), header->p_memsz);
	}
	if (module->end != 0) {
		read_path(module, info->dlpi_name);
		cut_deleted(module->path);
		visit->visit(module, visit->arg);
	}
	return 0;
}

/* ---- modules of a process whose threads were killed: one of them may have held the dynamic linker's lock ---- */

struct mapped {
	struct visit *all;
	struct mapping first; /* the last mapping of the beginning of a file */
	struct maps_line line;
};

/* Finds the program headers of a module in its first mapping; none if it is no ELF file that is to be loaded. */
static struct dl_phdr_info info_in(const struct mapping *first)
{
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)first->start;
	size_t size = first->end - first->start;
	struct dl_phdr_info info = {.dlpi_phnum = 0};
	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_phoff > size ||
		elf->e_phnum > (size - elf->e_phoff) / sizeof *info.dlpi_phdr)
		return info;
	info.dlpi_phdr = (const ElfW(Phdr) *)(first->start + elf->e_phoff);
	for (int i = 0; i < elf->e_phnum && info.dlpi_phnum == 0; i++) {
		const ElfW(Phdr) *header = &info.dlpi_phdr[i];
		if (header->p_type == PT_LOAD) {
			info.dlpi_addr = first->start - (header->p_vaddr - header->p_offset);
			info.dlpi_phnum = elf->e_phnum;
		}
	}
	return info;
}

/* Visits the module whose code the mapping is. Reads no file that is mapped without code: it may be a device. */
static bool visit_mapping(const struct mapping *mapping, void *arg)
{
	struct mapped *mapped = arg;
	if (mapping->path != NULL && mapping->is_readable && mapping->offset == 0)
		mapped->first = *mapping;
	if (mapping->path == NULL || !mapping->is_code || mapping->inode != mapped->first.inode)
		return true;
	struct dl_phdr_info info = info_in(&mapped->first);
	info.dlpi_name = mapping->path;
	visit_one(&info, sizeof info, mapped->all);
	mapped->first.inode = 0; /* a module may have more code */
	return true;
}

static bool visit_mappings(struct visit *all)
{
	struct mapped *mapped = mem_alloc(sizeof *mapped);
	if (mapped == NULL)
		return false;
	mapped->all = all;
	bool is_read = maps_visit(MAPS_OF_SELF, &mapped->line, visit_mapping, mapped);
	mem_free(mapped, sizeof *mapped);
	return is_read;
}

/* Without memory or /proc nothing is left but to ask the dynamic linker. */
void modules_visit(void (*visit)(const struct module *module, void *arg), void *arg)
{
	struct visit all = {.visit = visit, .arg = arg};
	if (!locks_are_abandoned() || !visit_mappings(&all))
		dl_iterate_phdr(visit_one, &all);
}

/* ---- modules that may be unloaded ---- */

struct kept {
	struct kept *next;
	struct module module;
};

/* Any thread adds in front, and nothing is ever taken out. Release; partner: the loads, which acquire. */
static volatile AO_t kept;
static volatile AO_t kept_count;

static struct kept *kept_first(void)
{
	return (struct kept *)AO_load_acquire(&kept);
}

static bool is_same(const struct module *a, const struct module *b)
{
	return a->start == b->start && a->end == b->end && strcmp(a->path, b->path) == 0;
}

/* If two threads add the same module at once, the list has it twice. */
static void keep(const struct module *module, void *unused)
{
	(void)unused;
	for (const struct kept *known = kept_first(); known != NULL; known = known->next)
		if (is_same(&known->module, module))
			return;
	struct kept *more = AO_fetch_and_add1(&kept_count) < MODULES_KEPT_MAX ? mem_alloc(sizeof *more) : NULL;
	if (more == NULL)
		return;
	more->module = *module;
	do
		more->next = kept_first();
	while (!AO_compare_and_swap_full(&kept, (AO_t)more->next, (AO_t)more));
}

void modules_keep(void)
{
	modules_visit(keep, NULL);
}

void modules_visit_kept(void (*visit)(const struct module *module, void *arg), void *arg)
{
	for (const struct kept *known = kept_first(); known != NULL; known = known->next)
		visit(&known->module, arg);
}
