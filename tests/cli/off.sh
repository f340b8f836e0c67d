#!/bin/sh
# SPDX-License-Identifier: MIT
#
# With STMLOG_OFF a runtime needs no library, whichever functions it calls: all of runtime.h, the hooks of timeline.h,
# and those of agent.h, setup.h and traceback.h around them. They compile as C and C++, refer to nothing, and take NULL.

. "$(dirname "$0")/../helpers/shell.inc"

# The declarations of functions, each in one line.
declarations() {
	awk '/^STMLOG_(API|INLINE) [^;{]*$/ || /^STMLOG_(API|INLINE) [a-z]/ {
			text = $0
			while (text !~ /\)/) { getline; sub(/^[ \t]*/, ""); text = text " " $0 }
			if (text !~ / extern /) { sub(/;?$/, "", text); print text }
		}' "$1"
}

# These functions need the library: they read what was recorded, or work on a stack that the library creates.
needs_library='tb_(stack_(create|destroy|init|fini)|live_frames|misuses|push|pop|update|stack_lost|top_site|current|ref|capture|unref|place_text|build|clone|equal|hash|copy_[a-z]*|copies_are_equal|code_place|codes_lost|is_unknown|is_frame|down|frame_site|depth)'
needs_library="$needs_library|stmlog_([a-z]*_name|open_abi|abi_fits|leave_abi|report|record)"
needs_library="$needs_library|stmlog_(event_rule_of|timeline_(prepare|start|stop|listen|is_running|take|destroy|trace|next|next_of|check)|event_latest_ns|event_value)"
for header in traceback setup runtime agent timeline; do
	declarations include/stmlog/$header.h
done | grep -vE "[ *]($needs_library)\(" >"$tmp/declarations"
[ "$(wc -l <"$tmp/declarations")" -ge 75 ] || fail "only $(wc -l <"$tmp/declarations") functions were found"
cover() { grep -q "[ *]$1(" "$tmp/declarations" || fail "$1 is not among them"; }
for name in stmlog_now_ns stmlog_option stmlog_set_fact stmlog_push tb_stack_mark tb_unwind stmlog_thread_open stmlog_mark; do
	cover $name
done

# A function for each, which calls it with its own parameters; and main(), which calls these with zeros.
awk '{
	sub(/^STMLOG_[A-Z]+ /, "")
	open = index($0, "(")
	head = substr($0, 1, open - 1)
	match(head, /[a-z_0-9]+$/)
	name = substr(head, RSTART)
	type = substr(head, 1, RSTART - 1)
	parameters = substr($0, open + 1)
	sub(/\)[^)]*$/, "", parameters)
	count = parameters == "void" ? 0 : split(parameters, parts, /, /)
	names = ""
	zeros = ""
	for (i = 1; i <= count; i++) {
		what = parts[i]
		if (match(what, /\(\*[a-z_]+\)/)) {
			word = substr(what, RSTART + 2, RLENGTH - 3)
		} else {
			match(what, /[a-z_0-9]+$/)
			word = substr(what, RSTART)
		}
		names = names (i > 1 ? ", " : "") word
		kind = what
		sub(word "$", "", kind)
		sub("[(][*]" word "[)]", "(*)", kind)
		zeros = zeros "\t\tstatic const ZERO(" kind ") zero" i " = NOTHING;\n"
		calls = (i > 1 ? calls ", " : "") "zero" i
	}
	if (count == 0)
		calls = ""
	# What these point to is stored.
	if (name == "stmlog_thread_close")
		calls = "&lane"
	if (name == "stmlog_origin_read")
		calls = "0, &parts"
	body = body type "call_" name "(" parameters ");\n"
	body = body type "call_" name "(" parameters ")\n{\n\t" (type ~ /^void $/ ? "" : "return ") name "(" names ");\n}\n"
	run = run "\t{\n" zeros "\t\t" (type ~ /^void $/ ? "" : "(void)") "call_" name "(" calls ");\n\t}\n"
}
END {
	print "#include <stmlog/agent.h>\n#include <stmlog/timeline.h>\n#define ZERO(type) __typeof__(type)"
	print body
	print "int main(void)\n{\n\tstruct stmlog_thread *lane = 0;\n\tstruct stmlog_origin_parts parts;\n" run "\treturn lane != 0;\n}"
}' "$tmp/declarations" >"$tmp/off.c"

for level in -O0 -O1 -O2; do
	cc $level -std=c11 -Wall -Wextra -Werror -Wno-unused-variable -DSTMLOG_OFF "-DNOTHING={0}" -Iinclude -c -o "$tmp/off.o" "$tmp/off.c"
	same "what a program refers to at $level" "" "$(nm -u "$tmp/off.o" | grep -v ' mem[a-z]*$' || :)"
	cc -o "$tmp/off" "$tmp/off.o"
	"$tmp/off" || fail "a program without a library"
done
c++ -O0 -std=c++17 -Wall -Wextra -Werror -Wno-unused-variable -DSTMLOG_OFF "-DNOTHING={}" -Iinclude -c -o "$tmp/off.o" -x c++ "$tmp/off.c"
same "what a C++ program refers to" "" "$(nm -u "$tmp/off.o" | grep -v ' mem[a-z]*$' || :)"
