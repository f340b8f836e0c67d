/* SPDX-License-Identifier: MIT
 * Runs the C++ of runtimes/README.md: an exception ends a transaction.
 *
 * report: user-abort, none, EXCEPTION
 * report: where .*scopes.cc:[0-9]+ +main
 */
#include <stmlog/stmlog.hpp>

#include "scopes.h"

/* With an argument no profiler is opened. */
int main(int argc, char **)
{
	if (argc == 1 && stmlog_open(nullptr) != 0)
		return 1;
	stmlog::attachment thread;
	for (int round = 0; round < 2; round++) {
		try {
			in_transaction(thread, TB_HERE(), [round] {
				if (round == 0)
					throw round;
			});
		} catch (int) {
		}
	}
	return 0;
}
