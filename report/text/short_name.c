/* SPDX-License-Identifier: MIT
 * Copies a name in steps, and leaves out what its form says is an argument, a template argument or a module. */
#include "short_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "report_memory.h"

#define OPERATOR "operator"

/* How compilers write an anonymous namespace: demangled names and clang, then __PRETTY_FUNCTION__ of gcc. */
static const char *const anonymous[] = {"(anonymous namespace)::", "{anonymous}::"};

/* How __PRETTY_FUNCTION__ begins a lambda's name in gcc, and in two versions of clang. */
static const char *const lambdas[] = {"<lambda(", "(anonymous class)", "(lambda at "};
#define LAMBDA "{lambda}"

/* ---- C++ ---- */

static bool is_name_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* Invariant: `to` has at most as many bytes as were read from the name. */
struct shortening {
	const char *name, *at;
	char *to;
	size_t len;
	bool may_have_result; /* the name may begin with the type of the result */
};

static bool is_at(const struct shortening *s, const char *word)
{
	return strncmp(s->at, word, strlen(word)) == 0;
}

static void copy_part(struct shortening *s, size_t len)
{
	memcpy(s->to + s->len, s->at, len);
	s->len += len;
	s->at += len;
}

/* Copies "operator<<", "operator()", "operator new" as a whole: the punctuation belongs to the name. Returns false if
 * there is no operator here. */
static bool copy_operator(struct shortening *s)
{
	bool is_word = s->at == s->name || !is_name_letter(s->at[-1]);
	if (!is_word || !is_at(s, OPERATOR) || is_name_letter(s->at[strlen(OPERATOR)]))
		return false;
	copy_part(s, strlen(OPERATOR));
	if (is_at(s, "()") || is_at(s, "[]"))
		copy_part(s, 2);
	else
		copy_part(s, strspn(s->at, "<>=!+-*/%^&|~,"));
	return true;
}

/* Skips a pair of brackets with its contents. Returns false if it is not closed. */
static bool skip_brackets(struct shortening *s)
{
	size_t depth = 0;
	for (; *s->at != '\0'; s->at++) {
		bool is_arrow = *s->at == '>' && s->at > s->name && s->at[-1] == '-';
		depth += *s->at == '(' || *s->at == '<' || *s->at == '[';
		depth -= (*s->at == ')' || *s->at == '>' || *s->at == ']') && !is_arrow;
		if (depth == 0) {
			s->at++;
			return true;
		}
	}
	return false;
}

/* Skips the arguments of a C++ function. They follow the name without a space, and after them comes the end, a
 * qualifier, or a name that is local to the function. Returns false for other text: then the name is not of C++. */
static bool skip_arguments(struct shortening *s)
{
	bool is_behind_name = s->len > 0 && s->to[s->len - 1] != ' ';
	if (!is_behind_name || !skip_brackets(s))
		return false;
	if (*s->at != '\0' && !is_at(s, "::") && *s->at != ' ' && *s->at != '}' && *s->at != '#')
		return false;
	if (*s->at == ' ') {
		const char *more = strstr(s->at, "::"), *types = strstr(s->at, " [");
		bool has_more = more != NULL && (types == NULL || more < types) && strchr(s->at, '(') != NULL;
		s->at = has_more ? more : s->at + strlen(s->at);
	}
	s->may_have_result = true;
	return true;
}

static bool skip_anonymous(struct shortening *s)
{
	for (size_t i = 0; i < sizeof anonymous / sizeof anonymous[0]; i++) {
		if (is_at(s, anonymous[i])) {
			s->at += strlen(anonymous[i]);
			return true;
		}
	}
	return false;
}

/* Copies the name of a lambda, which has at least as many bytes as LAMBDA, in one form. */
static bool copy_lambda(struct shortening *s)
{
	const char *begin = s->at;
	for (size_t i = 0; i < sizeof lambdas / sizeof lambdas[0]; i++) {
		if (is_at(s, lambdas[i]) && skip_brackets(s)) {
			memcpy(s->to + s->len, LAMBDA, strlen(LAMBDA));
			s->len += strlen(LAMBDA);
			return true;
		}
	}
	s->at = begin;
	return false;
}

static bool shorten_step(struct shortening *s)
{
	if (skip_anonymous(s) || copy_operator(s) || copy_lambda(s))
		return true;
	if (*s->at == '(')
		return skip_arguments(s);
	if (*s->at == '<') {
		s->may_have_result = true;
		s->len -= s->len > 0 && s->to[s->len - 1] == ' '; /* as in "operator<< <char>" */
		return s->len > 0 && skip_brackets(s);
	}
	copy_part(s, 1);
	return true;
}

/* Cuts off the type of the result, with which demangled names of template functions begin, and all names of
 * __PRETTY_FUNCTION__. */
static void cut_result(struct shortening *s)
{
	const char *end = strstr(s->to, OPERATOR);
	size_t at = end != NULL ? (size_t)(end - s->to) : s->len;
	while (at > 0 && strchr(" *&", s->to[at - 1]) == NULL)
		at--;
	if (s->may_have_result && at > 0)
		memmove(s->to, s->to + at, s->len - at + 1);
}

/* ---- Haskell: "package:Module.Module.function" ---- */

/* The module with the code that runs the program's main. */
#define RUNS_MAIN ":Main."

static bool is_haskell_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Whether the character may occur in the name of a module. Bytes of characters beyond ASCII may. */
static bool is_in_module(char c)
{
	return (is_name_letter(c) && c != '$') || c == '\'' || (unsigned char)c >= 0x80;
}

static size_t package_len(const char *name)
{
	size_t len = 0;
	while ((is_name_letter(name[len]) && name[len] != '_' && name[len] != '$') || name[len] == '.' ||
		name[len] == '-')
		len++;
	return len > 0 && name[len] == ':' && is_haskell_capital(name[len + 1]) ? len + 1 : 0;
}

/* Parts of a module's name begin with capitals. Behind the dot of the last part comes the function, which may be an
 * operator and begin with a dot itself. */
size_t short_name_module(const char *name)
{
	if (strncmp(name, RUNS_MAIN, strlen(RUNS_MAIN)) == 0)
		return name[strlen(RUNS_MAIN)] != '\0' ? strlen(RUNS_MAIN) : 0;
	size_t at = package_len(name), len = 0;
	while (is_haskell_capital(name[at])) {
		while (is_in_module(name[at]))
			at++;
		if (name[at] != '.' || name[at + 1] == '\0')
			break;
		len = ++at;
	}
	return len;
}

/* The name from the last part of its module on; from the function on if that part is Main. `len` is the length of
 * package and module. */
static const char *behind_modules(const char *name, size_t len)
{
	size_t at = len - 1;
	while (at > 0 && name[at - 1] != '.' && name[at - 1] != ':')
		at--;
	return len - at == strlen("Main.") && strncmp(name + at, "Main.", len - at) == 0 ? name + len : name + at;
}

/* ---- names of TVars: "TVar #3 of package:Module.Module.Constructor", maybe in parentheses behind a label ---- */

#define OF " of "

/* Returns NULL if the name is not of this form. */
static const char *constructor_in(const char *name)
{
	const char *separator = NULL;
	for (const char *at = name; (at = strstr(at, OF)) != NULL; at++)
		separator = at;
	return separator != NULL && short_name_module(separator + strlen(OF)) > 0 ? separator + strlen(OF) : NULL;
}

static char *short_constructor(const char *name, const char *constructor)
{
	size_t module = short_name_module(constructor);
	return memory_format("%.*s%s", (int)(constructor - name), name, behind_modules(constructor, module));
}

char *short_object_name(const char *name)
{
	const char *constructor = constructor_in(name);
	return constructor != NULL ? short_constructor(name, constructor) : memory_text(name);
}

/* ---- any name ---- */

char *short_name(const char *name)
{
	size_t module = short_name_module(name);
	if (module > 0)
		return memory_text(behind_modules(name, module));
	if (constructor_in(name) != NULL)
		return short_object_name(name);
	struct shortening s = {.name = name, .at = name, .to = memory_text(name)};
	bool is_plain = true;
	while (*s.at != '\0' && is_plain)
		is_plain = shorten_step(&s);
	if (is_plain && s.len > 0) {
		s.to[s.len] = '\0';
		cut_result(&s);
		return s.to;
	}
	memcpy(s.to, name, strlen(name) + 1);
	return s.to;
}

/* ---- whether short names are shared ---- */

enum { SITES_MAX = 4096, FRAMES_MAX = 2 * SITES_MAX, SLOTS = 2 * FRAMES_MAX };

struct slot {
	uint64_t hash;    /* of the short name, the file and the line; 0: free */
	const char *name; /* the whole one, borrowed from the symbols */
	bool is_shared;
};

/* A hash table of short names, with open addressing. At least half of the slots are free. Two short names with equal
 * hashes count as the same: then whole names are shown, which is harmless. */
struct short_names {
	struct slot slots[SLOTS];
	size_t len;
};

static uint64_t short_name_mix(uint64_t hash, const char *text)
{
	for (; text != NULL && *text != '\0'; text++) {
		hash = (hash ^ (unsigned char)*text) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool has_short_name(const char *name)
{
	return strpbrk(name, "<(") != NULL || short_name_module(name) > 0;
}

/* The hash of the short name; 0 if the name cannot be shortened. */
static uint64_t short_name_hash(const struct symbol_frame *frame)
{
	if (frame->function == NULL || !has_short_name(frame->function))
		return 0;
	char *name = short_name(frame->function);
	uint64_t hash = short_name_mix(short_name_mix(frame->line + 1, name), frame->file);
	memory_free(name);
	return hash != 0 ? hash : 1;
}

static size_t short_names_find(const struct short_names *names, uint64_t hash)
{
	size_t at = hash % SLOTS;
	while (names->slots[at].hash != 0 && names->slots[at].hash != hash)
		at = (at + 1) % SLOTS;
	return at;
}

static void short_names_add(struct short_names *names, const struct symbol_frame *frame)
{
	uint64_t hash = short_name_hash(frame);
	if (hash == 0 || names->len == FRAMES_MAX)
		return;
	struct slot *slot = &names->slots[short_names_find(names, hash)];
	if (slot->hash == 0) {
		*slot = (struct slot){hash, frame->function, false};
		names->len++;
	}
	slot->is_shared |= strcmp(slot->name, frame->function) != 0;
}

struct short_names *short_names_create(const struct recording *recording, struct symbols *symbols)
{
	struct short_names *names = memory_zeroed(1, sizeof *names);
	for (uint32_t i = 0; i < recording->site_count && i < SITES_MAX; i++) {
		const struct symbol_site *site = symbols_site(symbols, i);
		for (size_t k = 0; k < site->len; k++)
			short_names_add(names, &site->frames[k]);
	}
	return names;
}

void short_names_destroy(struct short_names **names)
{
	memory_free(*names);
	*names = NULL;
}

bool short_names_is_shared(const struct short_names *names, const struct symbol_frame *frame)
{
	uint64_t hash = names != NULL ? short_name_hash(frame) : 0;
	return hash != 0 && names->slots[short_names_find(names, hash)].is_shared;
}
