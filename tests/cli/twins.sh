#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each inline function of the headers is a function of the library as well: a program that has nothing but declarations,
# without a macro and without a body, as a foreign-function interface has, records a transaction through them.

. "$(dirname "$0")/../helpers/shell.inc"

# Which functions are no part of the interface shows in their declarations and in their names.
cat include/stmlog/*.h | grep -v '^#' | tr '\n' ' ' >"$tmp/headers"
declared() {
	grep -oE "$1 [^;{(]*\(" "$tmp/headers" | sed 's/($//; s/.*[ *]//' | sort
}
same "functions by whose name they are private, and private ones" "$(declared STMLOG_PRIVATE)" \
	"$(declared 'STMLOG_(API|PRIVATE)' | grep -E '_(on|slow)$')"

# What a foreign-function interface reads: the headers behind the preprocessor, each body replaced by a semicolon.
printf '#include <stmlog/%s.h>\n' agent read timeline measure profile >"$tmp/all.c"
cc -std=c11 -E -P -DSTMLOG_INLINE=extern -Iinclude "$tmp/all.c" |
	sed '/^{$/,/^}$/{ s/^}$/;/; t; d; }' >"$tmp/declared.h"
! grep -q 'static\|inline\|^#' "$tmp/declared.h" || fail "more than declarations: $(grep 'static\|inline\|^#' "$tmp/declared.h")"

# Each function of the text, called by its name: the linker finds all of them, in either library.
tr '\n' ' ' <"$tmp/declared.h" | grep -oE '(stmlog|tb)_[a-z_]+\(' | tr -d '(' | sort -u >"$tmp/names"
[ "$(wc -l <"$tmp/names")" -ge 150 ] || fail "only $(wc -l <"$tmp/names") functions were found"
{
	echo '#include "declared.h"'
	echo 'typedef void function(void);'
	echo 'function *const all[] = {'
	sed '/^stmlog_unmeasured_reader$/d; s/.*/(function *)&,/' "$tmp/names"
	echo '}; int main(void) { return all[0] == 0; }'
} >"$tmp/names.c"
cat >"$tmp/main.c" <<'END'
#include "declared.h"

static const struct tb_place place = {"main", "main.c", 30};

int main(void)
{
	struct stmlog_thread *thread;
	struct stmlog_loss loss;
	if (stmlog_open((void *)0) != 0)
		return 1;
	thread = stmlog_thread_open((void *)0);
	stmlog_push(thread, tb_place_site(&place));
	stmlog_start(thread);
	loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "TWIN");
	loss.object = 16;
	loss.other = stmlog_origin(thread, tb_site_make(0, 0));
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	stmlog_pop(thread);
	return tb_depth(tb_current(stmlog_thread_stack(thread))) != 0;
}
END
ln -s "$PWD/$O/libstmlog.so" "$tmp/libstmlog.so.0" # as the loader looks for it
for library in "$PWD/$O/libstmlog.so -Wl,-rpath,$tmp" "$PWD/$O/libstmlog.a -pthread"; do
	# shellcheck disable=SC2086
	cc -std=c11 -Wall -Wextra -Werror -o "$tmp/names_linked" "$tmp/names.c" $library || fail "a function is missing in $library"
	# shellcheck disable=SC2086
	cc -std=c11 -Wall -Wextra -Werror -o "$tmp/main" "$tmp/main.c" $library
	"$tmp/main" 2>"$tmp/report" || fail "the program ends with $?: $(cat "$tmp/report")"
	grep -q 'self-abort, write-write, TWIN' "$tmp/report" || fail "no such abort: $(cat "$tmp/report")"
	grep -q 'where  *main.c:30  *main$' "$tmp/report" || fail "not where it lost: $(cat "$tmp/report")"
done
