# SPDX-License-Identifier: MIT
#
# Makes manual pages of one public header, so that `man stmlog_start` shows the text that the header has: a page for the
# header, with its overview, types and macros, and a page for each function. Functions that share a comment share a page.
# Functions that the header calls private have none.
#
# A header has the form that all headers of include/stmlog/ have: it begins with a comment for the whole file; comments
# of the form "---- name ----" begin sections; a comment right above a declaration belongs to it, and to the
# declarations below up to an empty line.
# usage: awk -v dir=DIRECTORY -v version=VERSION -v date=DATE -f man/pages.awk include/stmlog/X.h

# ---- roff ----

# The text as roff shows it unchanged.
function escape(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/`/, "", text)
	while (match(text, /\*[a-z][a-z ]*\*/))
		text = substr(text, 1, RSTART - 1) "\\fI" substr(text, RSTART + 1, RLENGTH - 2) "\\fR" substr(text, RSTART + RLENGTH)
	sub(/^[.']/, "\\\\\\&&", text)
	return text
}

# A comment's text as paragraphs: an empty line ends one, lines that are indented stay as they are.
function paragraphs(text, line, count, i, is_open, out) {
	count = split(text, line, "\n")
	for (i = 1; i <= count; i++) {
		if (line[i] ~ /^  / && !is_open) {
			out = out ".PP\n.EX\n"
			is_open = 1
		} else if (line[i] !~ /^  / && line[i] != "" && is_open) {
			out = out ".EE\n.PP\n"
			is_open = 0
		}
		if (line[i] == "" && !is_open)
			out = out ".PP\n"
		else
			out = out escape(line[i]) "\n"
	}
	if (is_open)
		out = out ".EE\n"
	return tidy(out)
}

# Without paragraphs that have nothing in them.
function tidy(out) {
	while (gsub(/\.PP\n\.PP\n/, ".PP\n", out))
		;
	sub(/^\.PP\n/, "", out)
	sub(/\.PP\n$/, "", out)
	sub(/\n\.PP\n\.SH/, "\n.SH", out)
	return out
}

function verbatim(text) {
	gsub(/\t/, "    ", text)
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/\n\./, "\n\\\\\\&.", text)
	return ".PP\n.EX\n" text "\n.EE\n"
}

# A prototype; if it needs several lines, the further ones are indented.
function signature(prototype) {
	return ".HP 8n\n.B \"" escape(prototype) "\"\n"
}

function head(name) {
	return ".\\\" Made of " inner " by man/pages.awk.\n.TH " name " 3 " date " \"stmlog " version "\" stmlog\n.nh\n.SH NAME\n"
}

# The first sentence, as the one line of NAME.
function summary(text, end) {
	gsub(/\n/, " ", text)
	gsub(/  +/, " ", text)
	end = match(text, /\.( |$)/)
	text = end ? substr(text, 1, end - 1) : text
	sub("^" page ": ", "", text)
	return escape(text)
}

# ---- what the header has ----

function name_of(prototype, parts) {
	match(prototype, /[a-z_0-9]+\(/)
	return substr(prototype, RSTART, RLENGTH - 1)
}

function is_private(name) {
	return name ~ /_(on|slow)$/ || comment ~ /^Private/
}

# One function more in the group of those that share a comment.
function add_function(prototype, name) {
	gsub(/STMLOG_(API|INLINE|LABEL_PURE) /, "", prototype)
	gsub(/[\n\t ]+/, " ", prototype)
	sub(/\( /, "(", prototype)
	name = name_of(prototype)
	if (name == "" || is_private(name) || name in pages)
		return
	pages[name] = 1
	group[++members] = name
	prototypes[members] = prototype ";"
	synopsis = synopsis signature(prototypes[members])
}

# Writes the page of the group, and for each further function a link to it.
function end_group(i, file, names) {
	if (members == 0)
		return
	file = dir "/" group[1] ".3"
	for (i = 1; i <= members; i++)
		names = names (i > 1 ? ", " : "") group[i]
	printf "%s%s \\- %s\n", head(group[1]), names, summary(shared != "" ? shared : section) >file
	printf ".SH SYNOPSIS\n.ad l\n.B #include <%s>\n", inner >file
	for (i = 1; i <= members; i++)
		printf "%s", signature(prototypes[i]) >file
	printf ".SH DESCRIPTION\n.ad b\n%s", paragraphs(shared != "" ? shared : section) >file
	printf ".SH SEE ALSO\n.BR %s (3)\n", page >file
	close(file)
	for (i = 2; i <= members; i++)
		system("ln -sf " group[1] ".3 " dir "/" group[i] ".3")
	members = 0
}

function end_section() {
	if (section_text != "")
		sections = sections ".SS " escape(section) "\n" paragraphs(section_text)
	section_text = ""
}

# Before the first line of code comes the overview, and after "---- name ----" the text of a section.
function end_comment() {
	if (overview == "" && !has_code) {
		overview = comment
		comment = ""
	} else if (comment ~ /^---- .* ----/) {
		end_group()
		end_section()
		section = comment
		sub(/^---- /, "", section)
		sub(/ ----.*/, "", section)
		section_text = comment
		sub(/^---- [^\n]* ----\n*/, "", section_text)
		end_section()
		comment = ""
	}
}

function end_declaration() {
	if (declaration ~ /^STMLOG_(API|INLINE)/ && declaration !~ /^STMLOG_API extern/)
		add_function(declaration)
	else if (declaration ~ /^(__extension__ )?(struct|enum|typedef)/ && declaration !~ /^(struct|enum) [a-z_]+;$/)
		types = types (comment != "" && comment !~ /^----/ ? ".PP\n" paragraphs(comment) : "") verbatim(declaration)
	declaration = ""
}

# The enumerators that the rows of a .def file make: row(ID, "name", ..., "what it means").
function enumerators(file, line, part, count, out) {
	while ((getline line <file) > 0) {
		if (index(line, row "(") != 1)
			continue
		count = split(line, part, "\"")
		sub(/^[^(]*\(/, "", line)
		sub(/,.*/, "", line)
		out = out "\n\t" prefix line ", /* " part[count - 1] " */"
	}
	close(file)
	return out
}

# How many braces are open.
function braces(text) {
	return gsub(/{/, "", text) - gsub(/}/, "", text)
}

FNR == 1 {
	base = FILENAME
	sub(/.*\//, "", base)
	inner = "stmlog/" base
	page = "stmlog_" base
	sub(/\.h$/, "", page)
}

# ---- the lines ----

in_body {
	if (/^}/)
		in_body = 0
	next
}
in_comment {
	is_end = sub(/ *\*\/$/, "")
	sub(/^ \* ?/, "")
	comment = comment "\n" $0
	if (is_end) {
		in_comment = 0
		sub(/\n+$/, "", comment)
		end_comment()
	}
	next
}
declaration == "" && /^\/\*/ {
	if (!has_blank && members > 0 && comment == "")
		end_group()
	end_group()
	is_end = sub(/ *\*\/$/, "")
	sub(/^\/\* ?/, "")
	sub(/^SPDX-License-Identifier: MIT/, "")
	comment = $0
	in_comment = !is_end
	if (is_end)
		end_comment()
	next
}
declaration == "" && /^$/ {
	end_group()
	comment = ""
	next
}
declaration == "" && /^#if.*STMLOG_OFF/ { skipped = 1 }
declaration == "" && /^#/ {
	if (/^#define [A-Z_]+/ && !skipped && comment != "" && comment !~ /^----/) {
		line = $0
		sub(/^#define /, "", line)
		match(line, /^[A-Z_]+(\([^)]*\))?/)
		macros = macros ".TP\n.B " substr(line, RSTART, RLENGTH) "\n" paragraphs(comment)
	}
	while (/\\$/ && (getline) > 0)
		;
	if (/^#endif/)
		skipped = 0
	next
}
/^STMLOG_(BEGIN|END)_DECLS/ { next }
declaration ~ /^enum/ && /^#define/ {
	row = $2
	sub(/\(.*/, "", row)
	prefix = $NF
	sub(/##.*/, "", prefix)
	next
}
declaration ~ /^enum/ && /^#include/ {
	declaration = declaration enumerators("include/" substr($2, 2, length($2) - 2))
	next
}
declaration ~ /^enum/ && /^#undef/ { next }
{
	has_code = 1
	if (declaration == "" && members == 0)
		shared = comment
	declaration = declaration == "" ? $0 : declaration "\n" $0
	if (declaration ~ /^(static|STMLOG_(PRIVATE_)?INLINE) /) {
		if (/^{/) {
			sub(/\n{$/, "", declaration)
			end_declaration()
			in_body = 1
		}
	} else if (/;$/ && braces(declaration) == 0) {
		sub(/;$/, "", declaration)
		end_declaration()
	}
}

END {
	end_group()
	file = dir "/" page ".3"
	sub(/^\n+/, "", overview)
	printf "%s%s \\- %s\n", head(page), page, summary(overview) >file
	printf ".SH SYNOPSIS\n.ad l\n.B #include <%s>\n%s", inner, synopsis >file
	printf ".SH DESCRIPTION\n.ad b\n%s%s", paragraphs(overview), sections >file
	if (types != "")
		printf ".SH TYPES\n%s", tidy(types) >file
	if (macros != "")
		printf ".SH MACROS\n%s", macros >file
	print ".SH SEE ALSO\n.BR stmlog_runtime (3),\n.BR stmlog_setup (3),\n.BR stmlog_causes (3),\n.BR stmlog_agent (3),\n" \
		".BR stmlog_read (3),\n.BR stmlog_timeline (3),\n.BR stmlog_traceback (3),\n.BR stmlog_profile (3),\n" \
		".BR stmlog_measure (3)" >file
}
