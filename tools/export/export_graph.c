/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "export.h"
#include "picture.h"

void export_graph(const struct export *export)
{
	REQUIRES(export->work != NULL);
	struct picture picture = picture_of(export->recording, export->work);
	picture_write(&picture, export->out);
	picture_fini(&picture);
}
