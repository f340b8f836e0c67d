/* SPDX-License-Identifier: MIT
 * Asks the loader for the path of libitm, because only the loader knows all the rules of its search. The loader that
 * the program names lists the libraries without running the program. */
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libitm.h"
#include "lookup.h"
#include "memory.h"

static const char library[] = "libitm.so.1";

static char *interpreter_in(Elf *elf)
{
	size_t count = 0, size;
	GElf_Phdr header;
	const char *image = elf_rawfile(elf, &size);
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && image != NULL; i++) {
		if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_INTERP)
			continue;
		bool is_inside = header.p_offset < size && header.p_filesz <= size - header.p_offset;
		if (is_inside && memchr(image + header.p_offset, '\0', header.p_filesz) != NULL)
			return memory_text(image + header.p_offset);
	}
	return NULL;
}

/* The loader that a program names; owned. NULL: it names none, or is no ELF file. */
static char *interpreter_of(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return NULL;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	char *found = elf != NULL && elf_kind(elf) == ELF_K_ELF ? interpreter_in(elf) : NULL;
	elf_end(elf);
	close(file);
	return found;
}

/* A line is "NAME => PATH (ADDRESS)", or "PATH (ADDRESS)". */
static char *in_line(const char *line, size_t len)
{
	char *text = memory_format("%.*s", (int)len, line);
	char *end = strstr(text, " (0x"), *arrow = strstr(text, " => ");
	char *found = NULL;
	if (end != NULL) {
		*end = '\0';
		char *path = arrow != NULL ? arrow + strlen(" => ") : text + strspn(text, "\t ");
		const char *slash = strrchr(path, '/');
		if (slash != NULL && strncmp(slash + 1, library, sizeof library - 1) == 0)
			found = realpath(path, NULL);
	}
	free(text);
	return found;
}

char *libitm_in_list(const char *list)
{
	char *found = NULL;
	while (found == NULL && *list != '\0') {
		size_t len = strcspn(list, "\n");
		if (len < PATH_MAX + 64)
			found = in_line(list, len);
		list += len + (list[len] == '\n');
	}
	return found;
}

static bool is_own_interpreter(const char *interpreter)
{
	char *own = interpreter_of("/proc/self/exe");
	bool is_own = own != NULL && strcmp(own, interpreter) == 0;
	free(own);
	return is_own;
}

static char *find_of_program(const char *program, enum libitm_trust trust)
{
	char path[PATH_MAX];
	char *interpreter = lookup_program(program, path) ? interpreter_of(path) : NULL;
	if (interpreter != NULL && trust == LIBITM_UNTRUSTED && !is_own_interpreter(interpreter)) {
		free(interpreter);
		return NULL;
	}
	char *argv[] = {interpreter, "--list", path, NULL};
	char *list = interpreter != NULL ? libitm_output_of(argv, false) : NULL;
	char *found = list != NULL ? libitm_in_list(list) : NULL;
	free(list);
	free(interpreter);
	return found;
}

static char *find_by_name(void)
{
	char *calibrate = lookup_beside("stmlog-calibrate");
	char *argv[] = {calibrate, "--where", NULL};
	char *where = calibrate != NULL ? libitm_output_of(argv, true) : NULL;
	free(calibrate);
	if (where == NULL)
		return NULL;
	where[strcspn(where, "\n")] = '\0';
	char *found = realpath(where, NULL);
	free(where);
	return found;
}

char *libitm_find(const char *program, enum libitm_trust trust, enum libitm_source *source)
{
	char *found = program != NULL ? find_of_program(program, trust) : NULL;
	*source = found != NULL ? LIBITM_OF_PROGRAM : LIBITM_BY_NAME;
	return found != NULL ? found : find_by_name();
}
