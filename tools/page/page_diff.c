/* SPDX-License-Identifier: MIT
 * The data of a comparison's page: the JSON of `diff`, the lines of its text with the verdict, and of each side the
 * report of a typical run. */
#include <math.h>
#include <stdlib.h>

#include "json_value.h"
#include "page.h"
#include "report_json.h"

size_t page_typical_run(const struct diff *diff, int side)
{
	size_t best = 0;
	const struct diff_row *row = diff->has_throughput ? &diff->throughput : &diff->whole;
	const double *values = row->values[side], median = row->median[side].value;
	for (size_t i = 1; i < diff->sides[side].len; i++)
		best = fabs(values[i] - median) < fabs(values[best] - median) ? i : best;
	return best;
}

/* The text that `print` prints of the comparison; owned. */
static char *printed(const struct diff *diff, void (*print)(const struct diff *diff, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	print(diff, out);
	fclose(out);
	return text;
}

char *page_diff_data(const struct page *page, const struct printer *printer, FILE *out)
{
	const struct diff *diff = page->diff;
	const struct report printing = {.out = printer};
	char *json = printed(diff, diff_json), *verdict = printed(diff, diff_text_verdict);
	fputs("<script type=\"application/json\" id=\"data-diff\">{\"diff\": ", out);
	printer_text(printer, json);
	report_json_member(&printing, "verdict", string(verdict));
	fprintf(out, ",\n \"typical\": [%zu, %zu]", page_typical_run(diff, DIFF_OLD), page_typical_run(diff, DIFF_NEW));
	for (int side = 0; side < 2; side++) {
		struct symbols *symbols = symbols_create(&page->sides[side]);
		/* Of a report the page shows the first screen only, so its lists are empty. */
		struct report report = {&page->sides[side], symbols, {.top = 0}, printer, REPORT_USUAL_FILE, NULL};
		fputs(side == DIFF_OLD ? ",\n \"old\": " : ",\n \"new\": ", out);
		report_json(&report);
		symbols_destroy(&symbols);
	}
	fputs("}</script>\n", out);
	free(verdict);
	free(json);
	return NULL;
}
