#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The transactions of a plug-in have names, also if it was loaded by a path from the current directory, which the program
# has left since, and if it has been unloaded before the recording is made.

. "$(dirname "$0")/../helpers/shell.inc"

cat >"$tmp/plugin.c" <<'END'
static long counter;
void work(void);
void work(void)
{
	__transaction_atomic {
		counter++;
		__transaction_cancel;
	}
}
END
cat >"$tmp/main.c" <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[1], RTLD_NOW);
	void (*work)(void) = plugin != 0 ? (void (*)(void))dlsym(plugin, "work") : 0;
	if (work == 0 || chdir("/") != 0)
		return 2;
	for (int i = 0; i < 100; i++)
		work();
	if (argc > 2 && (dlclose(plugin) != 0 || dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != 0))
		return 3;
	return 0;
}
END
cc -O1 -g -fgnu-tm -fPIC -shared -pthread -o "$tmp/plugin.so" "$tmp/plugin.c"
cc -O1 -g -pthread -Wl,--no-as-needed -o "$tmp/main" "$tmp/main.c" -ldl -litm

# named WORDS ARGUMENT...: the place of the lost time is that of the plug-in.
named() {
	words=$1
	shift
	(cd "$tmp" && "$stmlog" record -o data --sample=1 --no-report -- ./main "$@") || fail "$words: status $?"
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	same "$words: the place" "work" "$(jsonq "$tmp/json" '.entries[0].local.frames[0].function')"
	same "$words: its file" "$tmp/plugin.c" "$(jsonq "$tmp/json" '.entries[0].local.frames[0].file')"
}

named "by its whole path" "$tmp/plugin.so"
named "by a relative path" ./plugin.so
named "unloaded" "$tmp/plugin.so" unload
named "unloaded, by a relative path" ./plugin.so unload
