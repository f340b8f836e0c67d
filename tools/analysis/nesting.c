/* SPDX-License-Identifier: MIT */
#include "nesting.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "tasks.h"

void nesting_open(struct nesting *nesting, const struct stmlog_event_rule *rule, size_t task, size_t operation)
{
	REQUIRES(nesting_has(rule));
	nesting->spans = memory_grown(nesting->spans, nesting->len, &nesting->cap, sizeof *nesting->spans);
	nesting->spans[nesting->len++] = (struct nested){rule->span, rule->row, task, operation};
}

/* 1 + the number of the row's innermost span; 0: there is none. */
static size_t find(const struct nesting *nesting, enum stmlog_row row)
{
	size_t len = nesting->len;
	while (len > 0 && nesting->spans[len - 1].row != row)
		len--;
	return len;
}

void nesting_close(struct nesting *nesting, enum stmlog_row row)
{
	size_t len = find(nesting, row);
	if (len == 0)
		return;
	memmove(&nesting->spans[len - 1], &nesting->spans[len], (nesting->len - len) * sizeof *nesting->spans);
	nesting->len--;
}

const struct nested *nesting_innermost(const struct nesting *nesting, enum stmlog_row row)
{
	size_t len = find(nesting, row);
	return len > 0 ? &nesting->spans[len - 1] : NULL;
}

size_t nesting_task(const struct nesting *nesting)
{
	const struct nested *top = nesting->len > 0 ? &nesting->spans[nesting->len - 1] : NULL;
	return top != NULL && top->row == STMLOG_ROW_TASKS ? top->task : TASKS_NONE;
}

void nesting_fini(struct nesting *nesting)
{
	free(nesting->spans);
	*nesting = (struct nesting){.len = 0};
}
