/* SPDX-License-Identifier: MIT
 * Parts of the processors to which a program can be pinned: one of them, one of each core, those of one package. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "try.h"

bool try_processors_usable(cpu_set_t *cpus)
{
	CPU_ZERO(cpus);
	return sched_getaffinity(0, sizeof *cpus, cpus) == 0 && CPU_COUNT(cpus) > 0;
}

static size_t first_of(const cpu_set_t *cpus)
{
	size_t cpu = 0;
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, cpus))
		cpu++;
	return cpu;
}

bool try_processors_first(const cpu_set_t *usable, cpu_set_t *part)
{
	CPU_ZERO(part);
	CPU_SET(first_of(usable), part);
	return CPU_COUNT(usable) > 1;
}

/* Where a processor is; both -1: not known. */
struct place {
	int package, core;
};

static int number_in(const char *sys, size_t cpu, const char *name)
{
	char text[16] = "", *path = memory_format("%s/cpu%zu/topology/%s", sys, cpu, name);
	uint64_t number;
	FILE *file = fopen(path, "re");
	if (file != NULL && fgets(text, sizeof text, file) != NULL)
		text[strcspn(text, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
	free(path);
	return number_parse(text, &number) && number <= INT_MAX ? (int)number : -1;
}

static struct place place_of(const char *sys, size_t cpu)
{
	return (struct place){number_in(sys, cpu, "physical_package_id"), number_in(sys, cpu, "core_id")};
}

/* Copies the processors that `is_in` takes, each with those that were taken before it. */
static bool choose(const cpu_set_t *usable, const char *sys, cpu_set_t *part,
	bool (*is_in)(const struct place *places, const cpu_set_t *before, size_t cpu))
{
	struct place *places = memory_zeroed(CPU_SETSIZE, sizeof *places);
	bool is_known = true;
	CPU_ZERO(part);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, usable))
			continue;
		places[cpu] = place_of(sys, cpu);
		is_known &= places[cpu].package >= 0 && places[cpu].core >= 0;
		if (is_in(places, part, cpu))
			CPU_SET(cpu, part);
	}
	free(places);
	return is_known && !CPU_EQUAL(part, usable);
}

static bool is_of_new_core(const struct place *places, const cpu_set_t *before, size_t cpu)
{
	for (size_t other = 0; other < cpu; other++) {
		bool is_same_core =
			places[other].package == places[cpu].package && places[other].core == places[cpu].core;
		if (CPU_ISSET(other, before) && is_same_core)
			return false;
	}
	return true;
}

static bool is_of_first_package(const struct place *places, const cpu_set_t *before, size_t cpu)
{
	return CPU_COUNT(before) == 0 || places[first_of(before)].package == places[cpu].package;
}

bool try_processors_one_of_each_core(const cpu_set_t *usable, const char *sys, cpu_set_t *part)
{
	return choose(usable, sys, part, is_of_new_core);
}

bool try_processors_one_package(const cpu_set_t *usable, const char *sys, cpu_set_t *part)
{
	return choose(usable, sys, part, is_of_first_package);
}

char *try_processors_list(const cpu_set_t *cpus)
{
	char *list = memory_text("");
	for (size_t cpu = 0, last; cpu < CPU_SETSIZE; cpu = last + 1) {
		last = cpu;
		if (!CPU_ISSET(cpu, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		const char *comma = list[0] != '\0' ? "," : "";
		char *longer = last > cpu ? memory_format("%s%s%zu-%zu", list, comma, cpu, last)
					  : memory_format("%s%s%zu", list, comma, cpu);
		free(list);
		list = longer;
	}
	return list;
}
