/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "export.h"
#include "picture.h"

void export_graph(const struct export *export)
{
	REQUIRES(export->work != NULL);
	bool is_wide_given = (export->view.said & EXPORT_WIDTH) != 0;
	struct picture picture =
		picture_of(export->recording, export->work, is_wide_given ? (double)export->view.width : PICTURE_WIDTH);
	picture_write(&picture, export->out);
	picture_fini(&picture);
}
