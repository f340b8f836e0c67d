/* SPDX-License-Identifier: MIT
 *
 * Records of accesses (format.h) as text, a line "KIND ADDRESS SIZE GAP" for each, both ways:
 *
 * accesses          writes the records to stdout that stdin has the lines of. KIND is a number or a name of the table;
 *                   what a line does not say is 0.
 * accesses FILE     prints the lines of a recording's accesses; nothing if it has none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/format.h>

static const char *const names[STMLOG_ACCESS_KINDS] = {
	"THREAD", "BEGIN", "R", "RaR", "RaW", "RfW", "W", "WaR", "WaW", "ALONE", "COMMIT", "CANCEL"};

static uint16_t kind_of(const char *name)
{
	for (uint16_t kind = 0; kind < STMLOG_ACCESS_KINDS; kind++) {
		if (strcmp(name, names[kind]) == 0)
			return kind;
	}
	return (uint16_t)strtoul(name, NULL, 0);
}

static const char *next_word(const char *otherwise)
{
	const char *word = strtok(NULL, " \n");
	return word != NULL ? word : otherwise;
}

static void write_records(void)
{
	char line[200];
	while (fgets(line, sizeof line, stdin) != NULL) {
		struct stmlog_access_record record = {0};
		const char *name = strtok(line, " \n");
		if (name == NULL)
			continue;
		record.kind = kind_of(name);
		record.address = strtoull(next_word("0"), NULL, 0);
		record.size = (uint16_t)strtoul(next_word("0"), NULL, 0);
		record.gap_ns = strtof(next_word("0"), NULL);
		fwrite(&record, sizeof record, 1, stdout);
	}
}

static int fail(const char *path, const char *why)
{
	fprintf(stderr, "accesses: %s: %s\n", path, why);
	return EXIT_FAILURE;
}

/* Leaves the file at the section's records. The recording is right: 'stmlog check' says so. Returns their number. */
static uint64_t find_section(FILE *file)
{
	struct stmlog_section_header header = {0};
	fseek(file, sizeof(struct stmlog_file_header), SEEK_SET);
	while (fread(&header, sizeof header, 1, file) == 1 && header.type != STMLOG_SECTION_END) {
		if (header.type == STMLOG_SECTION_ACCESSES)
			return header.length / sizeof(struct stmlog_access_record);
		fseek(file, (long)((header.length + 7) & ~UINT64_C(7)), SEEK_CUR);
	}
	return 0;
}

static int print_records(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stmlog_access_record record;
	if (file == NULL)
		return fail(path, "cannot be opened");
	for (uint64_t left = find_section(file); left > 0; left--) {
		if (fread(&record, sizeof record, 1, file) != 1 || record.kind >= STMLOG_ACCESS_KINDS)
			return fail(path, "its accesses cannot be read");
		printf("%s %#" PRIx64 " %u %.9g\n", names[record.kind], record.address, record.size,
			(double)record.gap_ns);
	}
	fclose(file);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	int status = EXIT_SUCCESS;
	if (argc == 1)
		write_records();
	else
		status = print_records(argv[1]);
	return fflush(stdout) == 0 ? status : EXIT_FAILURE;
}
