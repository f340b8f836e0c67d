/* SPDX-License-Identifier: MIT
 *
 * stmlog-calibrate LIBITM          prints the layout of that library: ",counters=HEX,..."
 * stmlog-calibrate --where         prints the path of the libitm that the loader finds by itself
 *
 * For `stmlog record`, which runs it before the program. It is a process of its own, so that nothing that the library
 * does can harm another one. It ends soon, whatever happens.
 *
 * It makes one experiment for each of libitm's data. runtimes/libitm/NOTES.txt, "Calibration", says for each why the
 * place found is the right one. The main thread makes all of them, with a second thread attached: with a single thread
 * libitm takes no locks.
 */
#include "calibrate.h"

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

#include "requires.h"

#define DATA_MAX 65536
#define TARGETS 40

/* How often a round makes each kind of transaction. The rounds have different numbers. */
struct numbers {
	unsigned nested, locked_reads, locked_writes; /* restarts, by reason */
	unsigned commits, readers;
	uint32_t seed;
};

static const struct numbers rounds[] = {{13, 5, 7, 11, 4, 1}, {4, 17, 9, 23, 6, 99}};
enum { ROUNDS = sizeof rounds / sizeof *rounds };

static struct probe_data data;
static const char *module_start;

/* The words that transactions access; they have many different locks. */
static uint64_t words[1 << 15];

/* ---- copies ---- */

struct copy {
	_Alignas(8) char bytes[DATA_MAX];
	bool is_there;
};

static void copy_data(void *copy)
{
	struct copy *to = copy;
	to->is_there = probe_read(NULL, data.start, to->bytes, data.size);
}

static uintptr_t offset_of(size_t found)
{
	return found != SEARCH_NOWHERE ? data.start + found - (uintptr_t)module_start : 0;
}

/* Copies libitm's struct of this thread, or as much of ITM_STRUCT_MAX bytes as can be read. Returns how much. */
static size_t copy_struct(char copy[ITM_STRUCT_MAX])
{
	size_t size = ITM_STRUCT_MAX;
	while (size > 0 && !probe_read(NULL, (uintptr_t)itm_transaction(), copy, size))
		size -= 64;
	return size;
}

/* ---- restart counters ---- */

static uintptr_t find_counters(const struct numbers *numbers)
{
	static uint64_t held;
	char before[ITM_STRUCT_MAX], after[ITM_STRUCT_MAX];
	size_t size = copy_struct(before);
	for (unsigned i = 0; i < numbers->nested; i++)
		transact_nested(&words[i]);
	second_thread_begin(&held, NULL, NULL);
	bool was_locked = transact_locked(&held, false, numbers->locked_reads) &&
			  transact_locked(&held, true, numbers->locked_writes);
	second_thread_commit();
	if (!was_locked || size == 0 || !probe_read(NULL, (uintptr_t)itm_transaction(), after, size))
		return 0;
	const uint32_t risen[ITM_REASONS] = {
		[ITM_REASON_CLOSED_NESTING] = numbers->nested,
		[ITM_REASON_LOCKED_READ] = numbers->locked_reads,
		[ITM_REASON_LOCKED_WRITE] = numbers->locked_writes,
	};
	size_t found = search_counters(before, after, size, risen);
	return found != SEARCH_NOWHERE ? found : 0;
}

/* ---- commit count ---- */

static uintptr_t find_commits(const struct numbers *numbers)
{
	static struct copy before, after;
	copy_data(&before);
	for (unsigned i = 0; i < numbers->commits; i++)
		transact_write(&words[64 * i], NULL, NULL);
	for (unsigned i = 0; i < numbers->readers; i++)
		transact_read(&words[i]);
	copy_data(&after);
	if (!before.is_there || !after.is_there)
		return 0;
	return offset_of(search_risen(before.bytes, after.bytes, data.size, numbers->commits));
}

/* ---- locks ---- */

static bool is_ruled_out[DATA_MAX / sizeof(uint64_t)];

struct lock_search {
	struct search_pointers pointers;
	const uint64_t *target;
	uint64_t locks[ITM_LOCKS]; /* all of them, within a transaction */
	bool is_there;
};

static uint32_t lock_of(const uint64_t *word)
{
	return itm_lock_of_stripe(itm_stripe((uintptr_t)word));
}

static uint64_t held_by_me(void)
{
	return (uintptr_t)itm_transaction() >> 1 | (uint64_t)1 << 63;
}

static void narrow(void *arg)
{
	static struct copy copy;
	struct lock_search *search = arg;
	copy_data(&copy);
	search->is_there = search->is_there && copy.is_there;
	if (copy.is_there)
		search_narrow_pointers(&search->pointers, copy.bytes, sizeof(AO_t) * lock_of(search->target),
			held_by_me(), probe_read, NULL);
}

static void copy_locks(void *arg)
{
	struct lock_search *search = arg;
	uintptr_t table;
	size_t at = search_pointer(&search->pointers);
	search->is_there = at != SEARCH_NOWHERE && probe_read(NULL, data.start + at, &table, sizeof table) &&
			   probe_read(NULL, table, search->locks, sizeof search->locks);
}

/* Writing one word takes one lock, its own. All others must be free. */
static bool is_the_only_one(const struct lock_search *search)
{
	for (size_t i = 0; i < ITM_LOCKS; i++)
		if ((itm_lock_holder(search->locks[i]) != 0) != (i == lock_of(search->target)))
			return false;
	return true;
}

static uint64_t *choose(uint32_t *random)
{
	*random = *random * 1664525u + 1013904223u;
	return &words[(*random >> 8) % (sizeof words / sizeof *words)];
}

static uintptr_t find_locks(const struct numbers *numbers)
{
	static struct lock_search search;
	uint32_t random = numbers->seed;
	memset(is_ruled_out, 0, sizeof is_ruled_out);
	search = (struct lock_search){.pointers = {is_ruled_out, data.size}, .is_there = true};
	for (unsigned i = 0; i < TARGETS; i++) {
		uint64_t *target = choose(&random);
		search.target = target;
		transact_write(target, narrow, &search);
	}
	size_t found = search_pointer(&search.pointers);
	if (!search.is_there || found == SEARCH_NOWHERE)
		return 0;
	transact_write((uint64_t *)search.target, copy_locks, &search);
	return search.is_there && is_the_only_one(&search) ? offset_of(found) : 0;
}

/* A lock that was released must have the present commit count as its version. */
static bool have_versions(const struct itm_layout *layout)
{
	uint64_t commits, word;
	uintptr_t table;
	transact_write(words, NULL, NULL);
	return probe_read(NULL, (uintptr_t)module_start + layout->commits, &commits, sizeof commits) &&
	       probe_read(NULL, (uintptr_t)module_start + layout->locks, &table, sizeof table) &&
	       probe_read(NULL, table + lock_of(words) * sizeof word, &word, sizeof word) &&
	       itm_lock_holder(word) == 0 && itm_lock_version(word) == commits;
}

/* ---- dispatch ---- */

static void copy_dispatch(void *dispatch)
{
	*(const void **)dispatch = itm_dispatch();
}

static uintptr_t find_dispatch(const struct numbers *numbers)
{
	const void *mine = NULL, *others = NULL, *alone = NULL;
	transact_write(&words[numbers->seed], copy_dispatch, &mine);
	second_thread_begin(&words[numbers->seed], copy_dispatch, &others);
	second_thread_commit();
	transact_irrevocable(copy_dispatch, &alone);
	uintptr_t inside = (uintptr_t)mine - data.start;
	bool is_one = mine == others && mine != alone && inside < data.size && inside % sizeof mine == 0;
	return is_one ? offset_of(inside) : 0;
}

/* ---- serial lock ---- */

static uintptr_t find_serial(const struct numbers *numbers)
{
	enum { OUTSIDE, WITHIN, ALONE, OUTSIDE_AGAIN, OTHER_ALONE, OTHER_WITHIN, TIMES };
	static struct copy copies[TIMES];
	static const uint32_t writers[TIMES] = {[ALONE] = 1, [OTHER_ALONE] = 1};
	copy_data(&copies[OUTSIDE]);
	transact_write(&words[numbers->seed], copy_data, &copies[WITHIN]);
	transact_irrevocable(copy_data, &copies[ALONE]);
	copy_data(&copies[OUTSIDE_AGAIN]);
	second_thread_begin(NULL, copy_data, &copies[OTHER_ALONE]);
	second_thread_commit();
	second_thread_begin(&words[numbers->seed], copy_data, &copies[OTHER_WITHIN]);
	second_thread_commit();
	const void *memory[TIMES];
	for (size_t i = 0; i < TIMES; i++) {
		if (!copies[i].is_there)
			return 0;
		memory[i] = copies[i].bytes;
	}
	return offset_of(search_values(memory, writers, TIMES, data.size));
}

/* ---- all of it ---- */

typedef uintptr_t place_search(const struct numbers *numbers);

/* The result, if it is the same in each round; otherwise 0. */
static uintptr_t find_by_all_rounds(place_search *search)
{
	uintptr_t found = search(&rounds[0]);
	for (size_t i = 1; i < ROUNDS; i++)
		if (search(&rounds[i]) != found)
			return 0;
	return found;
}

/* Fills in *layout. Each place is searched for twice, with different numbers of transactions; a place that is not found
 * both times is 0. Returns false if nothing can be found here. Requires transact_with(), and before that
 * ITM_DEFAULT_METHOD=ml_wt in the environment. */
static bool experiment(struct itm_layout *layout)
{
	REQUIRES(transact_begin_entry() != NULL);
	REQUIRES(getenv("ITM_DEFAULT_METHOD") != NULL && strcmp(getenv("ITM_DEFAULT_METHOD"), "ml_wt") == 0);
	module_start = (const char *)native_module_find(transact_begin_entry()).start;
	data = probe_data_of(transact_begin_entry());
	if (data.size == 0 || data.size > DATA_MAX || !probe_open())
		return false;
	transact_write(words, NULL, NULL);
	if (!second_thread_start())
		return false;
	transact_write(words, NULL, NULL); /* from here on libitm knows two threads */
	*layout = (struct itm_layout){
		.counters = find_by_all_rounds(find_counters),
		.commits = find_by_all_rounds(find_commits),
		.locks = find_by_all_rounds(find_locks),
		.dispatch = find_by_all_rounds(find_dispatch),
		.serial = find_by_all_rounds(find_serial),
	};
	if (layout->commits != 0 && layout->locks != 0 && !have_versions(layout))
		layout->commits = layout->locks = 0;
	return true;
}

/* ---- the program ---- */

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
