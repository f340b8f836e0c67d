/* SPDX-License-Identifier: MIT
 *
 * jsonq FILE PATH...: prints the values at PATH in a JSON file ("-": standard input), one on each line, strings without
 * quotes; of several PATHs as columns, separated by a space. The shell tests read reports with it, so that they need
 * neither jq nor python.
 *
 *   .name     member        [3]  element        []  each element        #  number of them
 *
 * Example: jsonq report.json '.entries[0].local.frames[].function'
 * Exit status 1 if there is nothing at PATH, 2 on bad usage or bad JSON.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 16 };

/* Where values are printed. */
static FILE *out;

static bool print_at(const json_t *value, const char *path);

static bool print_value(const json_t *value)
{
	if (value == NULL)
		return false;
	if (json_is_string(value))
		return fprintf(out, "%s\n", json_string_value(value)) >= 0;
	bool is_done = json_dumpf(value, out, JSON_ENCODE_ANY | JSON_COMPACT) == 0;
	return putc('\n', out) != EOF && is_done;
}

static bool print_member(const json_t *value, const char *path)
{
	char name[64];
	size_t len = strcspn(path, ".[#");
	if (len >= sizeof(name))
		return false;
	memcpy(name, path, len);
	name[len] = '\0';
	return print_at(json_object_get(value, name), path + len);
}

static bool print_each(const json_t *array, const char *rest)
{
	bool is_found = json_is_array(array);
	for (size_t i = 0; i < json_array_size(array); i++)
		is_found = print_at(json_array_get(array, i), rest) && is_found;
	return is_found;
}

static bool print_elements(const json_t *array, const char *path)
{
	char *end;
	if (*path == ']')
		return print_each(array, path + 1);
	unsigned long index = strtoul(path, &end, 10);
	return end != path && *end == ']' && print_at(json_array_get(array, index), end + 1);
}

static bool print_at(const json_t *value, const char *path)
{
	if (value == NULL)
		return false;
	if (*path == '.')
		return print_member(value, path + 1);
	if (*path == '[')
		return print_elements(value, path + 1);
	if (strcmp(path, "#") == 0)
		return fprintf(out, "%zu\n", json_is_array(value) ? json_array_size(value) : json_object_size(value)) >
		       0;
	return *path == '\0' && print_value(value);
}

static bool print_one(const json_t *root, const char *path)
{
	out = stdout;
	return print_at(root, path);
}

/* One column for each path, as long as each has lines. */
static bool print_columns(const json_t *root, char *const *paths, size_t count)
{
	char *columns[COLUMNS_MAX], *at[COLUMNS_MAX], *line;
	bool is_found = true;
	for (size_t i = 0; i < count; i++) {
		size_t size;
		out = open_memstream(&columns[i], &size);
		is_found = print_at(root, paths[i]) && is_found;
		fclose(out);
		at[i] = columns[i];
	}
	for (size_t i = 0; (line = strsep(&at[i], "\n")) != NULL && at[i] != NULL; i = (i + 1) % count)
		printf("%s%c", line, i + 1 < count ? ' ' : '\n');
	for (size_t i = 0; i < count; i++)
		free(columns[i]);
	return is_found;
}

int main(int argc, char **argv)
{
	json_error_t error;
	if (argc < 3 || argc > 2 + COLUMNS_MAX) {
		fputs("usage: jsonq FILE PATH...\n", stderr);
		return 2;
	}
	bool is_stdin = strcmp(argv[1], "-") == 0;
	json_t *root = is_stdin ? json_loadf(stdin, 0, &error) : json_load_file(argv[1], 0, &error);
	if (root == NULL) {
		fprintf(stderr, "jsonq: %s:%d: %s\n", argv[1], error.line, error.text);
		return 2;
	}
	bool is_found = argc == 3 ? print_one(root, argv[2]) : print_columns(root, argv + 2, (size_t)argc - 2);
	json_decref(root);
	return is_found ? 0 : 1;
}
