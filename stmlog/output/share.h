/* SPDX-License-Identifier: MIT
 *
 * Divides the rows of the account among the entries. If transactions were timed (stmlog_timed()), they tell the rows,
 * and the time that the transactions of each site have lost. The transactions that were measured closely lose less,
 * because looking into a conflict takes longer than many conflicts last. But only they tell the causes. So an entry
 * gets
 *
 *   its share of what the closely measured transactions of its site have lost to the row,
 *   of the time that the timed transactions of the site have lost to it.
 *
 * If a site has too few timed losses, its entries get a share of the losses of all sites together. The estimates of the
 * entries of a row, and of the evicted ones, add up to the row at most.
 */
#ifndef STMLOG_SHARE_H
#define STMLOG_SHARE_H

#include "gather.h"
#include "spent.h"

/* Replaces the estimates of all->log. If no transaction was timed, they are only cut to fit into the rows. Returns 0,
 * or -ENOMEM. */
int share_rows(struct gathered *all, const struct spent *spent);

#endif
