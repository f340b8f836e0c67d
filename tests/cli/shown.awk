# SPDX-License-Identifier: MIT
#
# Whether an output has what a document shows of it. In the shown text a line "..." stands for any lines, and "..." at
# the end of a line for the rest of that line. Prints the first shown lines that are not found in their order.
# usage: awk -f shown.awk SHOWN OUTPUT

NR == FNR { shown[++shown_len] = $0; next }
{ output[++output_len] = $0 }

function is_same(wanted, found, len) {
	len = length(wanted) - 3
	if (len > 0 && substr(wanted, len + 1) == "...")
		return substr(found, 1, len) == substr(wanted, 1, len)
	return wanted == found
}

# Whether the shown lines from `first` to `last` stand at line `at` of the output and behind it.
function stands(first, last, at, i) {
	for (i = first; i <= last; i++)
		if (at + i - first > output_len || !is_same(shown[i], output[at + i - first]))
			return 0
	return 1
}

# The line of the output at which these lines stand: `from`, or below it if lines are left out before them.
function find(first, last, from, is_left_out, at) {
	for (at = from; at <= (is_left_out ? output_len : from); at++)
		if (stands(first, last, at))
			return at
	return 0
}

END {
	at = 1
	for (first = 1; first <= shown_len; first = last + 1) {
		is_left_out = shown[first] == "..."
		first += is_left_out
		for (last = first; last <= shown_len && shown[last] != "..."; last++)
			;
		last--
		if (last < first)
			continue
		found = find(first, last, at, is_left_out)
		if (found == 0) {
			for (i = first; i <= last; i++)
				print "not found: " shown[i]
			exit 1
		}
		at = found + last - first + 1
	}
	if (shown[shown_len] != "..." && at <= output_len) {
		print "not shown: " output[at]
		exit 1
	}
}
