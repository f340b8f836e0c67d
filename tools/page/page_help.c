/* SPDX-License-Identifier: MIT
 * The words of the report for the page: the rules of findings, the terms, and what could not be recorded. They are
 * those of `stmlog help`. */
#include "findings.h"
#include "json_value.h"
#include "page.h"
#include "report_json.h"

static json_t *rules(void)
{
	static const char *const pages[FINDING_RULES][3] = {
#define FINDING(id, name, title, of, percent, advice, meaning, figures, mending) {meaning, figures, mending},
#include "findings.def"
	};
	json_t *object = json_object();
	for (int rule = 0; rule < FINDING_RULES; rule++) {
		const struct finding_rule_row *row = finding_rule_row((enum finding_rule)rule);
		json_object_set_new(object, row->name,
			json_pack("{s:s, s:s, s:s, s:s}", "title", row->title, "meaning", pages[rule][0], "figures",
				pages[rule][1], "mending", pages[rule][2]));
	}
	return object;
}

static json_t *terms(void)
{
	static const char *const terms[][2] = {
#define TERM(word, first, second) {word, first " " second},
#include "terms.def"
	};
	json_t *object = json_object();
	for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
		json_object_set_new(object, terms[i][0], json_string(terms[i][1]));
	return object;
}

/* The members of the report's "losses", each with its name and what it says. */
static json_t *losses(void)
{
	json_t *object = json_object();
#define STMLOG_INFO_LOSS(key, merge, name, doc) json_object_set_new(object, #key, json_pack("[s, s]", name, doc));
#include <stmlog/info.def>
	return object;
}

void page_help(const struct report *report)
{
	report_json_value(report, json_pack("{s:o, s:o, s:o}", "rules", rules(), "terms", terms(), "losses", losses()));
}
