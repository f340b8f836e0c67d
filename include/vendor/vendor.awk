# SPDX-License-Identifier: MIT
#
# Writes the header for vendoring: the template, with the public headers in it, and for each function that they declare
# with STMLOG_API or STMLOG_PRIVATE a function that finds and calls the library's. So a new header or function needs no
# change here. A declaration that the script does not understand is an error.
# usage: awk -f vendor.awk -v root=include -v headers="stmlog/a.h ..." -v soname=... -v version=... TEMPLATE

function stop(words) {
	print "vendor.awk: " words >"/dev/stderr"
	has_failed = 1
	exit 1
}

# The last name in a declaration such as "const char *name" or "void (*name)(int)".
function name_of(parameter) {
	if (match(parameter, /\(\*[A-Za-z_0-9]+\)/))
		return substr(parameter, RSTART + 2, RLENGTH - 3)
	sub(/\[[^]]*\] *$/, "", parameter)
	if (!match(parameter, /[A-Za-z_0-9]+$/))
		stop("no name: " parameter)
	return substr(parameter, RSTART)
}

# "struct thread *thread, void (*call)(int, int)" becomes "thread, call".
function names_of(parameters, names, depth, i, c, from) {
	if (parameters == "void")
		return ""
	parameters = parameters ","
	from = 1
	for (i = 1; i <= length(parameters); i++) {
		c = substr(parameters, i, 1)
		depth += (c == "(") - (c == ")")
		if (c == "," && depth == 0) {
			names = names (names != "" ? ", " : "") name_of(substr(parameters, from, i - from))
			from = i + 1
		}
	}
	return names
}

# The value that the function returns without a library.
function absent(name, type) {
	if (name == "stmlog_option")
		return "NULL"
	if (name == "tb_code_intern") # code objects may be older than the profiler
		return "TB_CODE_UNKNOWN"
	if (type == "struct tb_frame *")
		return "TB_UNKNOWN"
	if (type == "const char *")
		return "\"?\""
	if (type == "int")
		return "-ENODEV"
	return type ~ /^struct [a-z_0-9]+$/ ? "none" : "(" type ")0"
}

# ---- declarations ----

function take_data(text, name, type) {
	sub(/^STMLOG_[A-Z_]+ extern /, "", text)
	sub(/;$/, "", text)
	name = name_of(text)
	type = substr(text, 1, length(text) - length(name))
	printf "#ifdef STMLOG_LOOKS_FOR_LIBRARY\n/* Private: what stands in for it without a library, and where it is. */\n"
	printf "STMLOG_VENDOR_SHARED %sstmlog_vendor_no_%s;\n", type, name
	printf "STMLOG_VENDOR_SHARED %s*stmlog_vendor_%s = &stmlog_vendor_no_%s;\n", type, name, name
	printf "#define %s (*STMLOG_LOAD_RELAXED(&stmlog_vendor_%s))\n#else\n", name, name
	data = data sprintf("\tdata = dlsym(library, \"%s\");\n\tif (data != NULL)\n", name)
	data = data sprintf("\t\tSTMLOG_STORE_RELAXED(&stmlog_vendor_%s, (%s*)data);\n", name, type)
}

function take_function(text, name, type, parameters, names, call, value) {
	gsub(/[ \t\n]+/, " ", text)
	sub(/^STMLOG_[A-Z_]+ /, "", text)
	if (!match(text, /[a-z_0-9]+\(.*\);$/) || text ~ /\.\.\./)
		stop("not understood: " text)
	name = type = text
	type = substr(text, 1, RSTART - 1)
	sub(/ $/, "", type)
	parameters = substr(text, RSTART, length(text) - RSTART - 1)
	name = parameters
	sub(/\(.*/, "", name)
	parameters = substr(parameters, length(name) + 2)
	names = names_of(parameters)
	indices = indices "\tSTMLOG_VENDOR_" name ",\n"
	all_names = all_names "\t\"" name "\\0\" \\\n"
	if (name == "stmlog_open_abi") # the template has it
		return
	value = absent(name, type)
	# No parameter has a name that ends like this one.
	call = "((" type " (*)(" parameters "))callee_)(" names ");\n"
	functions = functions "STMLOG_INLINE " type (type ~ /\*$/ ? "" : " ") name "(" parameters ")\n{\n"
	if (value == "none")
		functions = functions "\tstatic " type " none;\n"
	functions = functions "\tstmlog_vendor_function *callee_ = stmlog_vendor_get(STMLOG_VENDOR_" name ");\n"
	if (type == "void") {
		functions = functions "\tif (STMLOG_LIKELY(callee_ != NULL))\n\t\t" call
	} else {
		functions = functions "\tif (STMLOG_LIKELY(callee_ != NULL))\n\t\treturn " call
		functions = functions "\treturn " value ";\n"
	}
	functions = functions "}\n\n"
}

# Handles a declaration from its first line on. The header looks for stmlog_abi_fits() in a library, so this file does
# not define it.
function declaration(file, line, text) {
	text = line
	while (line !~ /;/) {
		if ((getline line <file) <= 0)
			stop("no end: " text)
		text = text "\n" line
	}
	if (text ~ / extern /)
		take_data(text)
	else if (text ~ / stmlog_abi_fits\(/)
		print "#ifndef STMLOG_LOOKS_FOR_LIBRARY"
	else
		take_function(text)
	print text
	if (text ~ / extern | stmlog_abi_fits\(/)
		print "#endif"
}

# ---- files ----

# Prints a file with the headers and tables of stmlog that it includes: a header once, a table wherever it is included,
# without its first comment.
function put(path, file, line, is_table, is_comment) {
	if (path in is_there)
		return
	is_table = path !~ /\.h$/
	if (!is_table)
		is_there[path] = 1
	is_comment = is_table
	file = root "/" path
	while ((getline line <file) > 0) {
		if (is_comment)
			is_comment = line !~ /\*\//
		else if (match(line, /^#include <stmlog\/[a-z.]+>/))
			put(substr(line, 11, RLENGTH - 11))
		else if (line ~ /^STMLOG_(API|PRIVATE) /)
			declaration(file, line)
		else if (line !~ /SPDX-License-Identifier/)
			print line
		else
			print "/* ---- <" path "> ----"
	}
	if (close(file) != 0)
		stop(file " cannot be read")
}

BEGIN {
	count = split(headers, list, " ")
}
/^@headers@$/ {
	for (i = 1; i <= count; i++)
		put(list[i])
	next
}
/^@[a-z]*@$/ {
	text = $0 == "@indices@" ? indices : $0 == "@names@" ? all_names : $0 == "@data@" ? data : functions
	printf "%s", text
	next
}
{
	gsub(/@soname@/, soname)
	gsub(/@version@/, version)
	print
}
END {
	if (!has_failed && all_names == "")
		stop("no function was found")
}
