/* SPDX-License-Identifier: MIT
 * Where the program accesses addresses that conflicts were over, as far as the entries of libitm's programs tell. */
#ifndef ACCESSES_H
#define ACCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "records.h"

struct accesses;
struct accesses *accesses_create(const struct recording *recording);
void accesses_destroy(struct accesses **accesses);

/* The number of different addresses. */
size_t accesses_count(const struct accesses *accesses);

/* Which of these the address is, from 0 on; accesses_count(): none. */
size_t accesses_find(const struct accesses *accesses, uint64_t address);

/* Sets *sites to the sites of the barriers that accessed this address, in the order of the entries. Returns how many
 * there are. The caller has to look at the machine code: a site may be no barrier after all. Borrowed. Requires that
 * `number` is one of the addresses. */
size_t accesses_of(const struct accesses *accesses, size_t number, const uint32_t **sites);

#endif
