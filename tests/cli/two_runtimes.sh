#!/bin/sh
# SPDX-License-Identifier: MIT
#
# smallstm and lazystm, each within a plug-in, in one process and one recording: the counts of each are what the program
# knows, each thread has its runtime's name, and the places of both are known, although both have been unloaded.

. "$(dirname "$0")/../helpers/shell.inc"

cat >"$tmp/plugin.c" <<'END'
#include "stm.h"
static struct stm_object *object;
static uint64_t sum;
static void add(struct stm_thread *thread, void *tries)
{
	sum = stm_read(thread, object, 0) + 1;
	stm_write(thread, object, 0, sum);
	if (++*(int *)tries == 1)
		stm_retry(thread, "PLUGIN_AGAIN");
}
int work(int times)
{
	int tries = 0, error = stm_open();
	struct stm_thread *thread = stm_thread_begin();
	object = stm_object_create("counter", 1);
	for (int i = 0; i < times; i++)
		stm_run(thread, add, &tries);
	stm_thread_end(&thread);
	return error != 0 || tries != times + 1 || sum != (uint64_t)times;
}
void leave(void)
{
	stm_close();
}
END
cat >"$tmp/main.c" <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stmlog/agent.h>

static int (*work[2])(int times);
static void (*leave[2])(void);

static void *run(void *number)
{
	intptr_t i = (intptr_t)number;
	return (void *)(intptr_t)work[i](i == 0 ? 1000 : 700);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *plugins[2], *wrong;
	int status = argc != 3 || stmlog_open(NULL) != 0;
	for (intptr_t i = 0; i < 2; i++) {
		plugins[i] = dlopen(argv[1 + i], RTLD_NOW | RTLD_LOCAL);
		if (plugins[i] == NULL)
			return 2;
		work[i] = (int (*)(int))dlsym(plugins[i], "work");
		leave[i] = (void (*)(void))dlsym(plugins[i], "leave");
	}
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &wrong);
		status |= wrong != NULL ? 4 : 0;
	}
	for (int i = 0; i < 2; i++) {
		leave[i]();
		dlclose(plugins[i]);
	}
	return status;
}
END
ln -s "$PWD/$O/libstmlog.so" "$tmp/libstmlog.so.0" # as the loader looks for it
flags="-std=gnu11 -O2 -g -Wall -Wextra -Iinclude"
for plugin in small lazy; do
	sed "s/PLUGIN/$plugin/" "$tmp/plugin.c" >"$tmp/$plugin.c"
	# shellcheck disable=SC2086
	cc $flags -Iexamples/support -fPIC -shared -Wl,-Bsymbolic -o "$tmp/$plugin.so" "$tmp/$plugin.c" \
		"$O/lib${plugin}stm.a" "$O/libstmlog.so" -pthread
done
# shellcheck disable=SC2086
cc $flags -o "$tmp/main" "$tmp/main.c" "$O/libstmlog.so" -Wl,-rpath,"$tmp" -ldl -pthread

status=0
STMLOG_OPTIONS=out=$tmp/data:report=$tmp/report "$tmp/main" "$tmp/small.so" "$tmp/lazy.so" 2>"$tmp/err" || status=$?
same "the exit status" 0 "$status"
same "what the program says" "" "$(cat "$tmp/err")"
"$stmlog" check "$tmp/data" >"$tmp/check" || fail "check: $(cat "$tmp/check")"
"$stmlog" report --json "$tmp/data" >"$tmp/json"
grep -q ': \(smallstm, lazystm\|lazystm, smallstm\), 2 threads' "$tmp/report" || fail "runtimes: $(head -1 "$tmp/report")"
same "commits by runtime" "lazystm 700 1
smallstm 1000 1" "$(for i in 0 1; do
	echo "$(jsonq "$tmp/json" ".threads[$i].runtime") $(jsonq "$tmp/json" ".threads[$i].commits")" \
		"$(jsonq "$tmp/json" ".threads[$i].aborts")"
done | sort)"
same "the places" "lazy_AGAIN lazy.c
small_AGAIN small.c" "$(for i in 0 1; do
	file=$(jsonq "$tmp/json" ".entries[$i].local.frames[0].file")
	echo "$(jsonq "$tmp/json" ".entries[$i].detail") ${file##*/}"
done | sort)"
