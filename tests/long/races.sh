#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Root records into a directory of mode 777, and another user swaps what `stmlog` makes there: the directory of the run
# for a link to one of root's, for an empty directory of his own, or for nothing, and files for links to root's. Nothing
# of root's is changed, moved, or joined by anything, however often.
#
# On demand, as root: some ten minutes for 10,000 races.
# usage: sh tests/long/races.sh [RACES [SEED]]

. "$(dirname "$0")/../cli/cli.inc"

races=${1:-10000}
seed=${2:-$(date +%s)}
[ "$(id -u)" = 0 ] || skip "not root"
[ -x /usr/bin/python3 ] || skip "no python3 to be the other user"
echo "seed $seed"

chmod 755 "$tmp"
mkdir -m 777 "$tmp/shared"
mkdir -m 755 "$tmp/own" "$tmp/own/run"
echo "root's" >"$tmp/own/file"
"$stmlog" record --no-report -o "$tmp/own/run/1234" -- "$programs/O2/counters" 1 >"$tmp/out"
cp -a "$tmp/own" "$tmp/before"

# The other user. A race is a directory of a run that got another name while root used it. (He cannot move it elsewhere:
# its entry `..` is root's.)
cat >"$tmp/race" <<'END'
import os, random, stat, sys, time
top, races = sys.argv[1], int(sys.argv[2])
random.seed(int(sys.argv[3]))
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
shared, own = top + "/shared", top + "/own"
won = moved = 0
def put(name):
    what = random.randrange(4)
    if what == 0:
        os.symlink(own, name)
    elif what == 1:
        os.symlink(own + "/run", name)
    elif what == 2:
        os.mkdir(name, 0o777)
while won < races:
    for entry in os.listdir(shared):
        name, gone = shared + "/" + entry, shared + "/gone." + str(random.random())
        if entry.startswith("gone."):
            continue
        try:
            status = os.lstat(name)
            if stat.S_ISDIR(status.st_mode) and status.st_uid == 0:
                if random.randrange(4) != 0: # as it is made, or while the program runs and its recording is collected
                    time.sleep(random.random() * 0.03)
                os.rename(name, gone)
                won += 1
                put(name)
            elif stat.S_ISREG(status.st_mode):
                moved += 1
                os.rename(name, gone)
                os.symlink(own + "/file", name)
            elif stat.S_ISLNK(status.st_mode) and entry in ("data", "table") and random.randrange(20) == 0:
                os.unlink(name)
        except OSError:
            pass
print(won, "races,", moved, "files")
END
/usr/bin/python3 "$tmp/race" "$tmp" "$races" "$seed" >"$tmp/won" &
racer=$!
trap 'kill $racer 2>/dev/null || true; rm -rf "$tmp"' EXIT

# Root's directory and file are looked at only in the end: what is changed stays changed.
runs=0
while kill -0 $racer 2>/dev/null; do
	"$stmlog" record --no-report -o "$tmp/shared/data" -- "$programs/O2/counters" 1 >"$tmp/out" 2>"$tmp/err" || true
	"$stmlog" export --format=csv -o "$tmp/shared/table" "$tmp/shared/data" >"$tmp/out" 2>"$tmp/err" || true
	runs=$((runs + 1))
	rm -rf "$tmp"/shared/gone.* "$tmp"/shared/data.*
done
wait $racer || fail "the other user has ended: $(cat "$tmp/won")"
diff -r "$tmp/before" "$tmp/own" || fail "root's files are others now, after $(cat "$tmp/won")"
same "owner and mode" "$(cd "$tmp/before" && find . -printf '%p %u %m %s\n' | sort)" \
	"$(cd "$tmp/own" && find . -printf '%p %u %m %s\n' | sort)"
echo "ok - $(cat "$tmp/won"), in $runs runs: nothing of root's is touched"
