/* SPDX-License-Identifier: MIT
 * Reads a program's ELF file: why it may have left no recording, and whether an agent is linked into it. Of a
 * Haskell program the file tells whether the module for GHC could get into it. */
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookup.h"
#include "record.h"

/* What the symbol tables of a program tell. */
struct record_symbols {
	bool begin_is_defined, begin_is_needed; /* _ITM_beginTransaction */
	bool has_agent;                         /* that of stmlog-itm.wrap is linked in */
	bool has_module;                        /* that of stmlog-ghc.wrap is linked in */
	bool has_table;                         /* the file is not stripped */
	bool is_go;                             /* Go's compiler has made it */
};

/* What the file of a Haskell program tells. */
struct haskell {
	bool is_haskell;
	unsigned long major, minor; /* the GHC's version; 0.0: not known */
	bool is_profiled;           /* linked with -prof */
	bool is_dynamic;
};

/* The bytes of a section. */
struct text {
	const char *start;
	size_t len;
};

/* An ELF file that is read. */
struct opened {
	int file;
	Elf *elf; /* NULL: no ELF file, or it cannot be read */
};

/* The reason where nothing kept an agent out of the program. */
#define RECORD_WHY_IDLE "no transaction began; run it on work that has some"

/* How many entries a section has that is a table; 0 if its data cannot be read (NULL). */
static size_t record_elf_entries(const Elf_Data *data, const GElf_Shdr *header)
{
	return data != NULL && header->sh_entsize != 0 ? data->d_size / header->sh_entsize : 0;
}

static bool record_elf_is_named(Elf *elf, const GElf_Shdr *header, const char *wanted)
{
	size_t names;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	const char *name = elf_strptr(elf, names, header->sh_name);
	return name != NULL && strcmp(name, wanted) == 0;
}

/* ---- programs of GHC ---- */

static struct text section_text_of(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	return data != NULL && data->d_buf != NULL ? (struct text){data->d_buf, data->d_size} : (struct text){"", 0};
}

static const char *behind(struct text text, const char *word)
{
	const char *found = memmem(text.start, text.len, word, strlen(word));
	return found != NULL ? found + strlen(word) : NULL;
}

/* ---- which GHC ---- */

/* Reads a number, and passes over the byte behind it: the dot of "9.0". */
static unsigned long number(const char **at, const char *end)
{
	unsigned long value = 0;
	while (*at < end && isdigit((unsigned char)**at) && value < 1000)
		value = 10 * value + (unsigned long)(*(*at)++ - '0');
	*at += *at < end;
	return value;
}

/* Each compiler leaves its version in the objects that it makes. strip keeps it, but Debian's packages have none. */
static void read_version(struct text text, struct haskell *haskell)
{
	const char *at = behind(text, "GHC "), *end = text.start + text.len;
	if (at == NULL)
		return;
	haskell->is_haskell = true;
	haskell->major = number(&at, end);
	haskell->minor = number(&at, end);
}

/* A message of GHC's run-time system, which is in each program that is linked with it. */
static void look_for_messages(struct text text, struct haskell *haskell)
{
	haskell->is_haskell |= behind(text, "(GHC version %s for %s)") != NULL;
}

/* The libraries that GHC has linked, as in "-lHSrts_thr" and "-lHSrts-1.0.2_thr_p". */
static void read_way(struct text text, struct haskell *haskell)
{
	const char *at = behind(text, "\"-lHSrts"), *end = text.start + text.len;
	const char *quote = at != NULL ? memchr(at, '"', (size_t)(end - at)) : NULL;
	if (quote == NULL)
		return;
	haskell->is_profiled = quote - at >= 2 && memcmp(quote - 2, "_p", 2) == 0;
}

/* ---- how it is linked ---- */

static void look_for_library(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct haskell *haskell)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = record_elf_entries(data, header);
	GElf_Dyn entry;
	for (size_t i = 0; i < count && i <= INT_MAX && gelf_getdyn(data, (int)i, &entry) != NULL; i++) {
		const char *name =
			entry.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, (size_t)entry.d_un.d_val) : NULL;
		haskell->is_dynamic |= name != NULL && strncmp(name, "libHSrts", strlen("libHSrts")) == 0;
	}
	haskell->is_haskell |= haskell->is_dynamic;
}

static void look_into(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct haskell *haskell)
{
	if (header->sh_type == SHT_DYNAMIC)
		look_for_library(elf, section, header, haskell);
	else if (record_elf_is_named(elf, header, ".comment"))
		read_version(section_text_of(section), haskell);
	else if (record_elf_is_named(elf, header, ".debug-ghc-link-info"))
		read_way(section_text_of(section), haskell);
	else if (record_elf_is_named(elf, header, ".rodata"))
		look_for_messages(section_text_of(section), haskell);
}

static struct haskell haskell_of(Elf *elf)
{
	struct haskell haskell = {.is_haskell = false};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) != NULL)
			look_into(elf, section, &header, &haskell);
	}
	return haskell;
}

/* ---- why ---- */

/* Whether nothing speaks against this GHC. */
static bool is_known(const struct haskell *haskell)
{
	return haskell->major == 0 || (haskell->major == 9 && (haskell->minor <= 6 || haskell->minor == 10));
}

static bool has_fixed_addresses(Elf *elf)
{
	GElf_Ehdr header;
	return gelf_getehdr(elf, &header) != NULL && header.e_type == ET_EXEC;
}

/* Why the module could not be preloaded; text is NULL if it could. */
static struct record_why why_not_preloaded(Elf *elf, const struct record_symbols *symbols, bool is_static)
{
	if (is_static)
		return (struct record_why){
			"it is a Haskell program that is statically linked, so nothing can be preloaded; link it "
			"dynamically",
			RECORD_LINK_GHC};
	if (!has_fixed_addresses(elf))
		return (struct record_why){
			.text = "it is a Haskell program that is position-independent; link it without "
				"-pie"};
	if (!symbols->has_table)
		return (struct record_why){
			"it is a Haskell program that is stripped, so GHC's run-time system is not found in it; do not "
			"strip it",
			RECORD_LINK_GHC};
	return (struct record_why){.text = NULL};
}

const char *record_why_interpreter(const char *program)
{
	static const char *const names[] = {"ghc", "ghci", "runghc", "runhaskell"};
	const char *slash = strrchr(program, '/'), *name = slash != NULL ? slash + 1 : program;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t len = strlen(names[i]);
		if (strncmp(name, names[i], len) == 0 && (name[len] == '\0' || name[len] == '-'))
			return "no transaction began in this GHCi or runghc, or its run-time system is linked into it, "
			       "so that nothing can be recorded; compile the program with ghc, and record that";
	}
	return NULL;
}

/* Of a program that GHC has built. text is NULL for others. */
static struct record_why record_why_haskell(Elf *elf, const struct record_symbols *symbols, bool is_static)
{
	struct haskell haskell = haskell_of(elf);
	struct record_why why = {.text = NULL};
	if (!haskell.is_haskell)
		return why;
	if (!is_known(&haskell))
		return (struct record_why){
			.text = "it was built by a GHC that is not known; build it with GHC 9.0 to 9.6 or 9.10"};
	if (haskell.is_profiled)
		return (struct record_why){
			.text = "it has GHC's run-time system for -prof, which is not known; link it without -prof"};
	if (!symbols->has_module && !haskell.is_dynamic)
		why = why_not_preloaded(elf, symbols, is_static);
	return why.text != NULL ? why : (struct record_why){.text = RECORD_WHY_IDLE};
}

/* ---- any program ---- */

static bool has_interpreter(Elf *elf)
{
	size_t count = 0;
	GElf_Phdr header;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, (int)i, &header) != NULL && header.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static void look_through(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct record_symbols *symbols)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = record_elf_entries(data, header);
	GElf_Sym symbol;
	for (size_t i = 0; i < count && i <= INT_MAX && gelf_getsym(data, (int)i, &symbol) != NULL; i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		bool is_defined = symbol.st_shndx != SHN_UNDEF;
		if (name == NULL)
			continue;
		bool is_begin = strcmp(name, "_ITM_beginTransaction") == 0;
		symbols->begin_is_defined |= is_begin && is_defined;
		symbols->begin_is_needed |= is_begin && !is_defined;
		symbols->has_agent |= is_defined && strcmp(name, "__wrap__ITM_beginTransaction") == 0;
		symbols->has_module |= strcmp(name, "__wrap_stmStartTransaction") == 0;
	}
}

static struct record_symbols find_symbols(Elf *elf)
{
	struct record_symbols symbols = {.has_table = false};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL)
			continue;
		symbols.has_table |= header.sh_type == SHT_SYMTAB;
		symbols.is_go |= record_elf_is_named(elf, &header, ".go.buildinfo");
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			look_through(elf, section, &header, &symbols);
	}
	return symbols;
}

static struct opened open_elf(const char *path)
{
	struct opened opened = {open(path, O_RDONLY | O_CLOEXEC), NULL};
	if (opened.file < 0)
		return opened;
	elf_version(EV_CURRENT);
	opened.elf = elf_begin(opened.file, ELF_C_READ, NULL);
	if (opened.elf != NULL && elf_kind(opened.elf) != ELF_K_ELF) {
		elf_end(opened.elf);
		opened.elf = NULL;
	}
	return opened;
}

static void close_elf(struct opened *opened)
{
	elf_end(opened->elf);
	if (opened->file >= 0)
		close(opened->file);
}

static struct record_why why_elf(Elf *elf)
{
	if (gelf_getclass(elf) != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return (struct record_why){
			.text = "it is built for another word size than the agent; build it for this one"};
	struct record_symbols symbols = find_symbols(elf);
	bool is_static = !has_interpreter(elf);
	struct record_why haskell = record_why_haskell(elf, &symbols, is_static);
	if (haskell.text != NULL && !symbols.begin_is_needed && !symbols.begin_is_defined)
		return haskell;
	if (symbols.has_agent)
		return (struct record_why){.text = RECORD_WHY_IDLE};
	if (symbols.begin_is_defined)
		return (struct record_why){
			"it has a libitm of its own linked in, which a preloaded library cannot replace",
			RECORD_LINK_LIBITM};
	if (symbols.is_go && !symbols.begin_is_needed)
		return (struct record_why){.text = "it is a Go program: Go has no memory transactions"};
	if (is_static && symbols.has_table)
		return (struct record_why){.text = "it has no libitm linked in, so it was not built with gcc -fgnu-tm; "
						   "build the files that have transactions with -fgnu-tm"};
	if (is_static)
		return (struct record_why){"it is statically linked, so nothing can be preloaded", RECORD_LINK_LIBITM};
	if (!symbols.begin_is_needed)
		return (struct record_why){.text = "it was not built with gcc -fgnu-tm, or no transaction began; "
						   "build the files that have transactions with -fgnu-tm"};
	return (struct record_why){.text = RECORD_WHY_IDLE};
}

struct record_why record_why_nothing(const char *program)
{
	const struct record_why generic = {.text = "no transaction began, or the program with transactions is not "
						   "built so that it can be recorded; "
						   "record that program directly"};
	char path[PATH_MAX];
	struct stat status;
	if (record_why_interpreter(program) != NULL)
		return (struct record_why){.text = record_why_interpreter(program)};
	if (!lookup_program(program, path) || stat(path, &status) != 0)
		return generic;
	if ((status.st_mode & (S_ISUID | S_ISGID)) != 0)
		return (struct record_why){.text = "it is setuid or setgid, so the system preloads nothing; record a "
						   "copy without that bit"};
	struct opened opened = open_elf(path);
	struct record_why why = opened.elf != NULL ? why_elf(opened.elf) : generic;
	close_elf(&opened);
	return why;
}
