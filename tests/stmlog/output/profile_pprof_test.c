/* SPDX-License-Identifier: MIT
 * Profiles that programs fill, written for pprof, and read back by the letter of tools/export/profile.proto. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stmlog/profile.h>

#include "mem.h"
#include "random.h"
#include "stress.h"
#include "temp_dir.h"

static void set_up(void)
{
	temp_dir_set_up();
	fixture_set_up();
}

static void tear_down(void)
{
	fixture_tear_down();
	temp_dir_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

/* ---- reading ---- */

enum { TEXTS = 2000, NUMBERS = 200 };

/* The file: its texts in order, samples as "[1 2](calls,w0,...)" with all weights, the types of values as "calls/count
 * ", and the sites with their names as "1=main bank.c:3 ". */
struct decoded {
	char *texts[TEXTS];
	size_t text_count;
	char *samples, *types, *sites;
	FILE *samples_out, *types_out, *sites_out;
	uint64_t default_type;
	uint64_t location[3]; /* of the location before: id, function, line */
};

/* A piece of the file. */
struct piece {
	const unsigned char *at, *end;
};

static uint64_t take_number(struct piece *piece)
{
	uint64_t number = 0;
	for (unsigned shift = 0;; shift += 7) {
		assert_true(piece->at < piece->end && shift < 64);
		number |= (uint64_t)(*piece->at & 0x7f) << shift;
		if ((*piece->at++ & 0x80) == 0)
			return number;
	}
}

/* Takes a field: its number; and either the piece that it is, or its value, with a piece that is empty. */
static unsigned take_field(struct piece *piece, struct piece *part, uint64_t *value)
{
	uint64_t tag = take_number(piece);
	*value = take_number(piece);
	*part = (struct piece){piece->at, piece->at};
	assert_true((tag & 7) == 0 || (tag & 7) == 2);
	if ((tag & 7) == 0)
		return (unsigned)(tag >> 3);
	assert_true(*value <= (uint64_t)(piece->end - piece->at));
	part->end = piece->at += *value;
	return (unsigned)(tag >> 3);
}

/* All fields of a message of numbers, by their numbers below 5. */
static void take_numbers(struct piece piece, uint64_t fields[5])
{
	struct piece part;
	uint64_t value;
	memset(fields, 0, 5 * sizeof *fields);
	while (piece.at < piece.end) {
		unsigned field = take_field(&piece, &part, &value);
		assert_in_range(field, 1, 4);
		fields[field] = value;
	}
}

static size_t take_packed(struct piece piece, uint64_t numbers[NUMBERS])
{
	size_t count = 0;
	while (piece.at < piece.end) {
		assert_true(count < NUMBERS);
		numbers[count++] = take_number(&piece);
	}
	return count;
}

static void print_site(FILE *out, uint64_t site)
{
	if (site >= STMLOG_SITE_OVERFLOW)
		fputs(site == STMLOG_SITE_ROOT ? "root" : "beyond", out);
	else
		fprintf(out, "%u", (uint32_t)site);
}

static void decode_sample(struct decoded *decoded, struct piece piece)
{
	struct piece part;
	uint64_t len, numbers[NUMBERS];
	FILE *out = decoded->samples_out;
	assert_int_equal(take_field(&piece, &part, &len), 1);
	fputs("[", out);
	for (size_t count = take_packed(part, numbers), i = count; i-- > 0;) {
		fputs(i + 1 < count ? " " : "", out);
		print_site(out, numbers[i] - 1);
	}
	assert_int_equal(take_field(&piece, &part, &len), 2);
	assert_true(piece.at == piece.end);
	assert_int_equal(take_packed(part, numbers), 1 + STMLOG_WEIGHTS);
	for (size_t i = 0; i <= STMLOG_WEIGHTS; i++)
		fprintf(out, "%s%lu", i == 0 ? "](" : ",", (unsigned long)numbers[i]);
	fputs(")", out);
}

static void decode_location(struct decoded *decoded, struct piece piece)
{
	struct piece part;
	uint64_t len, fields[5];
	assert_int_equal(take_field(&piece, &part, &decoded->location[0]), 1);
	assert_int_equal(take_field(&piece, &part, &len), 4);
	assert_true(piece.at == piece.end);
	take_numbers(part, fields);
	decoded->location[1] = fields[1];
	decoded->location[2] = fields[2];
}

/* A function comes behind its location and before its texts: the two that follow. */
static void decode_function(struct decoded *decoded, struct piece piece)
{
	uint64_t fields[5];
	take_numbers(piece, fields);
	assert_int_equal(fields[1], decoded->location[0]);
	assert_int_equal(fields[1], decoded->location[1]);
	assert_int_equal(fields[2], decoded->text_count);
	assert_int_equal(fields[3], fields[2]);
	assert_int_equal(fields[4], fields[2] + 1);
	fputs(decoded->text_count > 9 ? ", " : "", decoded->sites_out);
	print_site(decoded->sites_out, fields[1] - 1);
}

static void decode_text(struct decoded *decoded, struct piece piece)
{
	size_t len = (size_t)(piece.end - piece.at), number = decoded->text_count;
	assert_true(number < TEXTS);
	decoded->texts[decoded->text_count++] = strndup((const char *)piece.at, len);
	if (number < 9)
		return;
	bool is_function = (number - 9) % 2 == 0;
	fprintf(decoded->sites_out, is_function ? "=%s" : " %s:%lu", decoded->texts[number],
		(unsigned long)decoded->location[2]);
}

static void decode_type(struct decoded *decoded, struct piece piece)
{
	uint64_t fields[5];
	take_numbers(piece, fields);
	assert_true(fields[1] < decoded->text_count && fields[2] < decoded->text_count);
	fprintf(decoded->types_out, "%s/%s ", decoded->texts[fields[1]], decoded->texts[fields[2]]);
}

static void decode_field(struct decoded *decoded, unsigned field, struct piece part, uint64_t value)
{
	static void (*const decode[])(struct decoded *, struct piece) = {[1] = decode_type,
		[2] = decode_sample,
		[4] = decode_location,
		[5] = decode_function,
		[6] = decode_text};
	if (field == 14)
		decoded->default_type = value;
	else if (field < sizeof decode / sizeof decode[0] && decode[field] != NULL)
		decode[field](decoded, part);
	else
		fail_msg("field %u", field);
}

static void decode_file(struct decoded *decoded, const char *path)
{
	static unsigned char bytes[1 << 20];
	size_t size;
	int fd = open(path, O_RDONLY);
	ssize_t len = read(fd, bytes, sizeof bytes);
	close(fd);
	assert_in_range(len, 1, sizeof bytes - 1);
	*decoded = (struct decoded){.text_count = 0};
	decoded->samples_out = open_memstream(&decoded->samples, &size);
	decoded->types_out = open_memstream(&decoded->types, &size);
	decoded->sites_out = open_memstream(&decoded->sites, &size);
	struct piece file = {bytes, bytes + len}, part;
	while (file.at < file.end) {
		uint64_t value;
		unsigned field = take_field(&file, &part, &value);
		decode_field(decoded, field, part, value);
	}
	fclose(decoded->samples_out);
	fclose(decoded->types_out);
	fclose(decoded->sites_out);
}

static void decoded_fini(struct decoded *decoded)
{
	for (size_t i = 0; i < decoded->text_count; i++)
		free(decoded->texts[i]);
	free(decoded->samples);
	free(decoded->types);
	free(decoded->sites);
}

/* ---- the samples ---- */

/* The paths of the query as samples, but for those that have nothing. */
static void print_path(const struct stmlog_profile_path *path, void *arg)
{
	FILE *out = arg;
	uint64_t any = path->calls;
	for (size_t i = 0; i < STMLOG_WEIGHTS; i++)
		any |= path->weights[i];
	if (any == 0)
		return;
	fputs(path->len == 0 ? "[root" : "[", out);
	for (size_t i = 0; i < path->len; i++) {
		fputs(i > 0 ? " " : "", out);
		print_site(out, path->sites[i]);
	}
	fprintf(out, "](%lu", (unsigned long)path->calls);
	for (size_t i = 0; i < STMLOG_WEIGHTS; i++)
		fprintf(out, ",%lu", (unsigned long)path->weights[i]);
	fputs(")", out);
}

static void expect_samples_of_query(const struct stmlog_profile *profile)
{
	OWNED(owned_free) char *expected = NULL;
	size_t size;
	OWNED(decoded_fini) struct decoded decoded;
	FILE *out = open_memstream(&expected, &size);
	stmlog_profile_query(profile, print_path, out);
	fclose(out);
	const char *path = temp_dir_path("pprof");
	assert_int_equal(stmlog_profile_write_pprof(profile, path, NULL, NULL), 0);
	decode_file(&decoded, path);
	assert_string_equal(decoded.samples, expected);
}

/* Enters, leaves, and adds to weights, at random; some sites have large numbers. */
static void walk_at_random(struct stmlog_walker *walker, struct random *random)
{
	size_t depth = 0;
	for (size_t n = random_below(random, 60); n > 0; n--) {
		uint32_t site = random_below(random, 4) * (random_below(random, 8) == 0 ? 0x3fffffff : 1);
		if (depth > 0 && random_below(random, 3) == 0) {
			stmlog_walker_exit(walker);
			depth--;
		} else {
			stmlog_walker_enter(walker, site);
			depth++;
		}
		stmlog_walker_add(walker, (enum stmlog_weight)random_below(random, STMLOG_WEIGHTS),
			random_next(random) >> (10 + random_below(random, 50)));
	}
}

TEST_WITH(fixture, samples_are_the_paths_of_the_query_with_all_their_values)
{
	struct random random = {11};
	for (uint32_t i = 0; i < stress_times(500); i++) {
		struct stmlog_profile *profile =
			stmlog_profile_create(1 + random_below(&random, 60), 1 + random_below(&random, 20));
		struct stmlog_walker *walker = stmlog_walker_create(profile);
		walk_at_random(walker, &random);
		stmlog_walker_destroy(&walker);
		expect_samples_of_query(profile);
		stmlog_profile_destroy(&profile);
	}
}

TEST_WITH(fixture, a_profile_in_which_nobody_has_walked_has_no_sample)
{
	OWNED(decoded_fini) struct decoded decoded;
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(1, 1);
	const char *path = temp_dir_path("pprof");
	assert_int_equal(stmlog_profile_write_pprof(profile, path, NULL, NULL), 0);
	decode_file(&decoded, path);
	assert_string_equal(decoded.samples, "");
	assert_string_equal(decoded.types, "calls/count aborted/nanoseconds paused/nanoseconds waiting/nanoseconds "
					   "useful/nanoseconds own/count ");
	assert_string_equal(decoded.texts[0], "");
	assert_string_equal(decoded.texts[decoded.default_type], "useful");
}

TEST_WITH(fixture, values_beyond_the_largest_of_the_format_are_that_one)
{
	OWNED(decoded_fini) struct decoded decoded;
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(4, 4);
	struct stmlog_walker *walker = stmlog_walker_create(profile);
	stmlog_walker_add(walker, STMLOG_WEIGHT_OWN, UINT64_MAX);
	stmlog_walker_destroy(&walker);
	const char *path = temp_dir_path("pprof");
	assert_int_equal(stmlog_profile_write_pprof(profile, path, NULL, NULL), 0);
	decode_file(&decoded, path);
	assert_string_equal(decoded.samples, "[root](1,0,0,0,0,9223372036854775807)");
}

/* ---- the names ---- */

/* Names sites below 10, and counts the calls in *arg. */
static bool name_few(uint32_t site, struct stmlog_name *name, void *arg)
{
	++*(size_t *)arg;
	if (site >= 10)
		return false;
	snprintf(name->function, sizeof name->function, site == 9 ? "evil\x1b[1m\xff" : "f%u", site);
	snprintf(name->file, sizeof name->file, site == 9 ? "" : "/src/a.c");
	name->line = 100 + site;
	return true;
}

TEST_WITH(fixture, sites_have_the_names_that_the_program_gives_them)
{
	static const uint32_t sites[] = {3, 9, 3, 77, 0, 4000000000};
	size_t asked = 0;
	OWNED(decoded_fini) struct decoded decoded;
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(5, 5);
	struct stmlog_walker *walker = stmlog_walker_create(profile);
	for (size_t i = 0; i < sizeof sites / sizeof sites[0]; i++)
		stmlog_walker_enter(walker, sites[i]);
	stmlog_walker_destroy(&walker);
	const char *path = temp_dir_path("pprof");
	assert_int_equal(stmlog_profile_write_pprof(profile, path, name_few, &asked), 0);
	decode_file(&decoded, path);
	assert_string_equal(decoded.samples, "[root](1,0,0,0,0,0)[3](1,0,0,0,0,0)[3 9](1,0,0,0,0,0)[3 9 3](1,0,0,0,0,0)"
					     "[3 9 3 77](1,0,0,0,0,0)[3 9 3 77 0](1,0,0,0,0,0)[beyond](1,0,0,0,0,0)");
	assert_string_equal(decoded.sites, "0=f0 /src/a.c:100, 3=f3 /src/a.c:103, 9=evil?[1m? :109, 77=site 77 :0, "
					   "beyond=(overflow) :0, root=(root) :0");
	assert_int_equal(asked, 4);
}

/* ---- when it cannot be written ---- */

TEST_WITH(fixture, a_profile_that_is_null_writes_nothing)
{
	const char *path = temp_dir_path("pprof");
	assert_int_equal(stmlog_profile_write_pprof(NULL, path, NULL, NULL), 0);
	assert_int_equal(access(path, F_OK), -1);
}

TEST_WITH(fixture, a_failure_is_returned_and_leaves_the_file_as_it_was)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(4, 4);
	const char *path = temp_dir_path("pprof");
	errno = 123;
	assert_int_equal(stmlog_profile_write_pprof(profile, temp_dir_path("none/pprof"), NULL, NULL), -ENOENT);
	assert_int_equal(stmlog_profile_write_pprof(profile, path, NULL, NULL), 0);
	mem_fail_at(1);
	assert_int_equal(stmlog_profile_write_pprof(profile, path, NULL, NULL), -ENOMEM);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(stmlog_profile_write_pprof(profile, "/dev/full", NULL, NULL), -ENOSPC);
	assert_int_equal(errno, 123);
}
