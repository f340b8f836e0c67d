/* SPDX-License-Identifier: MIT
 *
 * Pairs of threads add to a counter, and main looks meanwhile at whose functions this program's slots for data barriers
 * hold. usage: slots [THREADS [ROUNDS [TIMES [PLUGIN]]]]. With TIMES the program prints in how many looks the slots
 * were libitm's and in how many another module's; and when the threads are over, it forks so often, and each child
 * transacts in two threads of its own. (A child of which another thread transacts waits for that thread in libitm for
 * ever.) PLUGIN is a shared object with a function add(uint64_t *), which is loaded, called and unloaded so often
 * meanwhile.
 */
#include "program.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A static program has none, and no slots. */
#pragma weak _DYNAMIC

enum { PAIRS = 32, CHILD_ROUNDS = 3000 };

static struct {
	_Alignas(64) uint64_t value, other;
} counters[PAIRS];

static unsigned rounds, times;
static const char *plugin;
static uint64_t by_plugin;
static unsigned libitms, others;
static atomic_bool is_over;

static __attribute__((noinline)) void add(unsigned pair)
{
	__transaction_atomic
	{
		counters[pair].value++;
		counters[pair].other += counters[pair].value & 1;
	}
}

/* ---- whose ---- */

static void look_at(const void *function)
{
	Dl_info info;
	if (dladdr(function, &info) == 0)
		return;
	bool is_libitms = strstr(info.dli_fname, "libitm.so") != NULL;
	libitms += is_libitms;
	others += !is_libitms && strstr(info.dli_fname, ".so") != NULL;
}

static void look_at_slot(const ElfW(Rela) * relocation, const ElfW(Sym) * symbols, const char *names, uintptr_t base)
{
	const char *name = names + symbols[ELF64_R_SYM(relocation->r_info)].st_name;
	if (strcmp(name, "_ITM_WU8") == 0 || strcmp(name, "_ITM_RfWU8") == 0)
		look_at(*(const void *const volatile *)(base + relocation->r_offset));
}

/* The loader has made the addresses absolute. */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	const ElfW(Rela) *relocations = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *names = NULL;
	size_t bytes = 0;
	for (const ElfW(Dyn) *entry = _DYNAMIC; entry != NULL && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			relocations = (const ElfW(Rela) *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_SYMTAB)
			symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			names = (const char *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_PLTRELSZ)
			bytes = entry->d_un.d_val;
	}
	for (size_t i = 0; i < bytes / sizeof *relocations; i++)
		look_at_slot(&relocations[i], symbols, names, info->dlpi_addr);
	return 1; /* the program is the first module */
}

/* ---- what main does besides ---- */

static void child_body(unsigned number)
{
	(void)number;
	for (unsigned i = 0; i < CHILD_ROUNDS; i++)
		add(PAIRS - 1);
}

static bool fork_one(void)
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		program_run(2, child_body);
		exit(counters[PAIRS - 1].value != 2 * CHILD_ROUNDS);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool load_one(void)
{
	void *module = dlopen(plugin, RTLD_LAZY | RTLD_LOCAL);
	if (module == NULL)
		return false;
	void (*add_there)(uint64_t *);
	void *found = dlsym(module, "add");
	memcpy(&add_there, &found, sizeof found);
	for (int i = 0; i < 1000; i++)
		add_there(&by_plugin);
	return dlclose(module) == 0;
}

static bool is_well = true;

static void watch(void)
{
	for (unsigned i = 0; !is_over || i < times; i++) {
		dl_iterate_phdr(look_at_program, NULL);
		if (i < times && plugin != NULL)
			is_well &= load_one();
		usleep(200);
	}
}

static unsigned threads;
static atomic_uint over;

/* The last thread only looks. */
static void body(unsigned number)
{
	if (number == threads) {
		watch();
		return;
	}
	for (unsigned i = 0; i < rounds; i++)
		add(number / 2);
	if (++over == threads)
		is_over = true;
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	times = argc > 3 ? program_number(argc, argv, 3, 1) : 0;
	plugin = argc > 4 ? argv[4] : NULL;
	program_run(threads + 1, body);
	uint64_t sum = 0;
	for (unsigned i = 0; i < PAIRS; i++)
		sum += counters[i].value;
	for (unsigned i = 0; i < times; i++)
		is_well &= fork_one();
	if (times != 0)
		printf("libitm's %u, others' %u\n", libitms, others);
	is_well &= plugin == NULL || by_plugin == UINT64_C(1000) * times;
	return program_result(is_well && sum == (uint64_t)rounds * threads, sum);
}
