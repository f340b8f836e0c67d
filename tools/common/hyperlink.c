/* SPDX-License-Identifier: MIT */
#include "hyperlink.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && value[0] != '\0';
}

static bool contains(const char *name, const char *const *words)
{
	const char *value = getenv(name);
	for (; value != NULL && *words != NULL; words++) {
		if (strstr(value, *words) != NULL)
			return true;
	}
	return false;
}

bool hyperlink_is_known(void)
{
	static const char *const programs[] = {"iTerm", "WezTerm", "vscode", "ghostty", "Hyper", NULL};
	static const char *const types[] = {"kitty", "alacritty", "foot", "ghostty", "wezterm", NULL};
	const char *forced = getenv("FORCE_HYPERLINK"), *vte = getenv("VTE_VERSION");
	if (forced != NULL && forced[0] != '\0')
		return strcmp(forced, "0") != 0;
	if (vte != NULL && strtoul(vte, NULL, 10) >= 5000)
		return true;
	return is_set("WT_SESSION") || is_set("KONSOLE_VERSION") || is_set("DOMTERM") ||
	       contains("TERM_PROGRAM", programs) || contains("TERM", types);
}

/* A name of any bytes ends neither the link nor the line. */
static void print_encoded(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned char byte = (unsigned char)*text;
		if (byte < 0x80 && (isalnum(byte) || strchr("/._-~+", byte) != NULL))
			putc(byte, out);
		else
			fprintf(out, "%%%02X", byte);
	}
}

bool hyperlink_begin(FILE *out, const char *path)
{
	struct stat status;
	char host[256] = "";
	char *whole = path != NULL ? realpath(path, NULL) : NULL;
	bool is_file = whole != NULL && stat(whole, &status) == 0 && S_ISREG(status.st_mode);
	if (is_file) {
		gethostname(host, sizeof host - 1);
		fputs("\033]8;;file://", out);
		print_encoded(out, host);
		print_encoded(out, whole);
		fputs("\033\\", out);
	}
	free(whole);
	return is_file;
}

void hyperlink_end(FILE *out)
{
	fputs("\033]8;;\033\\", out);
}
