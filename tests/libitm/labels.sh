#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Labels of data (stmlog/label.h), in C and C++: the program runs with and without stmlog, and at least 99 % of the
# conflicts over a labelled table are named, in reports, merges and recordings without names.
#
# Not alone: conflicts have a meeting point.

. "$(dirname "$0")/../helpers/shell.inc"

# Two threads meet over the accounts, most often over account 17. The last transaction is labelled from within.
cat >"$tmp/accounts.c" <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stmlog/label.h>
#include "meeting.h"

enum { ACCOUNTS = 40, HOT = 17, MEETINGS = 2, HOT_MEETINGS = 122, SPARE = 30 };
static struct account { long balance; char space[56]; } *accounts;
static pthread_barrier_t barrier;
static long total;

static void meet_over(struct account *account, unsigned rounds)
{
	for (unsigned round = 0; round < rounds; round++) {
		meeting_next();
		__transaction_atomic {
			meeting_enter();
			account->balance++;
			meeting_hold();
		}
	}
}

static void *work(void *number)
{
	for (int i = 0; i < ACCOUNTS; i++) {
		unsigned meetings = i == HOT ? HOT_MEETINGS : MEETINGS;
		pthread_barrier_wait(&barrier);
		meeting_join((unsigned)(uintptr_t)number, 2, meetings);
		meet_over(&accounts[i], meetings + SPARE);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	char text[32];
	pthread_barrier_init(&barrier, NULL, 2);
	accounts = (struct account *)calloc(ACCOUNTS, sizeof *accounts);
	stmlog_label(accounts, ACCOUNTS * sizeof *accounts, "all accounts");
	for (int i = 0; i < ACCOUNTS; i++) {
		snprintf(text, sizeof text, "account %d", i);
		stmlog_label(&accounts[i], sizeof accounts[i], text);
	}
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	__transaction_atomic {
		stmlog_label(&total, sizeof total, "total");
		for (int i = 0; i < ACCOUNTS; i++)
			total += accounts[i].balance;
	}
	stmlog_label(accounts, 0, NULL);
	stmlog_label(accounts, ACCOUNTS * sizeof *accounts, NULL);
	free(accounts);
	return puts(total == 2 * (HOT_MEETINGS + (ACCOUNTS - 1) * MEETINGS + ACCOUNTS * SPARE) ? "ok" : "wrong") < 0;
}
END
cp "$tmp/accounts.c" "$tmp/accounts.cc"
cc -O2 -Ibench/support -c -o "$tmp/meeting.o" bench/support/meeting.c

# build NAME COMPILER ARGUMENT...: from the source behind the compiler
build() {
	name=$1 compiler=$2
	shift 2
	"$compiler" -g -Wall -Wextra -Werror -Wno-clobbered -fgnu-tm -pthread -Iinclude -Ibench/support -o "$tmp/$name" "$@"
	same "$name without record" ok "$(STMLOG_OPTIONS=report=none "$tmp/$name")"
}

# named DATA: at least 99 % of the conflicts have a label, and each meeting over account 17 is among them. (How many
# attempts a meeting takes is up to chance.)
named() {
	"$stmlog" check "$1" >/dev/null
	"$stmlog" report --json "$1" >"$tmp/json"
	same "$1: labels that were lost" 0 "$(jsonq "$tmp/json" .losses.labels_lost)"
	aborts=$(jsonq "$tmp/json" .totals.aborts)
	jsonq "$tmp/json" '.labels[].text' >"$tmp/texts"
	jsonq "$tmp/json" '.labels[].count' | paste "$tmp/texts" - >"$tmp/labels"
	awk -F '\t' -v aborts="$aborts" '
		{ all += $2 } $1 == "account 17" { hot = $2 }
		END { exit !(aborts >= 150 && all >= 0.99 * aborts && all <= aborts && hot >= 100) }' \
		"$tmp/labels" || fail "$1: of $aborts aborts these have labels: $(cat "$tmp/labels")"
}

for language in c c++; do
	for form in -O0 -O2 "-O2 -no-pie" "-O2 -fPIE -pie"; do
		source=$tmp/accounts.c compiler=cc
		[ $language = c ] || source=$tmp/accounts.cc compiler=c++
		# shellcheck disable=SC2086
		build accounts "$compiler" $form "$source" "$tmp/meeting.o"
		same "$form of $language, recorded" ok "$(record "$tmp/data" --sample=1 -- "$tmp/accounts")"
		named "$tmp/data"
		! nm "$tmp/accounts" | grep -E '_ITM_(changeTransactionMode|getTMClone)' || fail "a label makes transactions irrevocable"
	done
done

# The last program's reports. The labels have been removed before the end, and name the objects all the same.
"$stmlog" report "$tmp/data" >"$tmp/screen"
grep -q ' data .*account [0-9]' "$tmp/screen" || fail "the first screen does not name an account: $(cat "$tmp/screen")"
"$stmlog" report --full --top=200 "$tmp/data" >"$tmp/report"
grep -q '^Labels: account$' "$tmp/report" || fail "no table of labels: $(cat "$tmp/report")"
grep -q '^account 17 *[0-9.]* %' "$tmp/report" || fail "no share of account 17: $(cat "$tmp/report")"
grep -q '^     object  *account [0-9]* (at least' "$tmp/report" || fail "no object with a label: $(cat "$tmp/report")"
awk '$1 == "account" { sum += $3 } END { exit !(sum > 99 && sum < 101) }' "$tmp/report" || fail "shares: $(cat "$tmp/report")"

# With the agent linked, and in a static program.
build linked cc -O2 "$tmp/accounts.c" "$tmp/meeting.o" "@$O/stmlog-itm.wrap"
STMLOG_OPTIONS=report=none:sample=1:out=$tmp/data "$tmp/linked" >/dev/null
named "$tmp/data"
build static cc -O2 -static "$tmp/accounts.c" "$tmp/meeting.o" "@$O/stmlog-itm.wrap"
record "$tmp/data" --sample=1 -- "$tmp/static" >/dev/null
named "$tmp/data"
build without cc -O2 -static "$tmp/accounts.c" "$tmp/meeting.o"

# Two processes of a run, and a merge of runs.
record "$tmp/both" --sample=1 -- sh -c "'$tmp/accounts' && '$tmp/accounts'" >/dev/null
named "$tmp/both"
[ "$aborts" -ge 300 ] || fail "only $aborts aborts in two processes"
record "$tmp/other" --sample=1 -- "$tmp/accounts" >/dev/null
"$stmlog" merge -o "$tmp/merged" "$tmp/both" "$tmp/other" >/dev/null
named "$tmp/merged"
[ "$aborts" -ge 450 ] || fail "only $aborts aborts in a merge of three"
"$stmlog" report --full "$tmp/merged" >"$tmp/report"
grep -q '^     object  *account [0-9]* (at least' "$tmp/report" || fail "no object with a label: $(cat "$tmp/report")"

# Without names.
"$stmlog" report --json "$tmp/other" >"$tmp/json"
jsonq "$tmp/json" '.labels[].share' | sort >"$tmp/shares"
"$stmlog" anonymize "$tmp/other" "$tmp/anonymous"
! grep -q account "$tmp/anonymous" || fail "a recording without names has the labels"
"$stmlog" report --json "$tmp/anonymous" >"$tmp/json"
jsonq "$tmp/json" '.labels[].share' | sort | cmp - "$tmp/shares" || fail "a recording without names has other shares"

# A program with an STM of its own: with the library, and the agent preloaded before it.
cat >"$tmp/own.c" <<'END'
#include <stdio.h>
#include <stmlog/agent.h>
#include <stmlog/label.h>

static void lose(struct stmlog_thread *thread, long *data)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "LOCKED");
	loss.object = (uintptr_t)data;
	stmlog_start(thread);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
}

int main(void)
{
	static long accounts[100];
	char text[32];
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof text, "account %d", i);
		stmlog_label(&accounts[i], sizeof accounts[i], text);
	}
	stmlog_open(NULL);
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	for (int i = 0; i < 100; i++)
		lose(thread, &accounts[i < 61 ? 17 : i]);
	return 0;
}
END
for library in "$O/libstmlog.a" "$O/libstmlog.so -Wl,-rpath,$tmp"; do
	ln -sf "$PWD/$O/libstmlog.so" "$tmp/libstmlog.so.0"
	# shellcheck disable=SC2086
	cc -O2 -g -Wall -Wextra -Werror -Iinclude -o "$tmp/own" "$tmp/own.c" $library -pthread
	record "$tmp/data" -- "$tmp/own"
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	jsonq "$tmp/json" '.labels[].text' >"$tmp/texts"
	jsonq "$tmp/json" '.labels[].count' | paste -d : "$tmp/texts" - | sort >"$tmp/labels"
	same "labels of a program with $library" "40 account 17:61 account 61:1" \
		"$(wc -l <"$tmp/labels") $(grep 'account 17:' "$tmp/labels") $(grep 'account 61:' "$tmp/labels")"
	same "the object of a program with $library" "account 17" "$(jsonq "$tmp/json" '.entries[0].objects[0].name')"
done

# A program without transactions needs no library.
cat >"$tmp/plain.c" <<'END'
#include <stmlog/label.h>
int main(int argc, char **argv)
{
	(void)argv;
	stmlog_label(&argc, sizeof argc, "argc");
	return argc - 1;
}
END
for compiler in cc c++ clang clang++; do
	command -v $compiler >/dev/null || continue
	language=c
	[ "${compiler#*++}" = "$compiler" ] || language=c++
	for form in -O0 -O2 "-O2 -static" "-O2 -no-pie" "-O2 -fPIC -fvisibility=hidden"; do
		# shellcheck disable=SC2086
		$compiler $form -Wall -Wextra -Wshadow -Werror -pedantic -Iinclude -o "$tmp/plain" -x $language "$tmp/plain.c"
		"$tmp/plain" || fail "a program of $compiler $form ends with $?"
	done
done
