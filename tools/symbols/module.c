/* SPDX-License-Identifier: MIT
 * Each module gets a libdwfl session of its own, so that overlapping modules of a damaged recording do not affect each
 * other. The symbol table of a file tells whose code an address is. */
#include "module.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "check.h"
#include "demangle.h"
#include "inlining.h"
#include "memory.h"
#include "short_name.h"

/* ---- files that would fill the memory ---- */

/* Reads the sizes in the headers of both kinds of compressed sections. */

enum { TIMES_MAX = 50, HARMLESS = 64 << 20 };

/* The older kind: "ZLIB", and the size, its highest byte first. */
static uint64_t older_size(Elf_Scn *section)
{
	static const char mark[] = "ZLIB";
	const Elf_Data *data = elf_rawdata(section, NULL);
	uint64_t size = 0;
	if (data == NULL || data->d_size < sizeof mark - 1 + sizeof size ||
		memcmp(data->d_buf, mark, sizeof mark - 1) != 0)
		return 0;
	for (size_t i = 0; i < sizeof size; i++)
		size = size << 8 | ((const unsigned char *)data->d_buf)[sizeof mark - 1 + i];
	return size;
}

static bool is_older(Elf *elf, const GElf_Shdr *header)
{
	static const char begin[] = ".zdebug";
	size_t names;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	const char *name = elf_strptr(elf, names, header->sh_name);
	return name != NULL && strncmp(name, begin, sizeof begin - 1) == 0;
}

static bool is_bomb(Elf *elf, Elf_Scn *section)
{
	GElf_Shdr header;
	GElf_Chdr compressed;
	uint64_t size = 0;
	if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
		return false;
	if ((header.sh_flags & SHF_COMPRESSED) != 0 && gelf_getchdr(section, &compressed) != NULL)
		size = compressed.ch_size;
	else if (is_older(elf, &header))
		size = older_size(section);
	return size > HARMLESS && size / TIMES_MAX > header.sh_size;
}

bool compressed_is_bomb(int fd)
{
	bool has_bomb = false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL); /* so that only the headers are read */
	for (Elf_Scn *section = NULL; !has_bomb && (section = elf_nextscn(elf, section)) != NULL;)
		has_bomb = is_bomb(elf, section);
	elf_end(elf);
	return has_bomb;
}

/* ---- opening ---- */

/* A file with debug information alone, to which the module leads. Its type is libdw's. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, const char *file,
	const char *link, GElf_Word crc, char **found)
{
	int fd = dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc, found);
	if (fd < 0 || !compressed_is_bomb(fd))
		return fd;
	close(fd);
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* The path comes from a recording and may be anything: only a regular file is opened. */
static int open_plain(const char *path)
{
	struct stat status;
	if (path[0] != '/')
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool report(struct module *module, int fd)
{
	module->dwfl = dwfl_begin(&callbacks);
	if (module->dwfl == NULL)
		return false;
	dwfl_report_begin(module->dwfl);
	module->elf = dwfl_report_elf(module->dwfl, module->path, module->path, fd, module->record->bias, true);
	return module->elf != NULL && dwfl_report_end(module->dwfl, NULL, NULL) == 0;
}

static enum module_state compare(const struct module *module)
{
	const unsigned char *bits = NULL;
	GElf_Addr address;
	int len = dwfl_module_build_id(module->elf, &bits, &address);
	const struct stmlog_module_record *record = module->record;
	if (len <= 0)
		return record->build_id_len == 0 ? MODULE_UNCHECKED : MODULE_CHANGED;
	bool is_same = record->build_id_len == (uint32_t)len && memcmp(record->build_id, bits, (size_t)len) == 0;
	return is_same ? MODULE_SAME : MODULE_CHANGED;
}

enum module_state module_open(struct module *module)
{
	if (module->state != MODULE_UNTRIED)
		return module->state;
	module->state = MODULE_MISSING;
	plain_open_only();
	int fd = open_plain(module->path);
	if (fd < 0)
		return module->state;
	if (compressed_is_bomb(fd))
		module->state = MODULE_TOO_LARGE;
	else if (report(module, fd))
		module->state = compare(module);
	if (module->elf == NULL)
		close(fd); /* libdwfl takes the descriptor over only if it succeeds */
	enum module_state state = module->state;
	if (state != MODULE_SAME && state != MODULE_UNCHECKED)
		module_close(module);
	module->state = state;
	return state;
}

void module_close(struct module *module)
{
	if (module->dwfl != NULL)
		dwfl_end(module->dwfl);
	module->dwfl = NULL;
	module->elf = NULL;
	module->state = MODULE_UNTRIED;
}

const char *module_state_name(enum module_state state)
{
	static const char *const names[] = {
		[MODULE_UNTRIED] = "not looked for",
		[MODULE_SAME] = "same build",
		[MODULE_UNCHECKED] = "no build-id",
		[MODULE_CHANGED] = "another build",
		[MODULE_MISSING] = "not there",
		[MODULE_TOO_LARGE] = "too large",
	};
	return names[state];
}

/* ---- the code at an address ----
 *
 * In a program of GHC's, functions that are local to a module have no symbols, and may be anywhere between those that
 * have one. So there only a symbol with a size tells whose code it is. Elsewhere the nearest symbol below does: what
 * has none is written in assembler. */

/* All code that GHC makes uses one of these of its run time. */
static bool is_of_haskell(const char *symbol)
{
	return strcmp(symbol, "stg_upd_frame_info") == 0 || strcmp(symbol, "stg_bh_upd_frame_info") == 0;
}

static bool find_haskell(Dwfl_Module *module)
{
	int count = dwfl_module_getsymtab(module);
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
		if (name != NULL && is_of_haskell(name))
			return true;
	}
	return false;
}

static bool has_haskell(struct module *module)
{
	if (module->haskell == MODULE_NOT_ASKED)
		module->haskell = find_haskell(module->elf) ? MODULE_WITH_HASKELL : MODULE_WITHOUT_HASKELL;
	return module->haskell == MODULE_WITH_HASKELL;
}

/* Whether the symbol is of code that GHC made, and has a module: it has an underscore before the one of "_info". */
static bool is_code(const char *symbol)
{
	static const char end[] = "_info";
	size_t len = strlen(symbol), end_len = sizeof end - 1;
	return len > end_len && strcmp(symbol + len - end_len, end) == 0 && memchr(symbol, '_', len - end_len) != NULL;
}

/* The symbols of code nearest to the address, at or below it and above it; "": there is none. */
struct neighbours {
	const char *below, *above;
};

static struct neighbours find_neighbours(Dwfl_Module *module, uint64_t address)
{
	struct neighbours found = {"", ""};
	GElf_Addr below = 0, above = UINT64_MAX;
	int count = dwfl_module_getsymtab(module);
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr at;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &at, NULL, NULL, NULL);
		if (name == NULL || !is_code(name))
			continue;
		if (at <= address && at >= below) {
			below = at;
			found.below = name;
		} else if (at > address && at < above) {
			above = at;
			found.above = name;
		}
	}
	return found;
}

/* "package:Module.?": the code of a module lies together, so what is between two of its functions is its own, too.
 * NULL: the address is not between two functions of one module. */
static char *function_of_module(Dwfl_Module *module, uint64_t address)
{
	struct neighbours neighbours = find_neighbours(module, address);
	char *below = NULL, *above = NULL, *name = NULL;
	haskell_name(neighbours.below, &below);
	haskell_name(neighbours.above, &above);
	size_t len = below != NULL && above != NULL ? short_name_module(below) : 0;
	if (len > 0 && short_name_module(above) == len && strncmp(below, above, len) == 0)
		name = memory_format("%.*s?", (int)len, below);
	free(below);
	free(above);
	return name;
}

char *code_name(struct module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	REQUIRES(module->elf != NULL);
	const char *raw = dwfl_module_addrinfo(module->elf, address, &offset, &symbol, NULL, NULL, NULL);
	if (raw == NULL)
		return has_haskell(module) ? function_of_module(module->elf, address) : NULL;
	char *name;
	enum haskell_label label = haskell_name(raw, &name);
	bool is_certain = offset < symbol.st_size;
	if ((label == HASKELL_OTHER && is_certain) || !has_haskell(module)) {
		free(name);
		return demangle(raw);
	}
	if (is_certain && name != NULL)
		return name;
	free(name);
	return is_certain ? NULL : function_of_module(module->elf, address);
}

struct inlining_frame code_line(Dwfl_Module *module, uint64_t address)
{
	struct inlining_frame frame = {.function = NULL};
	GElf_Off offset;
	GElf_Sym symbol;
	GElf_Addr start;
	int number = 0;
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	if (line == NULL || dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) == NULL ||
		offset >= symbol.st_size)
		return frame;
	const char *file = dwfl_lineinfo(line, &start, &number, NULL, NULL, NULL);
	if (file == NULL || start < address - offset || number <= 0)
		return frame;
	frame.file = file;
	frame.line = (uint32_t)number;
	return frame;
}
