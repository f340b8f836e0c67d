/* SPDX-License-Identifier: MIT
 * In the place of page_bundle.c and page_bytes.S, in a command that was built without the page's program. */
#include "page.h"

struct page_bundle page_bundle(void)
{
	return (struct page_bundle){NULL, 0};
}
