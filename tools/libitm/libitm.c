/* SPDX-License-Identifier: MIT
 * What is known of a libitm: where the loader finds it, and its private data, found by an experiment, which takes
 * some milliseconds. */
#include "libitm.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lookup.h"
#include "memory.h"

/* ---- output of a program ----
 * The program may hang, crash or print without end: time and output are limited. */

enum { OUTPUT_MAX = 65536, MAX_S = 5 };

/* If standard files are closed, the pipe has their numbers: so it gets another one first. */
static void set_files(int output)
{
	int nothing = open("/dev/null", O_RDWR), apart = fcntl(output, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (nothing < 0 || apart < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0 ||
		dup2(apart, STDOUT_FILENO) < 0)
		_exit(127);
}

/* The alarm and its default action stay in force after exec. */
static void become(char *const *argv, int output, bool is_alone)
{
	sigset_t alarm_only;
	set_files(output);
	if (is_alone) {
		unsetenv("LD_PRELOAD");
		unsetenv("LD_AUDIT");
	}
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	alarm(MAX_S);
	execv(argv[0], argv);
	_exit(127);
}

/* All output; NULL: it is more than OUTPUT_MAX. */
static char *read_all(int input)
{
	char *text = memory_zeroed(OUTPUT_MAX + 1, 1);
	size_t len = 0;
	ssize_t got;
	while ((got = read(input, text + len, OUTPUT_MAX - len)) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		len += got > 0 ? (size_t)got : 0;
	}
	if (got == 0 && len < OUTPUT_MAX)
		return text;
	free(text);
	return NULL;
}

static bool has_succeeded(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

char *libitm_output_of(char *const *argv, bool is_alone)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	pid_t child = fork();
	if (child == 0)
		become(argv, ends[1], is_alone);
	close(ends[1]);
	char *text = child > 0 ? read_all(ends[0]) : NULL;
	close(ends[0]);
	if ((child > 0 && has_succeeded(child)) || text == NULL)
		return text;
	free(text);
	return NULL;
}

/* ---- the path of libitm ----
 * Asks the loader, because only the loader knows all the rules of its search. The loader that the program names lists
 * the libraries without running the program. */

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
