/* SPDX-License-Identifier: MIT */
#include "holder.h"

volatile AO_t itm_holder;

void itm_holder_name(
	struct tb_stack *stack, uint32_t holder, uintptr_t site, enum stmlog_grade grade, struct stmlog_loss *loss)
{
	struct tb_site place = tb_site_make(TB_CODE_ADDRESS, site);
	if (holder == 0 || site == 0)
		return;
	loss->remote = tb_build(stack, &place, 1, TB_EMPTY);
	loss->remote_thread = holder;
	loss->grade = grade;
}
