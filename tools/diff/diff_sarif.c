/* SPDX-License-Identifier: MIT
 * Prints a comparison as a log of results in SARIF 2.1.0, as static analysers do. There is a result for each
 * regression. That of a loss is at the line that loses more, with the culprit's line beside it. That of a region has no
 * line. The result for the total is at the line of the largest change, since programs that show results want a line. */
#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "diff.h"
#include "diff_words.h"
#include "json_value.h"
#include "memory.h"
#include "source_file.h"
#include "utf8.h"

struct rule {
	const char *id, *name, *brief, *full;
};

enum { RULE_TOTAL, RULE_PLACE, RULE_THROUGHPUT, RULE_REGION };

static const struct rule rules[] = {
	[RULE_TOTAL] = {"stmlog/total", "MoreLostInTotal", "Transactions lose more than before, in total",
		"The new build loses significantly more than the old one, beyond the threshold, in all transactions "
		"together."},
	[RULE_PLACE] = {"stmlog/place", "MoreLostAtPlace", "Transactions lose more than before at this line",
		"The new build loses significantly more than the old one, beyond the threshold, at this line because "
		"of "
		"the transaction that is named beside it."},
	[RULE_THROUGHPUT] = {"stmlog/throughput", "FewerCommits", "Fewer transactions commit in a second than before",
		"The new build commits significantly fewer transactions in a second than the old one, beyond the "
		"threshold."},
	[RULE_REGION] = {"stmlog/region", "SlowerRegion", "A region of the program is slower than before",
		"The regions of this tag do significantly less work in a second than in the old build, beyond the "
		"threshold; or each takes more time, if the program does not say how much work they are."},
};

/* Frees `text`. */
static json_t *message_of(char *text)
{
	json_t *message = json_pack("{s:o}", "text", string(text));
	free(text);
	return message;
}

/* ---- lines ---- */

/* Path as in a URI: all but letters, digits and few others as %NN. The caller frees it. */
static char *encoded(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
	char *text = memory_zeroed(strlen(path) + 1, 3), *to = text;
	for (; *path != '\0'; path++) {
		unsigned char byte = (unsigned char)*path;
		if (strchr(plain, byte) != NULL) {
			*to++ = *path;
			continue;
		}
		*to++ = '%';
		*to++ = "0123456789ABCDEF"[byte >> 4];
		*to++ = "0123456789ABCDEF"[byte & 15];
	}
	return text;
}

static json_t *artifact_of(const struct diff *diff, const char *path)
{
	const char *srcdir = diff->options.srcdir != NULL ? diff->options.srcdir : ".";
	char *relative = source_relative(path, srcdir), *uri = encoded(relative);
	bool is_below = relative[0] != '/';
	char *whole = is_below ? memory_text(uri) : memory_format("file://%s", uri);
	json_t *artifact = json_pack("{s:o}", "uri", string(whole));
	if (is_below)
		json_object_set_new(artifact, "uriBaseId", json_string("%SRCROOT%"));
	free(relative);
	free(uri);
	free(whole);
	return artifact;
}

/* NULL: no frame has a line of source. */
static const struct diff_frame *frame_of(const struct diff_traceback *traceback)
{
	for (size_t i = 0; i < traceback->len; i++) {
		if (traceback->frames[i].path != NULL && traceback->frames[i].line != 0)
			return &traceback->frames[i];
	}
	return NULL;
}

static json_t *location_of(const struct diff *diff, const struct diff_frame *frame)
{
	json_t *region = json_pack("{s:I}", "startLine", (json_int_t)frame->line);
	if (frame->last_line != 0)
		json_object_set_new(region, "endLine", integer(frame->last_line));
	json_t *location = json_pack("{s:{s:o, s:o}}", "physicalLocation", "artifactLocation",
		artifact_of(diff, frame->path), "region", region);
	if (frame->function != NULL)
		json_object_set_new(location, "logicalLocations",
			json_pack("[{s:o, s:s}]", "fullyQualifiedName", string(frame->function), "kind", "function"));
	return location;
}

/* Sets the member to the location, if there is one, in an array. */
static void set_location(const struct diff *diff, json_t *result, const char *member,
	const struct diff_traceback *traceback, const char *words)
{
	const struct diff_frame *frame = frame_of(traceback);
	if (frame == NULL)
		return;
	json_t *location = location_of(diff, frame), *array = json_array();
	if (words != NULL)
		json_object_set_new(location, "message", json_pack("{s:s}", "text", words));
	json_array_append_new(array, location);
	json_object_set_new(result, member, array);
}

/* ---- results ---- */

static json_t *result_of(int rule, char *message, const struct diff_row *row)
{
	return json_pack("{s:s, s:i, s:s, s:o, s:{s:f, s:f, s:f}}", "ruleId", rules[rule].id, "ruleIndex", rule,
		"level", "error", "message", message_of(message), "properties", "old", row->median[DIFF_OLD].value,
		"new", row->median[DIFF_NEW].value, "p", row->p);
}

/* The same from build to build, as long as the functions have the same names. */
static void set_fingerprint(json_t *result, const struct diff_key *key)
{
	char *local = diff_words_place(&key->local, SIZE_MAX, DIFF_WORDS_NO_LINE);
	char *remote = diff_words_place(&key->remote, SIZE_MAX, DIFF_WORDS_NO_LINE), *cause = diff_words_cause(key);
	char *text = memory_format("%s, blocked by %s: %s", local, remote, cause);
	json_object_set_new(result, "partialFingerprints", json_pack("{s:o}", "stmlogKey/v1", string(text)));
	free(local);
	free(remote);
	free(cause);
	free(text);
}

static json_t *place_result(const struct diff *diff, const struct diff_row *row)
{
	const struct diff_key *key = diff_words_key(row);
	char *name = diff_words_name(key), *figures = diff_words_figures(row);
	json_t *result =
		result_of(RULE_PLACE, memory_format("%s: %s %s", name, diff_words_unit(diff, row), figures), row);
	free(name);
	free(figures);
	if (key->is_evicted)
		return result;
	set_location(diff, result, "locations", &key->local, NULL);
	set_location(diff, result, "relatedLocations", &key->remote, "the transaction that was in the way");
	set_fingerprint(result, key);
	return result;
}

/* Of the keys that are worse, or else of all, the one of the largest change that has a line; NULL: none has. */
static const struct diff_key *costliest(const struct diff *diff)
{
	const struct diff_row **order = diff_words_order(diff);
	const struct diff_key *found = NULL;
	for (size_t i = 0; i < diff->len && found == NULL; i++) {
		const struct diff_key *key = diff_words_key(order[i]);
		found = frame_of(&key->local) != NULL ? key : NULL;
	}
	free(order);
	return found;
}

static json_t *total_result(const struct diff *diff)
{
	int rule = diff->options.metric == DIFF_THROUGHPUT ? RULE_THROUGHPUT : RULE_TOTAL;
	const struct diff_key *key = costliest(diff);
	json_t *result = result_of(rule, diff_words_total(diff), &diff->whole);
	if (key != NULL)
		set_location(diff, result, "locations", &key->local, "the largest change");
	json_object_set_new(result, "partialFingerprints", json_pack("{s:s}", "stmlogKey/v1", "total"));
	return result;
}

/* A region has a tag and no line, and so no location: those who show results show the message. */
static json_t *region_result(const struct diff *diff, const struct diff_region *region)
{
	const struct diff_row *row = &region->judged;
	char *tag = diff_words_tag(region), *figures = diff_words_figures(row), *sums = diff_words_region_sums(region);
	json_t *result = result_of(RULE_REGION,
		memory_format("region %s, %s: %s; %s", tag, diff_words_unit(diff, row), figures, sums), row);
	char *fingerprint = memory_format("region %s", tag);
	json_object_set_new(result, "partialFingerprints", json_pack("{s:o}", "stmlogKey/v1", string(fingerprint)));
	free(fingerprint);
	free(tag);
	free(figures);
	free(sums);
	return result;
}

static json_t *results_of(const struct diff *diff)
{
	json_t *results = json_array();
	if (diff->whole.verdict == DIFF_WORSE)
		json_array_append_new(results, total_result(diff));
	for (size_t i = 0; i < diff->len; i++) {
		if (diff->rows[i].verdict == DIFF_WORSE)
			json_array_append_new(results, place_result(diff, &diff->rows[i]));
	}
	for (size_t i = 0; i < diff->regions_len; i++) {
		if (diff->regions[i]->judged.verdict == DIFF_WORSE)
			json_array_append_new(results, region_result(diff, diff->regions[i]));
	}
	return results;
}

/* ---- the run ---- */

static json_t *rules_array(void)
{
	json_t *array = json_array();
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		json_array_append_new(
			array, json_pack("{s:s, s:s, s:{s:s}, s:{s:s}, s:{s:s}}", "id", rules[i].id, "name",
				       rules[i].name, "shortDescription", "text", rules[i].brief, "fullDescription",
				       "text", rules[i].full, "defaultConfiguration", "level", "error"));
	return array;
}

static void add_notification(json_t *notifications, const char *level, const char *text)
{
	json_array_append_new(
		notifications, json_pack("{s:s, s:{s:o}}", "level", level, "message", "text", string(text)));
}

static void add_note(const char *line, void *notifications)
{
	char *clean = utf8_clean(line, UTF8_HIDE_CONTROLS);
	add_notification(notifications, "note", clean);
	free(clean);
}

static json_t *invocation_of(const struct diff *diff)
{
	json_t *notifications = json_array();
	if (!diff->is_decided) {
		char *undecided = diff_words_undecided(diff);
		add_notification(notifications, "warning", undecided);
		free(undecided);
	}
	diff_facts_compare(&diff->sides[DIFF_OLD].facts, &diff->sides[DIFF_NEW].facts, add_note, notifications);
	return json_pack("{s:b, s:o}", "executionSuccessful", true, "toolExecutionNotifications", notifications);
}

void diff_sarif(const struct diff *diff, FILE *out)
{
	json_t *driver =
		json_pack("{s:s, s:s, s:o}", "name", "stmlog", "version", STMLOG_VERSION, "rules", rules_array());
	json_t *log = json_pack("{s:s, s:s, s:[{s:{s:o}, s:s, s:[o], s:o}]}", "$schema",
		"https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool", "driver", driver,
		"columnKind", "unicodeCodePoints", "invocations", invocation_of(diff), "results", results_of(diff));
	json_value_write(out, log, JSON_INDENT(1));
	fputc('\n', out);
}
