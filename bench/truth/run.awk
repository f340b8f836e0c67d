# SPDX-License-Identifier: MIT
#
# One run of a stamped program: what it printed, and the report of the same run as JSON, in this order. Prints fields
# with tabs between them:
#   row PROGRAM MODE RUN NAME TRUTH ESTIMATE LOW HIGH SLACK ATTACHED
#                 In nanoseconds; LOW is "-" if there is no interval. NAME "lost" is the headline.
#                 The same for a site: NAME is "aborted in FUNCTION", or "paused in FUNCTION"; the report's are sums of
#                 its entries with FUNCTION in their traceback, and the interval reaches from the sum of their lowest
#                 to that of their highest figures
#   run PROGRAM MODE RUN COMMITS ATTEMPTS CANCELS REST                 REST: see below
#   fault PROGRAM MODE RUN WORDS                                       a figure of the report that cannot be
# Of a program that does not tell its attached time, only the rows that it tells are printed.
# A thread is attached some time before its first stamp and some time after its last one. It does not transact then,
# except for one transaction at its beginning. This time, REST, is added to the truth of row "outside".
# usage: awk -f run.awk -v program=NAME -v mode=NAME -v run=N OUT JSON

BEGIN {
	OFS = "\t"
	OFMT = "%.0f" # mawk prints whole numbers from 2^31 on as it prints others
	rows = split("committed aborted paused waiting outside descheduled other", row_names, " ")
	truths = 6 # the stamps know nothing of row "other", the profiler's and libitm's own work
	boundary_ns = 10
}

# The number behind "name" in text; "" if it is not there.
function number(text, name) {
	if (!match(text, "\"" name "\": -?[0-9][0-9.e+-]*"))
		return ""
	text = substr(text, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
	return text + 0
}

function fault(words) {
	print "fault", program, mode, run, words
}

# Numbers in JSON are rounded to whole nanoseconds.
function exceeds(part, whole) {
	return part > whole * (1 + 1e-9) + 100
}

# An account's rows: `whose` is for messages.
function check_account(text, whose,   i, name, sum, attached, value, low, high) {
	attached = number(text, "attached_ns")
	sum = number(text, "open_ns")
	for (i = 1; i <= rows; i++) {
		name = row_names[i]
		value = number(text, name "_ns") + 0
		sum += value
		low = number(text, name "_low_ns")
		high = number(text, name "_high_ns")
		if (value < 0)
			fault(name " of " whose " is negative")
		if (low != "" && exceeds(low, value) || high != "" && exceeds(value, high))
			fault(name " of " whose " is not in its interval")
		if (exceeds(value, attached) || high != "" && exceeds(high, attached))
			fault(name " of " whose " exceeds the attached time")
	}
	if (exceeds(sum, attached))
		fault("the rows of " whose " exceed the attached time")
	else if (exceeds(attached, sum))
		fault("the rows of " whose " do not add up to the attached time")
}

# The row of the account that an entry is part of.
function row_of(reason) {
	return reason == "pause" ? "paused" : reason == "wait" ? "waiting" : "aborted"
}

function check_entry(text,   i, reason, lost) {
	match(text, /"reason": "[a-z-]*"/)
	reason = substr(text, RSTART + 11, RLENGTH - 12)
	lost = number(text, "lost_ns")
	if (exceeds(number(text, "lost_low_ns"), lost) || exceeds(lost, number(text, "lost_high_ns")))
		fault("an entry's loss is not in its interval")
	of_entries[row_of(reason)] += lost
	sub(/"remote": .*/, "", text)
	for (i = 1; i <= sites; i++)
		if (index(text, "\"function\": \"" site_names[i] "\""))
			add_to_site(row_of(reason) " in " site_names[i], text)
}

function add_to_site(name, text) {
	of_site[name] += number(text, "lost_ns")
	low_of_site[name] += number(text, "lost_low_ns")
	high_of_site[name] += number(text, "lost_high_ns")
}

function check_parts(   row) {
	for (row in of_entries)
		if (exceeds(of_entries[row], number(totals, row "_ns")))
			fault("the entries of row " row " exceed it")
}

# How far the program's stamps and the profiler may differ in a row although both are right. Neither knows where between
# their two readings of the clock a transaction or an attempt begins or ends: boundary_ns for each. The stamps do not
# look for a time off the processor that is shorter than 50 us; and the clocks have their own errors. A thread's first
# transaction, before its first stamp, is committed time of the report only.
function slack_of(name,   times, first) {
	times = first = 0
	if (name == "aborted")
		times = truth["attempts"] - truth["commits"]
	else if (name == "committed" || name == "outside")
		times = 2 * (truth["commits"] + truth["cancels"])
	if (name == "committed")
		first = truth["first_busy"]
	return first + boundary_ns * times + truth[name "_ns"] / 100 + (attached - truth["descheduled_ns"]) / 2000
}

# The slack is that of the whole row, since the stamps do not tell how often a site aborts.
function print_site(row, function_name, true_ns,   name, slack) {
	name = row " in " function_name
	slack = slack_of(row) - truth[row "_ns"] / 100 + true_ns / 100
	print "row", program, mode, run, name, true_ns, of_site[name] + 0, low_of_site[name] + 0, high_of_site[name] + 0,
		slack, attached
}

# When an attempt fails, the agent looks where: that is the profiler's own time, "other", and to the program is aborted.
function number_with_other(name, end) {
	return number(totals, name end) + (name == "aborted" ? number(totals, "other" end) : 0)
}

function print_row(name,   estimate, low, high) {
	estimate = number_with_other(name, "_ns")
	low = number(totals, name "_low_ns") == "" ? "" : number_with_other(name, "_low_ns")
	high = number(totals, name "_high_ns") == "" ? "" : number_with_other(name, "_high_ns")
	if (estimate == "")
		estimate = 0
	if (low == "" || high == "")
		low = high = "-"
	print "row", program, mode, run, name, truth[name "_ns"] + 0, estimate, low, high, slack_of(name), attached
}

# The headline: all lost time.
function print_lost(   true_ns, slack) {
	true_ns = truth["aborted_ns"] + truth["paused_ns"] + truth["waiting_ns"]
	slack = slack_of("aborted") + slack_of("paused") + slack_of("waiting")
	print "row", program, mode, run, "lost", true_ns, number(lost, "lost_ns") + number(totals, "other_ns"),
		number(lost, "lost_low_ns") + number(totals, "other_low_ns"),
		number(lost, "lost_high_ns") + number(totals, "other_high_ns"), slack, attached
}

FILENAME != json_file && $1 == "truth_site" {
	site_names[++sites] = $2
	site_aborted[sites] = $3
	site_paused[sites] = $4
	next
}
FILENAME != json_file && /^truth_/ { truth[substr($1, 7)] = $2; is_known[substr($1, 7)] = 1 }
FILENAME != json_file && $1 == "checksum" { checksum = $2 }
FILENAME != json_file { next }
/^ "/ { section = $1 }
section == "\"threads\":" && /^  \{"id"/ {
	sub(/"measured": .*/, "")
	check_account($0, "a thread")
}
section == "\"totals\":" && totals == "" {
	totals = lost = $0
	sub(/"measured": .*/, "", totals)
	sub(/.*"lost": [{]"count"/, "", lost)
}
section == "\"entries\":" && /^  \{"reason"/ { check_entry($0) }

END {
	if (!is_known["aborted_ns"] && !is_known["attached_ns"] || totals == "" || checksum != "ok") {
		print "truth.sh: " program ": no truth, no report, or a wrong checksum" >"/dev/stderr"
		exit 1
	}
	attached = number(totals, "attached_ns")
	rest = is_known["attached_ns"] ? attached - truth["attached_ns"] : 0
	truth["outside_ns"] += rest
	check_account(totals, "all threads")
	check_parts()
	for (i = 1; i <= truths; i++)
		if (is_known["attached_ns"] || is_known[row_names[i] "_ns"])
			print_row(row_names[i])
	if (is_known["attached_ns"])
		print_lost()
	for (i = 1; i <= sites; i++) {
		print_site("aborted", site_names[i], site_aborted[i])
		print_site("paused", site_names[i], site_paused[i])
	}
	print "run", program, mode, run, truth["commits"], truth["attempts"], truth["cancels"], sprintf("%.6g", rest / attached)
}
