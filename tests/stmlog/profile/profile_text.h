/* SPDX-License-Identifier: MIT
 * A profile as text, and walks written down: "1 2 3 <" enters three sites and leaves one. */
#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H

#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/profile.h>

/* "[1 2](3,60)": a path, its calls, and the weight of the caller's own. */
static inline void profile_print_path(const struct stmlog_profile_path *path, void *arg)
{
	FILE *out = arg;
	fputs("[", out);
	for (size_t i = 0; i < path->len; i++)
		fprintf(out, path->sites[i] == STMLOG_SITE_OVERFLOW ? "%sbeyond" : "%s%u", i > 0 ? " " : "",
			path->sites[i]);
	fprintf(out, "](%lu,%lu)", (unsigned long)path->calls, (unsigned long)path->weights[STMLOG_WEIGHT_OWN]);
}

/* The caller frees it. */
static inline char *profile_text(const struct stmlog_profile *profile)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	stmlog_profile_query(profile, profile_print_path, out);
	fclose(out);
	return text;
}

static inline void expect_profile(const struct stmlog_profile *profile, const char *expected)
{
	OWNED(owned_free) char *text = profile_text(profile);
	assert_string_equal(text, expected);
}

/* Each node that is come to is given ten times the site. */
static inline void walk_sites(struct stmlog_walker *walker, const char *walk, bool is_tail)
{
	for (; *walk != '\0'; walk++) {
		if (*walk == '<')
			stmlog_walker_exit(walker);
		if (*walk < '0' || *walk > '9')
			continue;
		uint32_t site = (uint32_t)(*walk - '0');
		if (is_tail)
			stmlog_walker_replace(walker, site);
		else
			stmlog_walker_enter(walker, site);
		stmlog_walker_add(walker, STMLOG_WEIGHT_OWN, (uint64_t)10 * site);
	}
}

static inline void walk(struct stmlog_walker *walker, const char *sites)
{
	walk_sites(walker, sites, false);
}

/* Where the walker stands. */
static inline void expect_path(const struct stmlog_walker *walker, const uint32_t *expected, size_t len)
{
	uint32_t sites[64];
	assert_in_range(len, 0, 64);
	assert_int_equal(stmlog_walker_path(walker, sites, 64), len);
	assert_memory_equal(sites, expected, len * sizeof *sites);
}

/* All that is in it: calls without those of the root, and own weights. */
struct profile_sums {
	uint64_t calls;
	uint64_t own;
};

static inline void profile_add_path(const struct stmlog_profile_path *path, void *arg)
{
	struct profile_sums *sums = arg;
	sums->calls += path->len > 0 ? path->calls : 0;
	sums->own += path->weights[STMLOG_WEIGHT_OWN];
}

static inline struct profile_sums profile_sums(const struct stmlog_profile *profile)
{
	struct profile_sums sums = {0, 0};
	stmlog_profile_query(profile, profile_add_path, &sums);
	return sums;
}

#endif
