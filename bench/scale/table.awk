# SPDX-License-Identifier: MIT
#
# The tables of bench/scale.sh, whose head says how to read them, from its lines. Writes the points of both to the file
# `points`: "step|run<tab>NAME<tab>N<tab>FIGURE". Exits with 1 if a claim does not hold. Needs median() of rounds.inc.

BEGIN {
	BOUND = 1.1 # of exponents
	SMALL = 100 # the size whose time is taken off
}

function note(name, n) {
	if (!(name in sizes))
		names[++names_len] = name
	if (!((name, n) in rounds))
		size[name, ++sizes[name]] = n
	return ++rounds[name, n]
}

$1 == "step" {
	is_step[$2] = 1
	figure[$2, $3, note($2, $3)] = $4
}
$1 == "run" {
	r = note($2, $3)
	elapsed[$2, $3, r] = $4 / 1e9
	figure[$2, $3, r] = $5 / 1e9
	memory[$2, $3, r] = $6 * 1024
	bytes[$2, $3] = $7
}

function middle(of, name, n,   r, list) {
	for (r = 1; r <= rounds[name, n]; r++)
		list[r] = of[name, n, r]
	return median(list, rounds[name, n])
}

# The figure of a row; of a command, without the time for a small recording. Below a tenth of a millisecond there is no
# telling.
function value(name, n,   taken) {
	taken = middle(figure, name, n)
	if (name in is_step)
		return taken
	taken -= middle(figure, name, SMALL)
	return taken > 1e-4 ? taken : 0
}

# Over all sizes from the `first` on; "-" where there are too few figures.
function exponent(name, first,   i, n, x, y, len, sum_x, sum_y, sum_xx, sum_xy) {
	for (i = first; i <= sizes[name]; i++) {
		n = size[name, i]
		if (!(name in is_step) && n <= SMALL || value(name, n) <= 0)
			continue
		x = log(n)
		y = log(value(name, n))
		len++
		sum_x += x
		sum_y += y
		sum_xx += x * x
		sum_xy += x * y
	}
	if (len < 2 || len * sum_xx == sum_x * sum_x)
		return "-"
	return (len * sum_xy - sum_x * sum_y) / (len * sum_xx - sum_x * sum_x)
}

function shown(slope) { return slope == "-" ? "-" : sprintf("%.2f", slope) }

function short(n,   digits) {
	digits = length(n "") - 1
	return n >= 10000 && n == 10 ^ digits ? "10^" digits : n
}

# A claim, and whether it holds.
function claim(holds, text) {
	claims[++claims_len] = (holds ? "holds: " : "missed: ") text
	missed_len += !holds
}

function judge(name, fit, largest,   taken, ratio) {
	if (name !~ /report|export|merge/ || name ~ /made by/)
		return
	if (fit == "-")
		claims[++claims_len] = "not known: " name ": exponent: the sizes are too small"
	else
		claim(fit < BOUND, sprintf("%s: exponent %.2f, must be below %.1f", name, fit, BOUND))
	if (name != "events: report" || !((name, 1000000) in rounds))
		return
	taken = middle(elapsed, name, 1000000)
	claim(taken <= 1, sprintf("%s: %.2f s for 10^6, 1 s allowed", name, taken))
	ratio = middle(memory, name, 1000000) / bytes[name, 1000000]
	claim(ratio <= 2, sprintf("%s: %.2f times the size of the recording for 10^6, 2 allowed", name, ratio))
}

function row(name,   i, n, text, fit, largest) {
	text = ""
	for (i = 1; i <= sizes[name]; i++) {
		n = size[name, i]
		if (!(name in is_step) && n <= SMALL)
			continue
		printf "%s\t%s\t%s\t%s\n", name in is_step ? "step" : "run", name, n, value(name, n) >points
		text = text sprintf("  %s:%s", short(n), sprintf(name in is_step ? "%.4g" : "%.4f", value(name, n)))
	}
	fit = exponent(name, 1)
	printf "%-34s %5s %5s", name, shown(fit), shown(exponent(name, sizes[name] - 1))
	if (!(name in is_step)) {
		largest = size[name, sizes[name]]
		printf " %8.2f %8.1f %6s", middle(elapsed, name, largest), bytes[name, largest] / 1e6,
			name ~ /made by/ ? "-" : sprintf("%.2f", middle(memory, name, largest) / bytes[name, largest])
		judge(name, fit, largest)
	}
	print " " text
}

END {
	printf "%-34s %5s %5s   %s\n", "ns of one step", "n^", "last", "n:ns"
	for (i = 1; i <= names_len; i++)
		if (names[i] in is_step)
			row(names[i])
	printf "\n%-34s %5s %5s %8s %8s %6s   %s\n", "a command", "n^", "last", "elapsed", "MB", "memory",
		"n:seconds of the processor"
	for (i = 1; i <= names_len; i++)
		if (!(names[i] in is_step))
			row(names[i])
	print ""
	for (i = 1; i <= claims_len; i++)
		print claims[i]
	exit missed_len > 0
}
