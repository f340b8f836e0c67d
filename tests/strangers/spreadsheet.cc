/* SPDX-License-Identifier: MIT
 *
 * A spreadsheet whose users type values, and formulas that refer to another cell. A formula must not refer to itself
 * through other cells. The check for this looks at every cell of the sheet; fixed, it follows the references of the new
 * formula only.
 */
#include "crew.h"

#include <map>
#include <string>
#include <vector>

namespace
{

constexpr int Columns = 26, Rows = 100, Cells = Columns * Rows, Depth = 8;

struct Cell {
	alignas(64) double value;
	int refers_to; /* -1: a value */
	int level;     /* of how many references the value is the end */
};

std::vector<Cell> sheet(Cells);
std::map<std::string, int> names; /* of cells; all are known before the users come */

TM_SAFE bool would_be_a_circle(const Cell *cells, int cell, int target)
{
#ifndef FIXED
	int referring = 0;
	for (int i = 0; i < Cells; i++)
		referring += cells[i].refers_to == cell;
	if (referring == 0)
		return false;
#endif
	for (int i = 0; i < Depth && target >= 0; i++) {
		if (target == cell)
			return true;
		target = cells[target].refers_to;
	}
	return target >= 0;
}

NOINLINE bool set_formula(int cell, int target)
{
	Cell *cells = sheet.data();
	bool is_valid;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		is_valid = !would_be_a_circle(cells, cell, target);
		if (is_valid) {
			cells[cell].refers_to = target;
			cells[cell].value = cells[target].value;
			cells[cell].level = cells[target].level + 1;
		}
		stamp_last();
	}
	stamp_after();
	return is_valid;
}

NOINLINE void set_value(int cell, double value)
{
	Cell *changed = &sheet[cell];
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		changed->refers_to = -1;
		changed->level = 0;
		changed->value = value;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

int any_cell(member *me)
{
	std::string name(1, static_cast<char>('A' + member_random(me, Columns)));
	name += std::to_string(1 + member_random(me, Rows));
	return names.at(name);
}

void type(member *me)
{
	while (is_open()) {
		int cell = any_cell(me);
		if (member_random(me, 10) == 0)
			set_formula(cell, any_cell(me));
		else
			set_value(cell, static_cast<double>(member_random(me, 1000)));
		idle(10000);
	}
}

} // namespace

int main(int argc, char **argv)
{
	for (int i = 0; i < Cells; i++) {
		sheet[i].refers_to = -1;
		names[std::string(1, static_cast<char>('A' + i % Columns)) + std::to_string(1 + i / Columns)] = i;
	}
	return crew_run(argc, argv, crew_twice(), type);
}
