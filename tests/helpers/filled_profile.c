/* SPDX-License-Identifier: MIT
 * Fills a profile as an interpreter does that evaluates recursive functions, writes it for pprof, and prints the sums
 * of stmlog_profile_query(): calls and useful time. usage: filled_profile FILE */
#include <inttypes.h>
#include <stdio.h>

#include <stmlog/profile.h>

enum { IN_MAIN, IN_EVEN, IN_ODD, IN_LEAF };

static bool name_site(uint32_t site, struct stmlog_name *name, void *arg)
{
	static const char *const names[] = {"main", "even", "odd"};
	(void)arg;
	if (site > IN_ODD)
		return false;
	snprintf(name->function, sizeof name->function, "%s", names[site]);
	snprintf(name->file, sizeof name->file, "/src/parity.fble");
	name->line = 10 + site;
	return true;
}

/* Whether the number is even, or odd, by recursion. */
static void evaluate(struct stmlog_walker *walker, uint32_t site, unsigned number)
{
	stmlog_walker_enter(walker, site);
	stmlog_walker_add(walker, STMLOG_WEIGHT_USEFUL_NS, 1000);
	if (number > 0)
		evaluate(walker, site == IN_EVEN ? IN_ODD : IN_EVEN, number - 1);
	else
		stmlog_walker_replace(walker, IN_LEAF);
	stmlog_walker_exit(walker);
}

static void add_path(const struct stmlog_profile_path *path, void *arg)
{
	uint64_t *sums = arg;
	sums[0] += path->calls;
	sums[1] += path->weights[STMLOG_WEIGHT_USEFUL_NS];
}

int main(int argc, char **argv)
{
	uint64_t sums[2] = {0, 0};
	struct stmlog_profile *profile = stmlog_profile_create(4096, 128);
	struct stmlog_walker *walker = stmlog_walker_create(profile);
	stmlog_walker_enter(walker, IN_MAIN);
	for (unsigned i = 0; i < 20; i++)
		evaluate(walker, IN_EVEN, i);
	stmlog_walker_exit(walker);
	stmlog_walker_destroy(&walker);
	stmlog_profile_query(profile, add_path, sums);
	printf("%" PRIu64 " %" PRIu64 "\n", sums[0], sums[1]);
	int error = argc == 2 ? stmlog_profile_write_pprof(profile, argv[1], name_site, NULL) : -1;
	stmlog_profile_destroy(&profile);
	return error != 0;
}
