#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Files that a recording names, directly or by what its modules name, are opened only if they are regular files: a FIFO
# with the name of debug information is not waited for. No server is asked for debug information.

. "$(dirname "$0")/cli.inc"

cat >"$tmp/program.c" <<-'END'
	int value;
	int main(void)
	{
	 for (int i = 0; i < 100; i++)
	 __transaction_atomic { value++; __transaction_cancel; }
	 return 0;
	}
END

# build NAME FLAG...: the program as $tmp/NAME/program
build() {
	mkdir "$tmp/$1"
	at=$tmp/$1
	shift
	(cd "$at" && gcc -O0 -fgnu-tm "$@" -c -o program.o ../program.c && gcc -fgnu-tm -o program program.o)
}

# reported NAME: the report of $tmp/NAME ends by itself, and names what it can
reported() {
	run 0 timeout -k 1 20 "$stmlog" export --format=pprof -o "$tmp/$1/pprof" "$tmp/$1/data"
	run 0 timeout -k 1 20 "$stmlog" info "$tmp/$1/data"
	run 0 timeout -k 1 20 "$stmlog" report --full "$tmp/$1/data"
	says main
}

build link -g
cp "$tmp/link/program" "$tmp/link/whole.debug"
objcopy --strip-debug --add-gnu-debuglink="$tmp/link/whole.debug" "$tmp/link/program"
record "$tmp/link/data" --sample=1 -- "$tmp/link/program"
reported link
says program.c:5
claim "debug information beside a module is found"
rm "$tmp/link/whole.debug"
mkfifo "$tmp/link/whole.debug"
reported link
claim "a FIFO in its place is not waited for"

build split -g -gsplit-dwarf
record "$tmp/split/data" --sample=1 -- "$tmp/split/program"
reported split
says program.c:5
rm "$tmp"/split/*.dwo
mkfifo "$tmp/split/program.dwo"
reported split
claim "neither is a FIFO in the place of split debug information"

build asked -g
strip "$tmp/asked/program"
record "$tmp/asked/data" --sample=1 -- "$tmp/asked/program"
run 0 env LD_DEBUG=files LD_DEBUG_OUTPUT="$tmp/asked/loaded" "$stmlog" report --full "$tmp/asked/data"
grep -qF libdw.so "$tmp"/asked/loaded.* || fail "LD_DEBUG does not name what is loaded"
! grep -m 1 -F libdebuginfod "$tmp"/asked/loaded.* || fail "libdebuginfod is loaded"
claim "the libraries for such servers are not loaded"

[ -x /usr/bin/python3 ] || skip "no python3 to be a server of debug information"
/usr/bin/python3 - >"$tmp/port" 2>"$tmp/asked/log" <<-'END' &
	import http.server

	class Handler(http.server.BaseHTTPRequestHandler):
	    def do_GET(self):
	        print("asked for", self.path, flush=True)
	        self.send_error(404)
	    def log_message(self, *words):
	        pass

	server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
	print(server.server_port, flush=True)
	server.serve_forever()
END
server=$!
trap 'kill $server; rm -rf "$tmp"' EXIT
wait_for [ -s "$tmp/port" ]
DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 "$tmp/port")/
DEBUGINFOD_CACHE_PATH=$tmp/asked/cache
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
run 0 timeout -k 1 20 "$stmlog" report --full "$tmp/asked/data"
same "requests" "" "$(sed 1d "$tmp/port")"
claim "no server is asked"
