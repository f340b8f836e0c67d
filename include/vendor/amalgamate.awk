# SPDX-License-Identifier: MIT
#
# Joins the library's sources into one file that a runtime adds to its own build, beside stmlog-vendor.h. Each header is
# in it once, and each .def wherever it is included. All that the public headers do not declare is static: so no name of
# ours collides with one of the program. What two sources define under one name for themselves has the source's name
# behind it, as find_in_heap(). The script relies on the tree's format: a definition begins in the first column.
# usage: awk -v root=. -f amalgamate.awk

# ---- which files ----

# mem_malloc.c and own_string.c are for sanitizers, and for a library that they do not see.
function find_files(command, path, name) {
	command = "cd '" root "' && ls include/stmlog/* base/*.[ch] traceback/*.[ch] format/*.[ch] stmlog/*/*.[ch]"
	while ((command | getline path) > 0) {
		if (path ~ /\/(mem_malloc|own_string)\.c$/)
			continue
		name = path
		sub(/^include\/|.*\//, "", name)
		path_of[name] = path
		if (path ~ /\.c$/)
			sources[++source_count] = path
		else
			headers[++header_count] = path
	}
	close(command)
}

function is_public(path) {
	return path ~ /^include\//
}

function included(line) {
	sub(/^#include [<"]/, "", line)
	sub(/[>"].*/, "", line)
	return line
}

# ---- which names are a source's own ----

# The name that a line of the first column defines or declares as a function; "" if it does not.
function function_of(line) {
	if (line !~ /^[A-Za-z_]/ || line ~ /^(_Static_assert|static_assert|#)/)
		return ""
	while (sub(/__attribute__\(\([^()]*(\([^()]*\)[^()]*)*\)\) ?/, "", line))
		;
	if (line ~ /^([^(]*=|typedef)/ || !match(line, /[ *][A-Za-z_][A-Za-z_0-9]*\(/))
		return ""
	return substr(line, RSTART + 1, RLENGTH - 2)
}

# The names that a line of the first column defines as data, between spaces.
function data_of(line, names, parts, count, i, name) {
	if (line !~ /^[A-Za-z_}]/ || line ~ /^(typedef|_Static_assert|static_assert|struct [A-Za-z_0-9]+;)/ || (line ~ /\{$/ && line !~ /=/))
		return ""
	while (sub(/__attribute__\(\([^()]*(\([^()]*\)[^()]*)*\)\) ?/, "", line))
		;
	sub(/ *=.*/, "", line)
	sub(/;.*/, "", line)
	if (line ~ /\(/ && line !~ /\[/)
		return ""
	count = split(line, parts, ",")
	for (i = 1; i <= count; i++) {
		gsub(/\[[^]]*\]/, "", parts[i])
		if (match(parts[i], /[A-Za-z_][A-Za-z_0-9]* *$/)) {
			name = substr(parts[i], RSTART, RLENGTH)
			names = names " " name
		}
	}
	return names
}

function is_own(source, name) {
	if (name == "" || (source, name) in own)
		return
	own[source, name] = 1
	owners[name]++
}

# Whether the name of a source has to be changed: another source or a header has it, too.
function is_shared(source, name) {
	return (source, name) in own && (owners[name] > 1 || name in external)
}

function enumerators(source, text, parts, count, i) {
	while (sub(/\([^()]*\)/, "", text))
		;
	count = split(text, parts, ",")
	for (i = 1; i <= count; i++)
		if (match(parts[i], /^[ \t]*[A-Za-z_][A-Za-z_0-9]*/) && match(parts[i], /[A-Za-z_][A-Za-z_0-9]*/))
			is_own(source, substr(parts[i], RSTART, RLENGTH))
}

function is_enum_end(line) {
	return line ~ /\}/
}

# Notes the names of a source that no header declares.
function collect(source, line, is_enum, names, parts, i) {
	while ((getline line <(root "/" source)) > 0) {
		gsub(/\/\*[^*]*\*\//, "", line)
		sub(/\/\*.*/, "", line)
		if (is_enum) {
			if (line ~ /^#/)
				continue
			if (!is_enum_end(line))
				enumerators(source, line)
			else
				is_enum = 0
			continue
		}
		if (line ~ /^#define /) {
			split(line, parts, /[ (]/)
			macros[source] = macros[source] " " parts[2]
		}
		if (line ~ /^(static |typedef )?(const )?(struct|enum|union) [A-Za-z_0-9]+ \{/) {
			match(line, /(struct|enum|union) [A-Za-z_0-9]+/)
			split(substr(line, RSTART, RLENGTH), parts, " ")
			is_own(source, parts[2])
		}
		if (line ~ /^enum.*\{/) {
			sub(/^[^{]*\{/, "", line)
			is_enum = !is_enum_end(line)
			sub(/\}.*/, "", line)
			enumerators(source, line)
			continue
		}
		if (line ~ /^typedef .*[A-Za-z_0-9]+;$/) {
			match(line, /[A-Za-z_0-9]+;$/)
			is_own(source, substr(line, RSTART, RLENGTH - 1))
		}
		if (line ~ /^static .*\(\*[a-z_]+\)\(/) {
			match(line, /\(\*[a-z_]+\)/)
			is_own(source, substr(line, RSTART + 2, RLENGTH - 3))
		}
		if (line !~ /^(static|\} [a-z])/)
			continue
		if (function_of(line) != "") {
			is_own(source, function_of(line))
			continue
		}
		split(data_of(line), parts, " ")
		for (i in parts)
			is_own(source, parts[i])
	}
	close(root "/" source)
}

# Notes what a header declares: `external` if it is the library's own, `published` if it is public.
function collect_header(path, line, parts, i) {
	while ((getline line <(root "/" path)) > 0) {
		if (is_public(path) && match(line, /(stmlog|tb)_[A-Za-z_0-9]*\(/))
			published[substr(line, RSTART, RLENGTH - 1)] = 1
		if (is_public(path) && line ~ /^STMLOG_(API|PRIVATE) extern /) {
			split(data_of(line), parts, " ")
			for (i in parts)
				published[parts[i]] = 1
		}
		if (!is_public(path) && line ~ /^extern /) {
			split(data_of(line), parts, " ")
			for (i in parts)
				external[parts[i]] = data[parts[i]] = 1
		}
		if (function_of(line) != "")
			external[function_of(line)] = 1
		if (match(line, /^(struct|enum|union) [A-Za-z_0-9]+ \{/)) {
			split(line, parts, " ")
			external[parts[2]] = 1
		}
	}
	close(root "/" path)
}

# ---- output ----

# Whether the name between two texts is that of a member: behind "." or "->", or where a struct declares it.
function is_member(before, behind) {
	return before ~ /(\.|->|offsetof\([^,]*, )$/ || (is_struct && behind ~ /^[;,:[)]/)
}

# The line with the source's own names changed, outside of strings and comments.
function renamed(source, suffix, line, text, token) {
	if (line ~ /^([^ \t].* )?(struct|union)[^=()]*\{$/)
		is_struct = 1
	if (line ~ /^}/)
		is_struct = 0
	while (line != "") {
		if (is_comment) {
			if (!match(line, /\*\//))
				return text line
			text = text substr(line, 1, RSTART + 1)
			line = substr(line, RSTART + 2)
			is_comment = 0
		} else if (match(line, /^\/\*/)) {
			text = text "/*"
			line = substr(line, 3)
			is_comment = 1
		} else if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^'([^'\\]|\\.)*'/) || match(line, /^[0-9][A-Za-z_0-9.]*/)) {
			text = text substr(line, 1, RLENGTH)
			line = substr(line, RLENGTH + 1)
		} else if (match(line, /^[A-Za-z_][A-Za-z_0-9]*/)) {
			token = substr(line, 1, RLENGTH)
			line = substr(line, RLENGTH + 1)
			if (is_shared(source, token) && !is_member(text, line))
				token = token "_in_" suffix
			text = text token
		} else {
			text = text substr(line, 1, 1)
			line = substr(line, 2)
		}
	}
	return text
}

# A declaration or definition of what is not public becomes static.
function made_static(line, name, parts) {
	if (line ~ /(^| )static /)
		return line
	if (line ~ /\(weak\)/)
		return line
	if (line ~ /^extern /) {
		sub(/__attribute__\(\(visibility\("hidden"\)\)\)/, "", line)
		sub(/^extern /, "static ", line)
		return line
	}
	name = function_of(line)
	if (name != "" && !(name in published))
		return "static __attribute__((unused)) " line
	split(data_of(line), parts, " ")
	if (parts[1] in data && line !~ /^static/)
		return "static " line
	return line
}

function put_file(path, source, suffix, line, inner) {
	is_comment = 0
	while ((getline line <(root "/" path)) > 0) {
		if (line ~ /^#include /) {
			inner = path_of[included(line)]
			if (inner == "")
				print line
			else if (inner ~ /\.def$/ || !(inner in is_put))
				put_included(inner)
			continue
		}
		if (!is_public(path))
			line = made_static(line)
		print source != "" ? renamed(source, suffix, line) : line
	}
	close(root "/" path)
}

# No name of a header or .def is changed.
function put_included(path) {
	is_put[path] = 1
	put_file(path, "", "")
	is_comment = 0
}

function put_source(source, suffix, parts, count, i) {
	suffix = source
	sub(/.*\//, "", suffix)
	sub(/\.c$/, "", suffix)
	print "\n/* ==== " source " ==== */\n"
	put_file(source, source, suffix)
	count = split(macros[source], parts, " ")
	for (i = 1; i <= count; i++)
		print "#undef " parts[i]
}

BEGIN {
	find_files()
	print "/* SPDX-License-Identifier: MIT"
	print " * stmlog, https://spdx.org/licenses/MIT.html, Copyright (c) 2026 The stmlog authors"
	print " *"
	print " * The library in one file. Compile it with gcc or clang as C11, and link with -pthread; it needs <atomic_ops.h> of"
	print " * libatomic_ops. The program includes stmlog-vendor.h of the same version, with STMLOG_LINKED defined. Generated;"
	print " * do not edit. */"
	print "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif"
	print "#define STMLOG_INLINE static inline __attribute__((unused))"
	for (i = 1; i <= header_count; i++)
		collect_header(headers[i])
	for (i = 1; i <= source_count; i++)
		collect(sources[i])
	for (i = 1; i <= source_count; i++)
		put_source(sources[i])
}
