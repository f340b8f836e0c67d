# SPDX-License-Identifier: MIT
#
# Makes a picture (SVG) of the first screen of a report. The text stays text; there are no fonts and no links in it, so
# that it needs nothing but itself. Its colours are those of `stmlog report --color=always`, once for light and once for
# dark surroundings.
# usage: stmlog report --color=always | awk -v command='COMMAND' -f docs/picture.awk

BEGIN {
	COLUMN = 8.5
	LINE = 19
	MARGIN = 18
	COLUMNS = 80
	shown[++lines] = "\033[2m$ \033[0m\033[1m" command "\033[0m"
	shown[++lines] = ""
}

# The first screen ends with the first empty line below "Next:".
is_over { next }
/^Next:/ { is_last = 1 }
is_last && $0 == "" { is_over = 1; next }
{ shown[++lines] = $0 }

function escape(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}

# The classes of "1;31": one for each number.
function classes(codes) {
	gsub(/;/, " c", codes)
	return "c" codes
}

# A line of the terminal: what stands between escape sequences, each part with the classes of the sequence before it.
function line_of(text, part, count, i, codes, out) {
	count = split(text, part, /\033\[/)
	out = escape(part[1])
	for (i = 2; i <= count; i++) {
		codes = part[i]
		sub(/m.*/, "", codes)
		text = escape(substr(part[i], length(codes) + 2))
		if (text == "")
			continue
		out = out (codes == "" || codes == "0" ? text : "<tspan class=\"" classes(codes) "\">" text "</tspan>")
	}
	return out
}

function style() {
	print "<style>"
	print "rect { fill: #ffffff; stroke: #d0d7de }"
	print "text { fill: #1f2328; font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre }"
	print ".c1 { font-weight: bold } .c2 { fill: #656d76 }"
	print ".c31 { fill: #b3261e } .c32 { fill: #116329 } .c33 { fill: #7d4e00 } .c34 { fill: #0550ae }"
	print ".c35 { fill: #8250df } .c36 { fill: #1b6a78 }"
	print "@media (prefers-color-scheme: dark) {"
	print "rect { fill: #0d1117; stroke: #30363d }"
	print "text { fill: #e6edf3 } .c2 { fill: #8d96a0 }"
	print ".c31 { fill: #ff8b82 } .c32 { fill: #56d364 } .c33 { fill: #e3b341 } .c34 { fill: #79c0ff }"
	print ".c35 { fill: #d2a8ff } .c36 { fill: #76d9e6 }"
	print "}"
	print "</style>"
}

END {
	if (!is_last) {
		print "picture.awk: no first screen: no line begins with 'Next:'" >"/dev/stderr"
		exit 1
	}
	width = int(2 * MARGIN + COLUMNS * COLUMN)
	height = 2 * MARGIN + lines * LINE
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", \
		width, height, width, height
	print "<title>" escape(command) ": the first screen of its report</title>"
	style()
	printf "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", width - 1, height - 1
	for (i = 1; i <= lines; i++)
		if (shown[i] != "")
			printf "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", MARGIN, MARGIN + i * LINE - 5, \
				line_of(shown[i])
	print "</svg>"
}
