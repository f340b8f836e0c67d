#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A plug-in transacts and is unloaded before the process ends: report, timeline and file have its places and words, and
# the code to which it gave numbers. If it has joined, and left, they have the names that only it knows; if it has not
# left, the recording is made without them.

. "$(dirname "$0")/../helpers/shell.inc"

cat >"$tmp/plugin.c" <<'END'
#include <stmlog/runtime.h>
#include <stmlog/timeline.h>
void join(void), work(void), leave(void);
static bool expand(struct tb_site site, struct stmlog_name *name, void *arg)
{
	(void)site, (void)arg;
	*name = (struct stmlog_name){"known_to_the_plugin", "plugin.own", 77};
	return true;
}
static const struct stmlog_setup setup = {.runtime = "plug-in", .expand = expand};
void join(void)
{
	stmlog_open(&setup);
}
void leave(void)
{
	stmlog_leave(&setup);
}
void work(void)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "A_WORD_OF_THE_PLUGIN");
	loss.object = 16;
	stmlog_push(thread, tb_site_make(tb_code_intern("interpreted", "plugin.py"), 3));
	stmlog_push(thread, tb_site_make(0x17ae8, 1));
	stmlog_push(thread, TB_HERE());
	stmlog_region_begin(thread, "a region of the plug-in", 0);
	stmlog_start(thread);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	stmlog_region_end(thread, 0);
	stmlog_pop(thread);
	stmlog_pop(thread);
	stmlog_pop(thread);
}
END
cat >"$tmp/main.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <stmlog/runtime.h>

static const char *path;

/* The plug-in is not mapped any more: otherwise nothing is tested. */
static int is_mapped(void)
{
	char line[4096];
	int is_found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
		is_found |= strstr(line, path) != NULL;
	return is_found;
}

static void *plugin;

static void call(const char *function)
{
	((void (*)(void))dlsym(plugin, function))();
}

/* main [join [leave]] PLUGIN */
int main(int argc, char **argv)
{
	static const struct stmlog_setup setup = {.runtime = "host"};
	path = argv[argc - 1];
	if (stmlog_open(&setup) != 0)
		return 1;
	plugin = dlopen(path, RTLD_NOW);
	if (plugin == NULL)
		return 2;
	if (argc > 2)
		call("join");
	call("work");
	call("work");
	if (argc > 3)
		call("leave");
	return dlclose(plugin) != 0 || is_mapped() ? 3 : 0;
}
END
ln -s "$PWD/$O/libstmlog.so" "$tmp/libstmlog.so.0" # as the loader looks for it
flags="-std=gnu11 -O2 -g -Wall -Wextra -Iinclude"
# shellcheck disable=SC2086
cc $flags -fPIC -shared -o "$tmp/plugin.so" "$tmp/plugin.c" "$O/libstmlog.so" -pthread
# shellcheck disable=SC2086
cc $flags -o "$tmp/main" "$tmp/main.c" "$O/libstmlog.so" -Wl,-rpath,"$tmp" -ldl -pthread

place=$(grep -n 'TB_HERE' "$tmp/plugin.c" | cut -d: -f1)
status=0
STMLOG_OPTIONS=timeline=1000:out=$tmp/data:report=$tmp/report "$tmp/main" "$tmp/plugin.so" 2>"$tmp/err" || status=$?
same "the exit status" 0 "$status"
same "what the program says" "" "$(cat "$tmp/err")"
grep -q 'self-abort, write-write, A_WORD_OF_THE_PLUGIN' "$tmp/report" || fail "no word: $(cat "$tmp/report")"
grep -q "where  *plugin.c:$place  *work\$" "$tmp/report" || fail "no place: $(cat "$tmp/report")"
grep -q '^  *plugin.py:3  *interpreted$' "$tmp/report" || fail "no code with a number: $(cat "$tmp/report")"
"$stmlog" check "$tmp/data" >"$tmp/out" || fail "$(cat "$tmp/out")"
"$stmlog" report --json "$tmp/data" >"$tmp/json"
same "the place in the file" "work $place" \
	"$("$O/tests/helpers/jsonq" "$tmp/json" '.entries[0].local.frames[0].function') $("$O/tests/helpers/jsonq" "$tmp/json" '.entries[0].local.frames[0].line')"
"$stmlog" export --format=text "$tmp/data" >"$tmp/trace" || fail "no trace"
grep -q 'a region of the plug-in' "$tmp/trace" || fail "no region in the timeline"

STMLOG_OPTIONS=out=$tmp/left:report=$tmp/report "$tmp/main" join leave "$tmp/plugin.so" 2>"$tmp/err" || fail "it has left: $?"
same "what the program says whose plug-in has left" "" "$(cat "$tmp/err")"
grep -q '^  *plugin.own:77  *known_to_the_plugin$' "$tmp/report" || fail "no name of one that has left: $(cat "$tmp/report")"
"$stmlog" report --full "$tmp/left" | grep -q known_to_the_plugin || fail "the file has no name of one that has left"

STMLOG_OPTIONS=out=$tmp/lost:report=$tmp/report "$tmp/main" join "$tmp/plugin.so" 2>"$tmp/err" || fail "it has not left: $?"
grep -q 'a runtime was unloaded without stmlog_leave' "$tmp/err" || fail "nothing says that it has not left: $(cat "$tmp/err")"
grep -q 'self-abort, write-write, A_WORD_OF_THE_PLUGIN' "$tmp/report" || fail "no report: $(cat "$tmp/report")"
"$stmlog" check "$tmp/lost" >"$tmp/out" || fail "$(cat "$tmp/out")"
