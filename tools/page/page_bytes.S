/* SPDX-License-Identifier: MIT
 * The bytes of page_bundle(): the page's program, as tools/page/web/build.mjs has made it. */
	.section .rodata
	.globl page_bundle_begin, page_bundle_end
	.hidden page_bundle_begin, page_bundle_end
page_bundle_begin:
	.incbin "page.html"
page_bundle_end:
	.byte 0
	.section .note.GNU-stack,"",%progbits
