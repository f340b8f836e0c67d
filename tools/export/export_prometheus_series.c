/* SPDX-License-Identifier: MIT
 * The text format of Prometheus: families of metrics, and their series with labels and values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "export_prometheus.h"
#include "utf8.h"

#ifdef STMLOG_CHECKS
static bool is_clean(const char *text)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	bool is_same = strcmp(clean, text) == 0;
	free(clean);
	return is_same;
}
#endif

static void write_value(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

void prometheus_family(const struct prometheus *prometheus, const char *name, const char *type, const char *help)
{
	fprintf(prometheus->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void prometheus_sample(
	const struct prometheus *prometheus, const char *name, const char *const *labels, const char *value)
{
	fprintf(prometheus->out, "%s{program=\"", name);
	write_value(prometheus->out, prometheus->program);
	for (; labels != NULL && *labels != NULL; labels += 2) {
		fprintf(prometheus->out, "\",%s=\"", labels[0]);
		REQUIRES(is_clean(labels[1]));
		write_value(prometheus->out, labels[1]);
	}
	fprintf(prometheus->out, "\"} %s\n", value);
}
