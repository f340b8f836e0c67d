/* SPDX-License-Identifier: MIT
 * Debug information cannot be searched by the address of a variable. At the first look-up in a module its variables are
 * sorted. */
#include "variables.h"

#include <dwarf.h>
#include <stdlib.h>

#include "memory.h"
#include "sort.h"
#include "unit.h"

/* A limit for blocks within blocks, and so on, in damaged files. */
enum { DEPTH_MAX = 64 };

struct variable {
	uint64_t address;
	Dwarf_Die die;
};

/* Invariant: variables ascend by their addresses. */
struct index {
	struct index *next;
	Dwfl_Module *module;
	struct variable *at;
	size_t len, cap;
};

struct variables {
	struct index *first;
};

struct variables *variables_create(void)
{
	return memory_zeroed(1, sizeof(struct variables));
}

void variables_destroy(struct variables **variables)
{
	struct index *next;
	if (*variables == NULL)
		return;
	for (struct index *index = (*variables)->first; index != NULL; index = next) {
		next = index->next;
		free(index->at);
		free(index);
	}
	free(*variables);
	*variables = NULL;
}

/* ---- the variables of a module ---- */

/* The address by a location that is nothing but an address. */
static bool address_of(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Attribute location, operand;
	Dwarf_Op *operations;
	Dwarf_Addr found;
	size_t len;
	if (dwarf_getlocation(dwarf_attr(die, DW_AT_location, &location), &operations, &len) != 0 || len != 1)
		return false;
	if (operations[0].atom == DW_OP_addr) {
		*address = operations[0].number;
		return true;
	}
	bool is_index = operations[0].atom == DW_OP_addrx || operations[0].atom == DW_OP_GNU_addr_index;
	if (!is_index || dwarf_getlocation_attr(&location, &operations[0], &operand) != 0 ||
		dwarf_formaddr(&operand, &found) != 0)
		return false;
	*address = found;
	return true;
}

static void add(struct index *index, Dwarf_Die *die, uint64_t bias)
{
	uint64_t address;
	if (!address_of(die, &address))
		return;
	index->at = memory_grown(index->at, index->len, &index->cap, sizeof *index->at);
	index->at[index->len++] = (struct variable){address + bias, *die};
}

static bool may_have_variables(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

static void add_children(struct index *index, Dwarf_Die *parent, uint64_t bias, int depth)
{
	Dwarf_Die child;
	if (depth == DEPTH_MAX || dwarf_child(parent, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_variable)
			add(index, &child, bias);
		else if (may_have_variables(tag))
			add_children(index, &child, bias, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int by_address(const void *a, const void *b)
{
	const struct variable *left = a, *right = b;
	return (left->address > right->address) - (left->address < right->address);
}

static struct index *make_index(Dwfl_Module *module)
{
	struct index *index = memory_zeroed(1, sizeof *index);
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = NULL;
	index->module = module;
	while ((unit = dwfl_module_nextcu(module, unit, &bias)) != NULL) {
		Dwarf_Die whole = unit_whole(unit);
		add_children(index, &whole, bias, 0);
	}
	if (index->len > 0)
		qsort(index->at, index->len, sizeof *index->at, by_address);
	return index;
}

/* ---- lookup ---- */

static const struct index *index_of(struct variables *variables, Dwfl_Module *module)
{
	struct index *index = variables->first;
	while (index != NULL && index->module != module)
		index = index->next;
	if (index != NULL)
		return index;
	index = make_index(module);
	index->next = variables->first;
	variables->first = index;
	return index;
}

static uint64_t address_at(const void *variables, size_t i)
{
	return ((const struct variable *)variables)[i].address;
}

bool variables_type(struct variables *variables, Dwfl_Module *module, uint64_t address, Dwarf_Die *type)
{
	const struct index *index = index_of(variables, module);
	size_t up_to = bisect(index->at, index->len, address, address_at);
	if (up_to == 0 || index->at[up_to - 1].address != address)
		return false;
	Dwarf_Attribute attribute;
	Dwarf_Die die = index->at[up_to - 1].die;
	return dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), type) != NULL;
}
