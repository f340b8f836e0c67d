/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 4, WIDTH = 78 };

/* ---- paragraphs ---- */

/* Words from column INDENT on, in lines of at most WIDTH columns. */
static void print_words(const char *text)
{
	size_t column = 0;
	while (*text != '\0') {
		size_t len = strcspn(text, " ");
		if (column > 0 && column + 1 + len > WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%*s%.*s", column > 0 ? 1 : INDENT, "", (int)len, text);
		text += len + (text[len] == ' ');
	}
	putchar('\n');
}

static void print_part(const char *name, const char *text)
{
	printf("\n%s\n", name);
	print_words(text);
}

/* ---- the words of the first screen ---- */

static const struct page {
	const char *name, *meaning, *figures, *mending;
} pages[] = {
#define HOW(id, name, meaning, figures, mending) {name, meaning, figures, mending},
#define DATA(id, name, meaning, figures, mending) {name, meaning, figures, mending},
#include "ranking.def"
};
enum { PAGES = sizeof pages / sizeof pages[0] };

static void print_page(const struct page *page)
{
	printf("%s\n\n", page->name);
	print_words(page->meaning);
	print_part("Figures", page->figures);
	print_part("How to mend it", page->mending);
}

/* The names of all pages, a few in a line, indented. */
static void list_pages(void)
{
	char names[PAGES * 24];
	size_t len = 0;
	for (size_t i = 0; i < PAGES && len < sizeof names; i++)
		len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i > 0 ? " " : "", pages[i].name);
	print_words(names);
}

/* ---- terms ---- */

static void print_terms(void)
{
	static const struct {
		const char *heading, *word, *first, *second;
	} terms[] = {
#define TERMS(heading) {heading, NULL, NULL, NULL},
#define TERM(word, first, second) {NULL, word, first, second},
#include "terms.def"
	};
	for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
		if (terms[i].heading != NULL)
			printf("%s%s\n\n", i > 0 ? "\n" : "", terms[i].heading);
		else
			printf("  %s\n      %s\n      %s\n", terms[i].word, terms[i].first, terms[i].second);
	}
	printf("\nHow a transaction is in the way, and which words conflict: stmlog help WORD\n\n");
	list_pages();
}

bool pages_print(const char *name)
{
	if (strcmp(name, "terms") == 0) {
		print_terms();
		return true;
	}
	for (size_t i = 0; i < PAGES; i++) {
		if (strcmp(name, pages[i].name) == 0) {
			print_page(&pages[i]);
			return true;
		}
	}
	return false;
}
