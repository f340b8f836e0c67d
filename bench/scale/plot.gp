# SPDX-License-Identifier: MIT
#
# Draws the points of a table of bench/scale.sh on two logarithmic axes. bench/scale.sh sets: points (NAME<tab>N<tab>
# FIGURE), out (the picture), what (step or run).
set terminal svg size 1200,800
set output out
set datafile separator "\t"
set logscale xy
set key outside right
set xlabel "n"
set ylabel what eq "step" ? "ns of one step" : "seconds of the processor"
names = system("cut -f 1 '".points."' | uniq | sort -u | tr ' ' '~'")
plot for [name in names] sprintf("< tr ' ' '~' <'%s' | awk -F '\t' -v name='%s' '$1 == name'", points, name) \
	using 2:($3 > 0 ? $3 : NaN) with linespoints title system("echo '".name."' | tr '~' ' '")
