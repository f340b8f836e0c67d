# SPDX-License-Identifier: MIT
#
# Judges the runs of bench/truth.sh: reads what run.awk has printed of each, and lines
#   stamps PROGRAM RUN SPEED ABORTS      of the build with stamps, as ratios to the one without; ABORTS may be "-"
# Prints a table for each program and mode, one table of all, and the requirements that are missed. Exits with 1 if one
# is missed in default mode. The head of bench/truth.sh says how to read the tables. Needs median() of rounds.inc.

BEGIN { FS = "\t" }

$1 == "row" {
	key = $2 FS $3
	if (!(key in runs))
		keys[++keys_len] = key
	if (!(key in rows) || !((key, $5) in row_is_known)) {
		row_is_known[key, $5] = 1
		row_names[key, ++rows[key]] = $5
	}
	if ($4 > runs[key])
		runs[key] = $4
	truth[key, $5, $4] = $6
	estimate[key, $5, $4] = $7
	has_interval[key, $5, $4] = $8 != "-"
	low[key, $5, $4] = $8 == "-" ? $7 : $8
	high[key, $5, $4] = $9 == "-" ? $7 : $9
	slack[key, $5, $4] = $10
	attached[key, $4] = $11
}
$1 == "run" {
	aborts[$2 FS $3, $4] = ($6 - $5) / ($5 + $7)
	rest[$2 FS $3, $4] = $8
}
$1 == "fault" && !((key_of_fault = $2 FS $3 FS $5) in faults) { fault_names[++faults_len] = key_of_fault }
$1 == "fault" { faults[key_of_fault]++ }
$1 == "stamps" {
	n = ++stamps[$2]
	speeds[$2, n] = $4
	if ($5 != "-")
		more_aborts[$2, ++counted[$2]] = $5
}

function absolute(x) { return x < 0 ? -x : x }

# The median over the runs of a figure of the row; share, ratio or width.
function middle(key, name, figure,   r, list, len) {
	for (r = 1; r <= runs[key]; r++)
		if (figure == "truth")
			list[++len] = truth[key, name, r] / attached[key, r]
		else if (figure == "estimate")
			list[++len] = estimate[key, name, r] / attached[key, r]
		else if (truth[key, name, r] > 0 && figure == "ratio")
			list[++len] = estimate[key, name, r] / truth[key, name, r]
		else if (truth[key, name, r] > 0)
			list[++len] = (high[key, name, r] - low[key, name, r]) / truth[key, name, r]
	return len ? median(list, len) : 0
}

# In how many runs the interval held the truth.
function held(key, name,   r, count) {
	for (r = 1; r <= runs[key]; r++)
		count += low[key, name, r] <= truth[key, name, r] + slack[key, name, r] &&
			high[key, name, r] >= truth[key, name, r] - slack[key, name, r]
	return count + 0
}

# Whether a run's share is within a tenth of the typical one, or the run's interval holds that.
function is_steady(key, name, r, typical) {
	return absolute(estimate[key, name, r] / attached[key, r] - typical) <= typical / 10 ||
		has_interval[key, name, r] && low[key, name, r] <= typical * attached[key, r] &&
		high[key, name, r] >= typical * attached[key, r]
}

# In how many runs the row's share of the attached time was within a tenth of its median, or its interval held the
# median.
function steady(key, name,   r, count, typical) {
	typical = middle(key, name, "estimate")
	for (r = 1; r <= runs[key]; r++)
		count += is_steady(key, name, r, typical)
	return count + 0
}

# The same, but where the program did not do the same in a run, the report may differ by as much: in how many runs the
# share differed from its median as the truth did from its own, within a tenth, or the interval held the median.
function repeated(key, name,   r, count, typical, true_one, off) {
	typical = middle(key, name, "estimate")
	true_one = middle(key, name, "truth")
	for (r = 1; r <= runs[key]; r++) {
		off = (estimate[key, name, r] - truth[key, name, r]) / attached[key, r] - (typical - true_one)
		count += is_steady(key, name, r, typical) || absolute(off) <= typical / 10
	}
	return count + 0
}

# In how many runs the truth's share was within a tenth of its median.
function steady_truth(key, name,   r, count, typical) {
	typical = middle(key, name, "truth")
	for (r = 1; r <= runs[key]; r++)
		count += absolute(truth[key, name, r] / attached[key, r] - typical) <= typical / 10
	return count + 0
}

# A site that loses less than this is not judged: it may have no entry at all.
function is_shown(key, name) { return name !~ / in / || middle(key, name, "truth") >= 0.01 }

function is_enough(count, key) { return count * 10 >= runs[key] * 9 }

function miss(key, words,   parts) {
	split(key, parts, FS)
	missed[++missed_len] = parts[1] " (" parts[2] "): " words
	is_failed = is_failed || parts[2] == "default"
}

function judge_row(key, name,   ratio, is_large) {
	ratio = middle(key, name, "ratio")
	is_large = middle(key, name, "estimate") > 0.05
	if (!is_enough(held(key, name), key))
		miss(key, sprintf("%s: the interval held the truth in %d of %d runs", name, held(key, name), runs[key]))
	if (is_large && !is_enough(repeated(key, name), key) && steady(key, name) < steady_truth(key, name))
		miss(key, sprintf("%s: steady in %d of %d runs", name, repeated(key, name), runs[key]))
	if (name == "aborted" && middle(key, name, "truth") >= 0.001 && absolute(ratio - 1) > 0.25)
		miss(key, sprintf("aborted: %.2f times the truth in the median", ratio))
}

function print_row(key, name,   is_exact, r) {
	is_exact = 1
	for (r = 1; r <= runs[key]; r++)
		is_exact = is_exact && !has_interval[key, name, r]
	printf "  %-24s %7.2f%% %7.2f%% %7.2f %4d/%-3d", name, middle(key, name, "truth") * 100,
		middle(key, name, "estimate") * 100, middle(key, name, "ratio"), held(key, name), runs[key]
	printf " %8s %4d/%-3d %4d/%-3d\n", is_exact ? "none" : sprintf("%.1f%%", middle(key, name, "width") * 100),
		steady(key, name), runs[key], steady_truth(key, name), runs[key]
}

# The median of list[KEY, 1] to list[KEY, len].
function median_of(list, key, len,   i, copy) {
	for (i = 1; i <= len; i++)
		copy[i] = list[key, i]
	return len ? median(copy, len) : 0
}

function print_program(key,   i, parts) {
	split(key, parts, FS)
	printf "== %s (%s): %d runs, %.4f aborts per transaction, %.2f %% of the attached time at both ends of threads\n",
		parts[1], parts[2], runs[key], median_of(aborts, key, runs[key]), median_of(rest, key, runs[key]) * 100
	printf "  %-24s %8s %8s %7s %8s %8s %8s %8s\n", "", "truth", "report", "ratio", "held", "width", "steady", "itself"
	for (i = 1; i <= rows[key]; i++)
		if (is_shown(key, row_names[key, i])) {
			print_row(key, row_names[key, i])
			judge_row(key, row_names[key, i])
		}
}

function worst(key, is_of_held,   i, name, count, least) {
	least = runs[key]
	for (i = 1; i <= rows[key]; i++) {
		name = row_names[key, i]
		if (!is_shown(key, name))
			continue
		count = is_of_held ? held(key, name) : middle(key, name, "estimate") > 0.05 ? steady(key, name) : runs[key]
		least = count < least ? count : least
	}
	return least "/" runs[key]
}

function print_summary(key,   parts) {
	split(key, parts, FS)
	printf "%-24s %8s %8s %8.2f %8d", parts[1] " (" parts[2] ")", worst(key, 1), worst(key, 0),
		middle(key, "aborted", "ratio"), faults_of[key]
	if (stamps[parts[1]] && counted[parts[1]])
		printf " %8.2f %8.2f\n", median_of(speeds, parts[1], stamps[parts[1]]),
			median_of(more_aborts, parts[1], counted[parts[1]])
	else
		printf " %8s %8s\n", "-", "-"
}

# One row of the account in default mode, over all programs.
function print_row_of_all(name,   k, r, key, ratios, len, sums, widths, wide) {
	for (k = 1; k <= keys_len; k++) {
		key = keys[k]
		if (key !~ /default$/ || !((key, name) in row_is_known))
			continue
		ratios[++len] = middle(key, name, "ratio")
		sums["runs"] += runs[key]
		sums["held"] += held(key, name)
		if (middle(key, name, "estimate") > 0.05) {
			sums["large"] += runs[key]
			sums["steady"] += steady(key, name)
			sums["itself"] += steady_truth(key, name)
			for (r = 1; r <= runs[key]; r++)
				if (estimate[key, name, r] > 0)
					widths[++wide] = (high[key, name, r] - low[key, name, r]) / estimate[key, name, r]
		}
	}
	if (len)
		printf "%-24s %9s %9s %9s %8.2f %7.0f%%\n", name, sums["held"] "/" sums["runs"], sums["steady"] + 0 "/" sums["large"] + 0,
			sums["itself"] + 0 "/" sums["large"] + 0, median(ratios, len), (wide ? median(widths, wide) : 0) * 100
}

function print_rows(   i) {
	printf "\n%-24s %9s %9s %9s %8s %8s\n", "rows of all (default)", "held", "steady", "itself", "ratio", "width"
	for (i = 1; i <= 7; i++)
		print_row_of_all(row_names[keys[1], i])
}

END {
	for (k = 1; k <= keys_len; k++)
		print_program(keys[k])
	for (f = 1; f <= faults_len; f++) {
		split(fault_names[f], fault, FS)
		faults_of[fault[1] FS fault[2]] += faults[fault_names[f]]
		miss(fault[1] FS fault[2], fault[3] " (" faults[fault_names[f]] " times)")
	}
	printf "\n%-24s %8s %8s %8s %8s %8s %8s\n", "all", "held", "steady", "aborted", "faults", "speed", "aborts"
	for (k = 1; k <= keys_len; k++)
		print_summary(keys[k])
	print_rows()
	printf "\n%d requirements missed%s\n", missed_len, missed_len ? ":" : ""
	for (m = 1; m <= missed_len; m++)
		print "  " missed[m]
	exit is_failed
}
