/* SPDX-License-Identifier: MIT */
#include "short_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "report_memory.h"

#define ANONYMOUS "(anonymous namespace)::"
#define OPERATOR "operator"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* Invariant: `to` has no more bytes than were read of the name. */
struct shortening {
	const char *name, *at;
	char *to;
	size_t len;
	bool has_elided_template;
};

static bool is_at(const struct shortening *s, const char *word)
{
	return strncmp(s->at, word, strlen(word)) == 0;
}

static void take(struct shortening *s, size_t len)
{
	memcpy(s->to + s->len, s->at, len);
	s->len += len;
	s->at += len;
}

/* "operator<<", "operator()", "operator new": the marks belong to the name. */
static bool take_operator(struct shortening *s)
{
	bool is_word = s->at == s->name || !is_letter(s->at[-1]);
	if (!is_word || !is_at(s, OPERATOR) || is_letter(s->at[strlen(OPERATOR)]))
		return false;
	take(s, strlen(OPERATOR));
	if (is_at(s, "()") || is_at(s, "[]"))
		take(s, 2);
	else
		take(s, strspn(s->at, "<>=!+-*/%^&|~,"));
	return true;
}

/* Steps over a pair of brackets and all in it. Returns false if it does not end. */
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

/* Arguments follow a name without a space between, and behind them comes nothing, a qualifier, or a name that is local
 * to the function. A name where that is not so is not of C++. */
static bool skip_arguments(struct shortening *s)
{
	bool is_behind_name = s->len > 0 && s->to[s->len - 1] != ' ';
	if (!is_behind_name || !skip_brackets(s))
		return false;
	if (*s->at != '\0' && !is_at(s, "::") && *s->at != ' ' && *s->at != '}' && *s->at != '#')
		return false;
	if (*s->at == ' ') {
		const char *more = strstr(s->at, "::");
		s->at = more != NULL && strchr(s->at, '(') != NULL ? more : s->at + strlen(s->at);
	}
	return true;
}

static bool step(struct shortening *s)
{
	if (is_at(s, ANONYMOUS)) {
		s->at += strlen(ANONYMOUS);
		return true;
	}
	if (take_operator(s))
		return true;
	if (*s->at == '(')
		return skip_arguments(s);
	if (*s->at == '<') {
		s->has_elided_template = true;
		s->len -= s->len > 0 && s->to[s->len - 1] == ' '; /* as in "operator<< <char>" */
		return s->len > 0 && skip_brackets(s);
	}
	take(s, 1);
	return true;
}

/* Only names of template functions begin with the type of the result. */
static void cut_result(struct shortening *s)
{
	const char *end = strstr(s->to, OPERATOR);
	size_t at = end != NULL ? (size_t)(end - s->to) : s->len;
	while (at > 0 && s->to[at - 1] != ' ')
		at--;
	if (s->has_elided_template && at > 0)
		memmove(s->to, s->to + at, s->len - at + 1);
}

char *short_name(const char *name)
{
	struct shortening s = {.name = name, .at = name, .to = memory_text(name)};
	bool is_plain = true;
	while (*s.at != '\0' && is_plain)
		is_plain = step(&s);
	if (is_plain && s.len > 0) {
		s.to[s.len] = '\0';
		cut_result(&s);
		return s.to;
	}
	memcpy(s.to, name, strlen(name) + 1);
	return s.to;
}
