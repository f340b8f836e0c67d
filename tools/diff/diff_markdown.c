/* SPDX-License-Identifier: MIT
 * Prints a comparison as Markdown, for the summary of a build or a comment: a heading with the verdict, the total, and
 * tables of keys and of regions. A name is text wherever Markdown is shown: it is in an element of code, where neither
 * mentions nor links are made, and each character that has a meaning in Markdown or HTML is written as its number. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "diff_words.h"
#include "memory.h"
#include "utf8.h"

/* ---- text ---- */

/* Whether the byte stands for itself between these two, whatever Markdown's flavour. "www." would become a link. */
static bool is_plain(unsigned char before, unsigned char byte, unsigned char after)
{
	if (byte >= 0x80 || isalnum(byte) || strchr(" ,()/+-=;?%", byte) != NULL)
		return true;
	if (byte == '_')
		return isalnum(before) && isalnum(after);
	if (byte == '.')
		return tolower(before) != 'w';
	return byte == ':' && (isdigit(after) || after == ' ' || after == '\0');
}

/* The text as text. */
static void markdown_put(FILE *out, const char *text)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	for (const char *at = clean; *at != '\0'; at++) {
		unsigned char byte = (unsigned char)*at;
		if (is_plain(at > clean ? (unsigned char)at[-1] : 0, byte, (unsigned char)at[1]))
			fputc(byte, out);
		else
			fprintf(out, "&#%u;", byte);
	}
	free(clean);
}

/* Frees the text. */
static void put_code(FILE *out, char *text)
{
	fputs("<code>", out);
	markdown_put(out, text);
	fputs("</code>", out);
	free(text);
}

static void put_note(const char *line, void *out)
{
	fputs("- note: ", out);
	put_code(out, memory_text(line));
	fputc('\n', out);
}

/* Frees the text. */
static void put_item(FILE *out, char *text)
{
	fputs("- ", out);
	markdown_put(out, text);
	fputc('\n', out);
	free(text);
}

/* ---- the table ---- */

static void put_names(const struct diff_key *key, FILE *out)
{
	if (key->is_evicted) {
		fputs("evicted", out);
		return;
	}
	put_code(out, diff_words_place(&key->local, 1));
	fputs("<br>blocked by ", out);
	put_code(out, diff_words_place(&key->remote, 1));
	fputs("<br>", out);
	put_code(out, diff_words_cause(key));
}

static void put_figures(const struct diff *diff, const struct diff_row *row, const char *bold, FILE *out)
{
	fprintf(out, " | %s | %s | ", diff_words_value(row, row->median[DIFF_OLD].value).text,
		diff_words_value(row, row->median[DIFF_NEW].value).text);
	markdown_put(out, diff_words_change(row).text);
	fprintf(out, " | %s | %s%s%s |\n", diff_words_p(diff, "", row->p).text, bold, diff_words_verdict(diff, row),
		bold);
}

static void put_row(const struct diff *diff, const struct diff_row *row, FILE *out)
{
	bool is_bold = row->verdict == DIFF_WORSE && row != &diff->throughput;
	const char *bold = is_bold ? "**" : "";
	const struct diff_key *key = diff_words_key(row);
	fputs("| ", out);
	if (key == NULL)
		fputs(row->metric == DIFF_THROUGHPUT ? "throughput" : "total", out);
	else
		put_names(key, out);
	put_figures(diff, row, bold, out);
}

static void put_table(const struct diff *diff, FILE *out)
{
	const struct diff_row **order = diff_words_order(diff);
	size_t shown = diff_words_shown(diff, order);
	fprintf(out, "\n| %s | old | new | change | p | |\n|:---|---:|---:|---:|---:|:---|\n", diff_unit(diff));
	put_row(diff, &diff->whole, out);
	for (size_t i = 0; i < shown; i++)
		put_row(diff, order[i], out);
	if (diff->has_throughput)
		put_row(diff, &diff->throughput, out);
	if (shown < diff->len)
		fprintf(out, "\n%zu more key%s.\n", diff->len - shown, diff->len - shown == 1 ? "" : "s");
	free(order);
}

/* ---- regions ---- */

static void put_region(const struct diff *diff, const struct diff_region *region, FILE *out)
{
	const struct diff_row *row = &region->judged;
	const char *bold = row->verdict == DIFF_WORSE ? "**" : "";
	fputs("| ", out);
	put_code(out, diff_words_tag(region));
	fprintf(out, "<br>%s<br>", diff_words_unit(diff, row));
	put_code(out, diff_words_region_sums(region));
	put_figures(diff, row, bold, out);
}

static void put_regions(const struct diff *diff, FILE *out)
{
	size_t len = diff->regions_len, shown = len < diff->options.top ? len : diff->options.top;
	if (len == 0)
		return;
	fputs("\n| region | old | new | change | p | |\n|:---|---:|---:|---:|---:|:---|\n", out);
	for (size_t i = 0; i < shown; i++)
		put_region(diff, diff->regions[i], out);
	if (shown < len)
		fprintf(out, "\n%zu more tag%s.\n", len - shown, len - shown == 1 ? "" : "s");
}

void diff_markdown(const struct diff *diff, FILE *out)
{
	fputs("### stmlog diff: ", out);
	if (!diff->is_decided)
		fputs("not decided\n\n", out);
	else if (diff->worse == 0)
		fputs("no regression\n\n", out);
	else
		fprintf(out, "%zu regression%s\n\n", diff->worse, diff->worse == 1 ? "" : "s");
	put_item(out, diff_words_total(diff));
	if (diff->has_throughput)
		put_item(out, diff_words_throughput(diff));
	if (!diff->is_decided)
		put_item(out, diff_words_undecided(diff));
	put_item(out, memory_format("%zu old and %zu new runs; alpha %g, threshold %g %%", diff->sides[DIFF_OLD].len,
			      diff->sides[DIFF_NEW].len, diff->options.alpha, 100 * diff->options.threshold));
	diff_facts_compare(&diff->sides[DIFF_OLD].facts, &diff->sides[DIFF_NEW].facts, put_note, out);
	put_table(diff, out);
	put_regions(diff, out);
}
