/* SPDX-License-Identifier: MIT
 *
 * stmlog-calibrate LIBITM          prints the layout of that library: ",counters=HEX,..."
 * stmlog-calibrate --where         prints the path of the libitm that the loader finds by itself
 *
 * For `stmlog record`, which runs it before the program. It is a process of its own, so that nothing that the library
 * does can harm another one. It ends soon, whatever happens.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "transact.h"

/* Normally it takes some milliseconds; this is enough for a busy machine. */
enum { MAX_S = 5 };

static void print(const char *key, uintptr_t value)
{
	if (value != 0)
		printf(",%s=%" PRIxPTR, key, value);
}

static int calibrate(const char *path)
{
	struct itm_layout layout = {0};
	setenv("ITM_DEFAULT_METHOD", "ml_wt", 1);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL || !transact_with(library) || !experiment(&layout))
		return EXIT_FAILURE;
#define PRINT(member) print(#member, layout.member);
	ITM_LAYOUT_MEMBERS(PRINT)
#undef PRINT
	putchar('\n');
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print_path(void)
{
	struct link_map *map;
	void *library = dlopen("libitm.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (library == NULL || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
		return EXIT_FAILURE;
	return puts(map->l_name) >= 0 && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SIGALRM will end the process after `seconds`, and no crash of it leaves a core file. To be called while the process
 * has one thread. The caller of the program may have blocked or ignored SIGALRM, and the process would inherit that. */
static void end_soon(unsigned seconds)
{
	sigset_t alarm_only;
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	alarm(seconds);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return EXIT_FAILURE;
	end_soon(MAX_S);
	int status = strcmp(argv[1], "--where") == 0 ? print_path() : calibrate(argv[1]);
	/* No destructors: the second thread may be inside libitm. */
	_exit(status);
}
