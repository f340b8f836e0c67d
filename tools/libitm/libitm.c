/* SPDX-License-Identifier: MIT
 * What is known of a libitm: looked up in the cache, else found by experiment and put there. */
#include "libitm.h"

#include <stdlib.h>
#include <string.h>

#include "lookup.h"
#include "memory.h"

/* Makes the experiment. Returns the findings, owned; NULL: it failed or found nothing. */
static char *try_out(const char *path)
{
	struct libitm_value values[LIBITM_PIECES];
	char *calibrate = lookup_beside("stmlog-calibrate");
	char *argv[] = {calibrate, (char *)path, NULL};
	char *found = calibrate != NULL ? libitm_output_of(argv, true) : NULL;
	free(calibrate);
	if (found != NULL)
		found[strcspn(found, "\n")] = '\0';
	if (found != NULL && (found[0] == '\0' || !libitm_read(found, values))) {
		free(found);
		found = NULL;
	}
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

/* Only complete findings are cached: otherwise the next run makes the experiment again. */
static void find_out(struct libitm *libitm, enum libitm_trust trust)
{
	libitm->findings = libitm_cache_read(libitm);
	if (libitm->findings != NULL) {
		libitm->how = LIBITM_CACHED;
		return;
	}
	if (trust == LIBITM_UNTRUSTED && !is_of_system(libitm)) {
		libitm->how = LIBITM_UNRUN;
		return;
	}
	libitm->findings = try_out(libitm->path);
	if (libitm->findings == NULL)
		return;
	libitm->how = LIBITM_TRIED;
	if (libitm_is_complete(libitm->findings))
		libitm_cache_write(libitm);
}

/* The agent recognizes a libitm by its build-id. Without one, findings would be of no use. */
struct libitm libitm_of(const char *program, enum libitm_trust trust)
{
	struct libitm libitm = {.how = LIBITM_NOT};
	libitm.path = libitm_find(program, trust, &libitm.source);
	if (libitm.path != NULL && libitm_identify(&libitm) && libitm.id[0] != '\0')
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
