# SPDX-License-Identifier: MIT
#
# Compares tests/helpers/statistics with scipy on random samples, most of which have ties. Results that scipy does not
# have are computed here in another way: exact p with ties, if samples are too large for scipy to try all permutations,
# from a table of all sums as whole numbers; and Holm's p by the steps of his paper.
import collections
import math
import random
import subprocess
import sys

from scipy import stats

MOST_EXACT = 40
MOST_PERMUTED = 9


def tied_p(first, second):
    """Of all ways to choose len(first) of the values, the share of those at least as far from the mean."""
    ranks = [int(2 * rank) for rank in stats.rankdata(first + second)]
    sums = [collections.Counter() for _ in range(len(first) + 1)]
    sums[0][0] = 1
    for rank in ranks:
        for k in range(len(first), 0, -1):
            for total, ways in list(sums[k - 1].items()):
                sums[k][total + rank] += ways
    mean = len(first) * (len(ranks) + 1)
    far = abs(sum(ranks[:len(first)]) - mean)
    ways = sum(ways for total, ways in sums[-1].items() if abs(total - mean) >= far)
    return ways / math.comb(len(ranks), len(first))


def permuted_p(first, second):
    ranks = stats.rankdata(first + second)
    mean = len(first) * (len(ranks) + 1) / 2
    result = stats.permutation_test((ranks[:len(first)], ranks[len(first):]), lambda one, other: abs(sum(one) - mean),
                                    alternative="greater", n_resamples=math.inf, vectorized=False)
    return result.pvalue


def u_of(first, second):
    has_ties = len(set(first + second)) < len(first + second)
    is_exact = len(first + second) <= MOST_EXACT
    if len(set(first + second)) == 1:
        return [len(first) * len(second) / 2, 1, is_exact]
    method = "exact" if is_exact and not has_ties else "asymptotic"
    u, p = stats.mannwhitneyu(first, second, alternative="two-sided", method=method)
    if is_exact and has_ties:
        p = tied_p(first, second)
        if 4 <= len(first + second) <= MOST_PERMUTED and min(len(first), len(second)) > 1:
            assert abs(p - permuted_p(first, second)) < 1e-9, f"{first} {second}: two p"
    return [u, p, is_exact]


def median_of(sample):
    values, n = sorted(sample), len(sample)
    k = max(int(stats.binom.ppf(0.025, n, 0.5)), 1)
    while k > 1 and 2 * stats.binom.cdf(k - 1, n, 0.5) > 0.05:
        k -= 1
    while 2 * (k + 1) <= n and 2 * stats.binom.cdf(k, n, 0.5) <= 0.05:
        k += 1
    return [(values[(n - 1) // 2] + values[n // 2]) / 2, values[k - 1], values[n - k],
            1 - 2 * stats.binom.cdf(k - 1, n, 0.5)]


def holm_of(p, weights):
    """An adjusted p is the least alpha at which Holm's steps get as far: the largest of what the steps so far take."""
    order = [q / weight for q, weight in zip(p, weights)]
    return [min(1, max(sum(w for w, other in zip(weights, order) if other >= q) * q for q in order if q <= one))
            for one in order]


def samples(count):
    for i in range(count):
        most = (8, 20, 100, 100)[i % 4]
        # A few different values: ties; many: none, or hardly any.
        kinds = random.choice((2, 5, 20, 10 ** 9))
        shift = random.choice((0, 0, kinds // 4))
        yield ([random.randrange(kinds) / 4 for _ in range(random.randint(1, most))],
               [(random.randrange(kinds) + shift) / 4 for _ in range(random.randint(1, most))])


def main(helper, count):
    random.seed(7)
    asked = []
    for first, second in samples(count):
        asked.append(("u", f"{' '.join(map(repr, first))} / {' '.join(map(repr, second))}", u_of(first, second)))
        asked.append(("median", " ".join(map(repr, first)), median_of(first)))
        p = [random.choice((random.random(), random.randrange(20) / 1000)) for _ in first]
        weights = [random.choice((1, random.uniform(0.001, 9))) for _ in p]
        asked.append(("holm", f"{' '.join(map(repr, p))} / {' '.join(map(repr, weights))}", holm_of(p, weights)))
    text = "".join(f"{what} {words}\n" for what, words, _ in asked)
    told = subprocess.run([helper], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(told) == len(asked), f"{len(told)} answers to {len(asked)} questions"
    for (what, words, expected), line in zip(asked, told):
        found = [float(word) for word in line.split()]
        if len(found) != len(expected) or any(abs(a - b) > 1e-9 for a, b in zip(found, expected)):
            sys.exit(f"{what} {words}: expected {expected}, found {found}")
    kinds = collections.Counter()
    for what, words, expected in asked:
        if what == "u":
            values = words.replace("/ ", "").split()
            kinds["exact" if expected[2] else "normal", "ties" if len(set(values)) < len(values) else "none"] += 1
    for (method, ties), found in sorted(kinds.items()):
        print(f"{method} with ties: {ties == 'ties'}: {found}")


main(sys.argv[1], int(sys.argv[2]))
