/* SPDX-License-Identifier: MIT
 * The page's program, in a command that was built with it. */
#include "page.h"

/* page_bytes.S */
extern const char page_bundle_begin[], page_bundle_end[];

struct page_bundle page_bundle(void)
{
	return (struct page_bundle){page_bundle_begin, (size_t)(page_bundle_end - page_bundle_begin)};
}
