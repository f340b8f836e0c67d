# SPDX-License-Identifier: MIT
#
# Makes the manual page stmlog-options(7) of docs/options.md: the rows of its table of STMLOG_OPTIONS, and the paragraphs
# around the table.
# usage: awk -v version=VERSION -v date=DATE -f man/options.awk docs/options.md

# The text as roff shows it; what stands between backquotes in bold.
function escape(text, part, count, i, out) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	gsub(/~/, "\\(ti", text)
	count = split(text, part, "`")
	for (i = 1; i <= count; i++)
		out = out (i % 2 == 0 ? "\\fB" part[i] "\\fR" : part[i])
	return out
}

# The text in lines below 80 columns.
function wrapped(text, word, count, i, line, out) {
	count = split(text, word, " ")
	for (i = 1; i <= count; i++) {
		if (line != "" && length(line) + length(word[i]) > 75) {
			out = out line "\n"
			line = ""
		}
		line = line (line != "" ? " " : "") word[i]
	}
	return out line
}

function print_text(text) {
	text = wrapped(escape(text))
	gsub(/\n[.]/, "\n\\\\\\&.", text)
	sub(/^[.]/, "\\\\\\&.", text)
	print text
}

function end_paragraph() {
	if (paragraph == "")
		return
	print ".PP"
	print_text(paragraph)
	paragraph = ""
}

/^# / { next }
!is_begun {
	is_begun = 1
	print ".\\\" Made of docs/options.md by man/options.awk."
	print ".TH STMLOG\\-OPTIONS 7 " date " \"stmlog " version "\" stmlog\n.nh\n.SH NAME"
	print "stmlog\\-options \\- options of the part of stmlog inside a program"
	print ".SH SYNOPSIS\n.B STMLOG_OPTIONS=\\fIkey\\fR=\\fIvalue\\fR:\\fIkey\\fR=\\fIvalue\\fR\n.SH DESCRIPTION"
	first = 1
}
/^\| (option )?\| *\|?$/ || /^\|-/ { next }
/^\| `/ {
	if (!is_table) {
		is_table = 1
		if (paragraph != "")
			print_text(paragraph)
		paragraph = ""
		print ".SH OPTIONS"
	}
	row = $0
	sub(/^\| /, "", row)
	sub(/ \|$/, "", row)
	at = index(row, " | ")
	print ".TP"
	print_text(substr(row, 1, at - 1))
	print_text(substr(row, at + 3))
	next
}
/^    / {
	gsub(/^ +/, "")
	end_paragraph()
	print ".PP\n.EX\n" escape($0) "\n.EE"
	next
}
/^$/ {
	if (is_table && !is_behind) {
		print ".SH OTHER VARIABLES"
		is_behind = 1
		first = 1
	} else if (paragraph != "" && first) {
		print_text(paragraph)
		paragraph = ""
		first = 0
	} else
		end_paragraph()
	next
}
{ paragraph = paragraph (paragraph != "" ? " " : "") $0 }
END {
	end_paragraph()
	print ".SH SEE ALSO\n.BR stmlog (1),\n.BR stmlog\\-record (1)"
}
