/* SPDX-License-Identifier: MIT
 * What is known of a libitm: found by an experiment, which takes some milliseconds. */
#include "libitm.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "lookup.h"
#include "memory.h"

/* ---- findings: the text that the experiment prints, and that the agent is given: ",KEY=HEX" for each piece found ----
 */

static const char *const keys[LIBITM_PIECES] = {
	[LIBITM_COUNTERS] = ",counters=",
	[LIBITM_COMMITS] = ",commits=",
	[LIBITM_LOCKS] = ",locks=",
	[LIBITM_DISPATCH] = ",dispatch=",
	[LIBITM_SERIAL] = ",serial=",
};

bool libitm_read(const char *findings, struct libitm_value values[LIBITM_PIECES])
{
	REQUIRES(findings != NULL);
	memset(values, 0, LIBITM_PIECES * sizeof *values);
	for (size_t i = 0; i < LIBITM_PIECES; i++) {
		size_t len = strlen(keys[i]);
		if (strncmp(findings, keys[i], len) != 0)
			continue;
		findings += len;
		size_t digits = strspn(findings, "0123456789abcdef");
		if (digits == 0 || digits >= sizeof values[i].hex)
			return false;
		memcpy(values[i].hex, findings, digits);
		findings += digits;
	}
	return *findings == '\0';
}

static bool is_complete(const char *findings)
{
	struct libitm_value values[LIBITM_PIECES];
	bool is_whole = libitm_read(findings, values);
	for (size_t i = 0; i < LIBITM_PIECES; i++)
		is_whole = is_whole && values[i].hex[0] != '\0';
	return is_whole;
}

/* ---- the experiment ---- */

/* Returns the findings, owned; NULL: it failed or found nothing. */
static char *try_once(char *calibrate, const char *path)
{
	struct libitm_value values[LIBITM_PIECES];
	char *argv[] = {calibrate, (char *)path, NULL};
	char *found = libitm_output_of(argv, true);
	if (found != NULL)
		found[strcspn(found, "\n")] = '\0';
	if (found != NULL && (found[0] == '\0' || !libitm_read(found, values))) {
		free(found);
		found = NULL;
	}
	return found;
}

/* Where a piece is not found, as it may be on a busy machine, the experiment is made again. */
static char *try_out(const char *path)
{
	enum { TRIES = 3 };
	char *calibrate = lookup_beside("stmlog-calibrate");
	char *found = calibrate != NULL ? try_once(calibrate, path) : NULL;
	for (int i = 1; i < TRIES && found != NULL && !is_complete(found); i++) {
		free(found);
		found = try_once(calibrate, path);
	}
	free(calibrate);
	return found;
}

/* Whether it is the one that the loader finds by its name. */
static bool is_of_system(const struct libitm *libitm)
{
	enum libitm_source source;
	char *path = libitm_find(NULL, LIBITM_UNTRUSTED, &source);
	bool is_same = path != NULL && strcmp(path, libitm->path) == 0;
	free(path);
	return is_same;
}

static void find_out(struct libitm *libitm, enum libitm_trust trust)
{
	if (trust == LIBITM_UNTRUSTED && !is_of_system(libitm)) {
		libitm->how = LIBITM_UNRUN;
		return;
	}
	libitm->findings = try_out(libitm->path);
	if (libitm->findings != NULL)
		libitm->how = LIBITM_TRIED;
}

static void read_id(struct libitm *libitm)
{
	const void *bits = NULL;
	int file = open(libitm->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	ssize_t len = elf != NULL && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &bits) : 0;
	for (ssize_t i = 0; i < len && 2 * (size_t)len < sizeof libitm->id; i++)
		snprintf(libitm->id + 2 * i, 3, "%02x", ((const unsigned char *)bits)[i]);
	elf_end(elf);
	close(file);
}

/* The agent recognizes a libitm by its build-id. Without one, findings would be of no use. */
struct libitm libitm_of(const char *program, enum libitm_trust trust)
{
	struct libitm libitm = {.how = LIBITM_NOT};
	libitm.path = libitm_find(program, trust, &libitm.source);
	if (libitm.path != NULL)
		read_id(&libitm);
	if (libitm.id[0] != '\0')
		find_out(&libitm, trust);
	return libitm;
}

void libitm_fini(struct libitm *libitm)
{
	free(libitm->path);
	free(libitm->findings);
	*libitm = (struct libitm){.how = LIBITM_NOT};
}

char *libitm_variable(const struct libitm *libitm)
{
	return libitm->findings != NULL ? memory_format("id=%s%s", libitm->id, libitm->findings) : NULL;
}
