/* SPDX-License-Identifier: MIT
 * Debug information cannot be searched by the address of a variable. At the first look-up in a module its variables are
 * sorted. For a member, the type is followed from the outside to the inside: at each step the member or element that
 * has the offset. */
#include "variables.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inlining.h"
#include "memory.h"
#include "sort.h"

/* Limits for damaged files: blocks within blocks, or structures within structures; a type's dimensions. */
enum { DEPTH_MAX = 64, DIMENSIONS_MAX = 8 };

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

static void add_variable(struct index *index, Dwarf_Die *die, uint64_t bias)
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
			add_variable(index, &child, bias);
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

/* ---- members ---- */

static uint64_t size_of(Dwarf_Die *die)
{
	Dwarf_Word size;
	return dwarf_aggregate_size(die, &size) == 0 ? size : 0;
}

/* Without typedefs and qualifiers. False: there is no type. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die named;
	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &named) != NULL &&
	       dwarf_peel_type(&named, type) == 0;
}

static bool variables_number_of(Dwarf_Die *die, unsigned name, uint64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) != 0)
		return false;
	*number = value;
	return true;
}

/* Without the last part of the path if only the C++ library knows its name: "seats[1]", not "seats._M_elems[1]". */
static size_t readable_len(const char *path)
{
	const char *last = strrchr(path, '.');
	bool is_reserved = last != NULL && (strncmp(last, "._M_", 4) == 0 || strncmp(last, ".__", 3) == 0);
	return is_reserved && strchr(last, '[') == NULL ? (size_t)(last - path) : strlen(path);
}

/* Frees the text. */
static void member_append(struct member *member, char *more)
{
	char *path = memory_format("%.*s%s", (int)readable_len(member->path), member->path, more);
	free(member->path);
	free(more);
	member->path = path;
}

/* ---- elements of arrays ---- */

/* The counts of the elements, dimension by dimension; 0: not known. Returns how many dimensions there are. */
static size_t dimensions_of(Dwarf_Die *array, uint64_t counts[DIMENSIONS_MAX])
{
	size_t len = 0;
	Dwarf_Die child;
	if (dwarf_child(array, &child) != 0)
		return 0;
	do {
		uint64_t bound;
		if (dwarf_tag(&child) != DW_TAG_subrange_type || len == DIMENSIONS_MAX)
			continue;
		counts[len] = 0;
		if (!variables_number_of(&child, DW_AT_count, &counts[len]) &&
			variables_number_of(&child, DW_AT_upper_bound, &bound))
			counts[len] = bound + 1;
		len++;
	} while (dwarf_siblingof(&child, &child) == 0);
	return len;
}

/* Goes on to the element. The first dimension need not be known: the last member of a structure may have any number of
 * elements. Returns false if there is none. */
static bool enter_array(Dwarf_Die *type, struct member *member)
{
	uint64_t counts[DIMENSIONS_MAX];
	Dwarf_Die element;
	size_t len = dimensions_of(type, counts);
	uint64_t size = type_of(type, &element) ? size_of(&element) : 0;
	for (size_t i = 1; i < len; i++)
		size *= counts[i];
	if (len == 0 || size == 0 || (counts[0] != 0 && member->rest / size >= counts[0]))
		return false;
	for (size_t i = 0; i < len; i++) {
		member_append(member, memory_format("[%" PRIu64 "]", member->rest / size));
		member->rest %= size;
		size /= i + 1 < len ? counts[i + 1] : 1;
	}
	member->size = size;
	*type = element;
	return true;
}

/* ---- members of structures ---- */

/* The bytes that a member or a base class has; a bit-field has those that its bits are in. */
struct extent {
	uint64_t begin, size; /* size 0: up to the end */
};

/* The first bit of a bit-field. With DW_AT_bit_offset, clang counts the bits behind the field, up to the end
 * of the bytes that the type would have. */
static bool first_bit(Dwarf_Die *part, uint64_t bits, uint64_t *bit)
{
	uint64_t bytes, at, from_end;
	if (variables_number_of(part, DW_AT_data_bit_offset, bit))
		return true;
	if (!variables_number_of(part, DW_AT_bit_offset, &from_end) ||
		!variables_number_of(part, DW_AT_byte_size, &bytes) ||
		!variables_number_of(part, DW_AT_data_member_location, &at) || from_end + bits > bytes * 8)
		return false;
	*bit = (at + bytes) * 8 - from_end - bits;
	return true;
}

/* False: it has no place that is known, as static members and virtual base classes. */
static bool extent_of(Dwarf_Die *part, bool is_union, struct extent *extent)
{
	Dwarf_Die type;
	uint64_t bit, bits;
	bool has_bits = variables_number_of(part, DW_AT_bit_size, &bits) && first_bit(part, bits, &bit);
	*extent = (struct extent){0, type_of(part, &type) ? size_of(&type) : 0};
	if (dwarf_hasattr(part, DW_AT_external))
		return false;
	if (has_bits) {
		*extent = (struct extent){bit / 8, (bit + bits + 7) / 8 - bit / 8};
		return bits > 0;
	}
	return variables_number_of(part, DW_AT_data_member_location, &extent->begin) || is_union;
}

static bool is_within(const struct extent *extent, uint64_t offset)
{
	return offset >= extent->begin && (extent->size == 0 || offset - extent->begin < extent->size);
}

/* The first child with this tag that has the offset. Sets *extent to the bytes that the child has. */
static bool find_part(Dwarf_Die *type, int tag, uint64_t offset, Dwarf_Die *found, struct extent *extent)
{
	bool is_union = dwarf_tag(type) == DW_TAG_union_type;
	if (dwarf_child(type, found) != 0)
		return false;
	do {
		if (dwarf_tag(found) == tag && extent_of(found, is_union, extent) && is_within(extent, offset))
			return true;
	} while (dwarf_siblingof(found, found) == 0);
	return false;
}

/* Goes on to the member, or the base class. An empty base class may lie where a member does, so members come first.
 * Returns false if there is none. */
static bool enter_structure(Dwarf_Die *type, struct member *member)
{
	Dwarf_Die part;
	struct extent extent;
	bool is_member = find_part(type, DW_TAG_member, member->rest, &part, &extent);
	if (!is_member && !find_part(type, DW_TAG_inheritance, member->rest, &part, &extent))
		return false;
	const char *name = is_member ? dwarf_diename(&part) : NULL;
	if (name != NULL)
		member_append(member, memory_format(".%s", name));
	member->rest -= extent.begin;
	if (name != NULL)
		member->size = extent.size;
	return type_of(&part, type);
}

static bool enter(Dwarf_Die *type, struct member *member)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_array_type:
		return enter_array(type, member);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return enter_structure(type, member);
	default:
		return false;
	}
}

struct member member_at(const Dwarf_Die *type, uint64_t offset)
{
	Dwarf_Die at = *type;
	struct member member = {.path = memory_text(""), .rest = offset};
	if (dwarf_peel_type(&at, &at) != 0)
		return member;
	member.size = size_of(&at);
	for (int depth = 0; depth < DEPTH_MAX && enter(&at, &member); depth++)
		continue;
	member.type = at;
	return member;
}
