// SPDX-License-Identifier: MIT
// The scale of the timeline: from times to pixels and back.

/** Maps the times from `from` to `to` to the pixels from 0 to `width`. */
export function scaleOf(from, to, width) {
	const x = (time) => (to > from ? (time - from) / (to - from) : 0.5) * width;
	x.domain = () => [from, to];
	x.invert = (at) => from + at / width * (to - from);
	return x;
}

/** Round times between `from` and `to`, about `count` of them: multiples of 1, 2 or 5 times a power of ten. */
export function ticksOf(from, to, count) {
	const rough = (to - from) / count, power = 10 ** Math.floor(Math.log10(rough)), rest = rough / power;
	const step = power * (rest >= Math.sqrt(50) ? 10 : rest >= Math.sqrt(10) ? 5 : rest >= Math.sqrt(2) ? 2 : 1);
	const first = Math.ceil(from / step), last = Math.floor(to / step);
	return rough > 0 ? Array.from({ length: Math.max(0, last - first + 1) }, (none, i) => (first + i) * step) : [];
}
