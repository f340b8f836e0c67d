/* SPDX-License-Identifier: MIT
 * Some texts stay, since reports depend on them: words of stmlog, of the runtimes that it has agents for, and of the
 * system. No user has chosen them. */
#include "anonymize.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "symbol.h"

/* Each on a line of its own. Words are those of `stmlog help terms`, of GHC, of methods and clocks; functions are the
 * frames that libitm's agent adds (runtimes/libitm/waits/wait.c, blame/blame.c), and the outermost one of a program. */
static const char *const kept[ALIAS_KINDS] = {[ALIAS_FUNCTION] = "\n(starved: runs alone after 101 failed attempts)\n"
								 "(preempted: a thread had no processor)\n"
								 "(long: a wait of 0.4 ms or more)\n"
								 "(holder: its write was not recorded)\n_start\n",
	[ALIAS_OPTION] = "\nout\nreport\ntop\ncapacity\ndepth\nclock\nsample\ncounters\nverbose\npaths\ntimeline\n"
			 "snapshot\nsignal\nkill\n",
	[ALIAS_RUNTIME] = "\nlibitm\nghc\ntinystm\n",
	[ALIAS_NAME] = "\nTVar\nof\n",
	[ALIAS_WORD] = "\nUNKNOWN\nthreaded\none OS thread\nmixed\nml_wt\ngl_wt\nserial\nserialirr\nserialirr_onwrite\n"
		       "htm\nmonotonic\ntsc\ncustom\n"
#define TERM(word, first, second) word "\n"
#include "terms.def"
};
static const char source_endings[] = "\n.c\n.h\n.cc\n.cpp\n.cxx\n.hh\n.hpp\n.hs\n.rs\n.S\n";

static bool is_among(const char *lines, const char *text)
{
	char *line = memory_format("\n%s\n", text);
	bool is_there = strstr(lines, line) != NULL;
	free(line);
	return is_there;
}

static bool stays(enum alias_kind kind, const char *text)
{
	bool may_be_number = kind == ALIAS_VALUE || kind == ALIAS_NAME;
	bool is_number = text[strspn(text, "0123456789")] == '\0';
	return kind == ALIAS_FIGURE || text[0] == '\0' || (may_be_number && is_number) ||
	       (kept[kind] != NULL && is_among(kept[kind], text));
}

/* ---- what stays around a new name ---- */

struct form {
	const char *before, *behind;
};

/* Reports leave out frames of GHC's run-time system, which they know by the form of their names. */
static struct form form_of_function(const char *name)
{
	static const char before[] = "stg_", behind[] = "_info";
	size_t len = strlen(name);
	bool is_runtime = len >= sizeof before + sizeof behind && strncmp(name, before, strlen(before)) == 0 &&
			  strcmp(name + len - strlen(behind), behind) == 0;
	return is_runtime ? (struct form){before, behind} : (struct form){"", ""};
}

/* Headers of the C++ library allocate for the program. */
static struct form form_of_file(const char *path)
{
	static const char headers[] = "/include/c++/";
	const char *dot = strrchr(path, '.');
	bool is_source = dot != NULL && is_among(source_endings, dot);
	return (struct form){strstr(path, headers) != NULL ? headers : "", is_source ? dot : ""};
}

/* The last part of the new path is how the library's name begins. The path does not begin with a slash: so nothing is
 * looked up in a file that has this name. */
static struct form form_of_module(const char *path)
{
	static const char *const libraries[] = {
		"/libc.so", "/libc-", "/libpthread", "/ld-linux", "/libstdc++.so", "/libitm.so"};
	for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
		if (strncmp(symbol_basename(path), libraries[i] + 1, strlen(libraries[i] + 1)) == 0)
			return (struct form){"", libraries[i]};
	return (struct form){"", ""};
}

/* ---- new names ---- */

/* Each part between these characters has a name of its own; the characters stay. */
static char *parts_of(struct aliases *aliases, enum alias_kind part, const char *between, const char *text)
{
	char *all = memory_text("");
	while (*text != '\0') {
		size_t gap = strspn(text, between), len = strcspn(text + gap, between);
		char *name = memory_format("%.*s", (int)len, text + gap), *alias = aliases_text(aliases, part, name);
		char *longer = memory_format("%s%.*s%s", all, (int)gap, text, alias);
		free(alias);
		free(name);
		free(all);
		all = longer;
		text += gap + len;
	}
	return all;
}

char *aliases_text(struct aliases *aliases, enum alias_kind kind, const char *text)
{
	static const char *const words[ALIAS_KINDS] = {"", "function", "file", "module", "program", "argument",
		"option", "value", "thread", "label", "word", "runtime", "object"};
	if (stays(kind, text))
		return memory_text(text);
	if (kind == ALIAS_RUNTIMES)
		return parts_of(aliases, ALIAS_RUNTIME, ", ", text);
	if (kind == ALIAS_OBJECT)
		return parts_of(aliases, ALIAS_NAME, " #.,:;+-*/%&|^~!?=<>()[]{}\"'`@\\", text);
	struct form form = kind == ALIAS_FUNCTION ? form_of_function(text)
			   : kind == ALIAS_FILE   ? form_of_file(text)
			   : kind == ALIAS_MODULE ? form_of_module(text)
						  : (struct form){"", ""};
	uint64_t number = dictionary_find(&aliases->known[kind], text)->number;
	return memory_format("%s%s_%" PRIu64 "%s", form.before, words[kind], number, form.behind);
}

void aliases_fini(struct aliases *aliases)
{
	for (size_t i = 0; i < ALIAS_KINDS; i++)
		dictionary_fini(&aliases->known[i]);
}
