/* SPDX-License-Identifier: MIT
 *
 * entries FILE: prints the entries of a JSON report, one a line, as columns that awk can add up:
 *
 *   detail contention count certain false aliases  function thread  function thread grade  reason lost_ns
 *   \_____________________________________________/ \__ local ____/ \____ remote _______/
 *
 * "-" stands for a field that is not known or empty; blanks within a field become "_". Functions are those of the
 * innermost frames. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void print_word(const char *word)
{
	if (word == NULL || word[0] == '\0')
		word = "-";
	for (; *word != '\0'; word++)
		putchar(*word == ' ' ? '_' : *word);
}

static void print_member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	if (json_is_integer(value))
		printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		print_word(json_string_value(value));
	putchar(' ');
}

static void print_side(const json_t *side)
{
	print_word(json_string_value(json_object_get(json_array_get(json_object_get(side, "frames"), 0), "function")));
	putchar(' ');
	print_member(side, "thread");
}

int main(int argc, char **argv)
{
	static const char *const members[] = {
		"detail", "contention", "count", "certain", "false_conflicts", "false_aliases"};
	json_error_t error;
	size_t i;
	const json_t *entry;
	const json_t *report = argc == 2 ? json_load_file(argv[1], 0, &error) : NULL;
	if (report == NULL) {
		fprintf(stderr, "usage: entries REPORT.json%s%s\n", argc == 2 ? ": " : "", argc == 2 ? error.text : "");
		return 2;
	}
	json_array_foreach(json_object_get(report, "entries"), i, entry)
	{
		for (size_t k = 0; k < sizeof members / sizeof *members; k++)
			print_member(entry, members[k]);
		print_side(json_object_get(entry, "local"));
		print_side(json_object_get(entry, "remote"));
		print_member(json_object_get(entry, "remote"), "grade");
		print_member(entry, "reason");
		print_member(entry, "lost_ns");
		putchar('\n');
	}
	return 0;
}
