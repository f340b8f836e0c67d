#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Links between the pages of the tree lead to files and headings that exist, and the README links each page of docs/.
# First, a made-up tree shows that links.py reports each kind of fault, and no link that is right.

. "$(dirname "$0")/house.inc"

mkdir -p "$tmp/tree/docs" "$tmp/tree/build"
python=$PWD/tests/house/links.py

# finds STATUS WORDS TEXT: links.py says the words of a tree whose README has the TEXT.
finds() {
	printf '%b\n' "$3" >"$tmp/tree/README.md"
	wants "$1" "$2" sh -c "cd '$tmp/tree' && python3 '$python'"
}

printf '# A page: of "it"\n\n[up](../README.md#top)\n' >"$tmp/tree/docs/page.md"
printf '[nowhere](gone.md)\n' >"$tmp/tree/build/built.md"
right='# Top\n[a page](docs/page.md#a-page-of-it), [there](https://localhost/), [here](#top)'
finds 0 " 0 faults" "$right"
finds 0 " 0 faults" "$right\n\`[code](gone.md)\`\n\n    [code](gone.md)\n\n\`\`\`\n[code](gone.md)\n\`\`\`"
finds 1 "README.md:3: no file docs/gone.md" "$right\n[gone](docs/gone.md)"
finds 1 "README.md:3: no file docs/gone.md" "$right\n[a link in\ntwo lines](docs/gone.md)"
finds 1 "README.md:3: no heading #gone in docs/page.md" "$right\n[gone](docs/page.md#gone)"
finds 1 "README.md:3: no heading #gone in README.md" "$right\n[gone](#gone)"
finds 1 "docs/page.md:3: no heading #top in docs/../README.md" '# Bottom\n[a page](docs/page.md)'
finds 1 "README.md does not link docs/page.md" '# Top'

python3 "$python"
