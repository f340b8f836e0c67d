/* SPDX-License-Identifier: MIT
 * The table of rules. */
#include "findings.h"

#define OF(whole) FINDING_OF_##whole

const struct finding_rule_row *finding_rule_row(enum finding_rule rule)
{
	static const struct finding_rule_row rows[FINDING_RULES] = {
#define FINDING(id, name, title, of, percent, advice, meaning, figures, mending) {name, title, OF(of), percent, advice},
#include "findings.def"
	};
	return &rows[rule];
}
