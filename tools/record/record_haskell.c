/* SPDX-License-Identifier: MIT
 * Why a Haskell program left no recording: its ELF file tells whether the module for GHC could get into it. */
#include <ctype.h>
#include <elf.h>
#include <limits.h>
#include <string.h>

#include "record.h"

struct text {
	const char *start;
	size_t len;
};

static struct text text_of(Elf_Scn *section)
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

struct haskell {
	bool is_haskell;
	unsigned long major, minor; /* the GHC's version; 0.0: not known */
	bool is_profiled;           /* linked with -prof */
	bool is_dynamic;
};

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
		read_version(text_of(section), haskell);
	else if (record_elf_is_named(elf, header, ".debug-ghc-link-info"))
		read_way(text_of(section), haskell);
	else if (record_elf_is_named(elf, header, ".rodata"))
		look_for_messages(text_of(section), haskell);
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

struct record_why record_why_haskell(Elf *elf, const struct record_symbols *symbols, bool is_static)
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
