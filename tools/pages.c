/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "findings.h"

enum { WIDTH = 78 };

/* ---- paragraphs ---- */

/* Words from column `indent` on, in lines of at most WIDTH columns; the first line is begun at `column`. */
static void print_words(const char *text, size_t indent, size_t column)
{
	while (*text != '\0') {
		size_t len = strcspn(text, " ");
		if (column > indent && column + 1 + len > WIDTH) {
			putchar('\n');
			column = 0;
		}
		if (column < indent)
			printf("%*s", (int)(indent - column), "");
		column = column < indent ? indent : column + (putchar(' ') == ' ');
		printf("%.*s", (int)len, text);
		column += len;
		text += len + (text[len] == ' ');
	}
	putchar('\n');
}

static void print_part(const char *name, const char *text)
{
	printf("\n%s\n", name);
	print_words(text, 4, 0);
}

/* ---- rules ---- */

struct page {
	const char *meaning, *figures, *mending;
};

static const struct page pages[FINDING_RULES] = {
#define FINDING(id, name, title, of, percent, advice, meaning, figures, mending) {meaning, figures, mending},
#include "findings.def"
};

static void print_threshold(const struct finding_rule_row *row)
{
	static const char *const formats[FINDING_OFS] = {
		[FINDING_OF_LOST] = "From %u %% of all lost time on, and from 2 %% of the threads' time on.",
		[FINDING_OF_OBJECTS] =
			"From %u %% of the measured aborts of entries whose data are known on, if these are a tenth of "
			"all or more. With what follows from these aborts, from 2 %% of the threads' time on.",
		[FINDING_OF_CULPRITS] =
			"From %u %% of the measured aborts over data on whose culprit is known, if these "
			"are a tenth of all aborts or more. With what follows from these aborts, from 2 %% of the "
			"threads' time on.",
		[FINDING_OF_WAKES] = "From %u %% of wakes in vain on, whatever time was lost.",
		[FINDING_OF_TIME] = "From %u %% of the time that all threads had on processors on.",
		[FINDING_OF_BELOW] = "Below %u %% of the time that all threads had on processors.",
	};
	char text[300];
	snprintf(text, sizeof text, formats[row->basis], row->percent);
	print_part("Threshold", text);
}

static void print_page(enum finding_rule rule)
{
	const struct finding_rule_row *row = finding_rule_row(rule);
	printf("%s - %s\n\n", row->name, row->title);
	print_words(pages[rule].meaning, 4, 0);
	print_part("Figures", pages[rule].figures);
	print_threshold(row);
	print_part("What it could save",
		"At most the upper end of the time lost, and no more than the run took. No loss is part of two "
		"findings: a loss that several rules could name belongs to the most specific one.");
	print_part("How to mend it", pages[rule].mending);
	print_part("Try", row->advice);
}

/* The names of all rules, a few in a line, indented. */
static void list_rules(void)
{
	char names[FINDING_RULES * 24];
	size_t len = 0;
	for (int rule = 0; rule < FINDING_RULES && len < sizeof names; rule++)
		len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", rule > 0 ? " " : "",
			finding_rule_row((enum finding_rule)rule)->name);
	print_words(names, 4, 0);
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
	printf("\nRules of findings, each with a page: stmlog help RULE\n\n");
	list_rules();
}

bool pages_print(const char *name)
{
	if (strcmp(name, "terms") == 0) {
		print_terms();
		return true;
	}
	for (int rule = 0; rule < FINDING_RULES; rule++) {
		if (strcmp(name, finding_rule_row((enum finding_rule)rule)->name) == 0) {
			print_page((enum finding_rule)rule);
			return true;
		}
	}
	return false;
}
