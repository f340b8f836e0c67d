// SPDX-License-Identifier: MIT
//
// Asks Perfetto's own trace processor, built as WebAssembly, about a trace:
//
//     node trace_processor.js trace_processor.wasm TRACE SQL...
//
// prints the rows of each query, columns separated by tabs. Stands in for the C library that the module was linked
// with: it needs memory, a clock and a place for its complaints, and no files at all. Runs with node 18.

'use strict';

const fs = require('fs');

const BUFFER = 32 << 20;
const ENOSYS = 52, EBADF = 8;
const METHOD = {append: 1, finalize: 2, query: 3};
const FIELD = {stream: 1, sequence: 1, fatal: 5, request: 2, data: 101, query: 103, appended: 201, result: 203};

// ---- protocol buffers, as far as they are needed ----

function varint(value) {
	const bytes = [];
	let rest = BigInt(value);
	do {
		const low = Number(rest & 127n);
		rest >>= 7n;
		bytes.push(rest ? low | 128 : low);
	} while (rest);
	return Buffer.from(bytes);
}

const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => Buffer.concat([varint(field << 3 | 2), varint(value.length), value]);

function readVarint(from) {
	let value = 0n;
	for (let shift = 0n; ; shift += 7n) {
		const byte = from.buffer[from.at++];
		value |= BigInt(byte & 127) << shift;
		if (byte < 128)
			return BigInt.asIntN(64, value);
	}
}

// Each field of a message: [number, value], where value is a BigInt or the bytes.
function* fields(buffer) {
	const from = {buffer, at: 0};
	while (from.at < buffer.length) {
		const tag = Number(readVarint(from));
		if ((tag & 7) === 0) {
			yield [tag >> 3, readVarint(from)];
			continue;
		}
		const len = (tag & 7) === 2 ? Number(readVarint(from)) : (tag & 7) === 1 ? 8 : 4;
		yield [tag >> 3, buffer.subarray(from.at, from.at += len)];
	}
}

function* varints(buffer) {
	const from = {buffer, at: 0};
	while (from.at < buffer.length)
		yield readVarint(from);
}

const all = (buffer, field) => [...fields(buffer)].filter(([f]) => f === field).map(([, value]) => value);

// ---- the module ----

class Engine {
	constructor(path) {
		this.replies = [];
		this.sequence = 0;
		const module = new WebAssembly.Module(fs.readFileSync(path));
		const imports = {};
		for (const {module: space, name} of WebAssembly.Module.imports(module))
			(imports[space] = imports[space] || {})[name] = this.import(name);
		this.exports = new WebAssembly.Instance(module, imports).exports;
		this.exports.emscripten_stack_init();
		this.exports.__wasm_call_ctors();
		this.buffer = this.exports.trace_processor_rpc_init(this.callback(), BUFFER) >>> 0;
	}

	view() {
		return new DataView(this.exports.memory.buffer);
	}

	import(name) {
		const known = {
			emscripten_get_now: () => performance.now(),
			emscripten_date_now: () => Date.now(),
			emscripten_get_heap_max: () => 65536 * 65535,
			emscripten_resize_heap: size => this.grow(size >>> 0),
			clock_time_get: (clock, precision, to) => {
				this.view().setBigUint64(to, process.hrtime.bigint(), true);
				return 0;
			},
			environ_sizes_get: (count, size) => {
				this.view().setUint32(count, 0, true);
				this.view().setUint32(size, 0, true);
				return 0;
			},
			environ_get: () => 0,
			fd_write: (file, vectors, count, written) => this.write(vectors, count, written),
		};
		if (known[name])
			return known[name];
		if (/exit|abort|assert|throw/.test(name))
			return () => { throw new Error(`trace processor: ${name}`); };
		return () => name.startsWith('__syscall') ? -ENOSYS : name.startsWith('fd_') ? EBADF : 0;
	}

	grow(size) {
		const memory = this.exports.memory, more = size - memory.buffer.byteLength;
		try {
			memory.grow(Math.max(0, Math.ceil(more / 65536)));
			return 1;
		} catch (error) {
			return 0;
		}
	}

	write(vectors, count, written) {
		let total = 0;
		for (let i = 0; i < count; i++) {
			const at = this.view().getUint32(vectors + 8 * i, true), len = this.view().getUint32(vectors + 8 * i + 4, true);
			process.stderr.write(Buffer.from(this.exports.memory.buffer, at, len));
			total += len;
		}
		this.view().setUint32(written, total, true);
		return 0;
	}

	// A table holds only functions of modules: the smallest one that exports what it imports, (i32, i32) -> ().
	callback() {
		const module = new WebAssembly.Module(Uint8Array.from([
			0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 2, 0x7f, 0x7f, 0, 2, 7, 1, 1, 0x65, 1, 0x66, 0, 0,
			7, 5, 1, 1, 0x66, 0, 0]));
		const reply = (at, len) =>
			this.replies.push(Buffer.from(this.exports.memory.buffer.slice(at >>> 0, (at >>> 0) + len)));
		const table = this.exports.__indirect_function_table, index = table.grow(1);
		table.set(index, new WebAssembly.Instance(module, {e: {f: reply}}).exports.f);
		return index;
	}

	// The messages that come of it.
	call(method, ...args) {
		const message = Buffer.concat([number(FIELD.sequence, this.sequence++), number(FIELD.request, method), ...args]);
		const request = bytes(FIELD.stream, message);
		for (let at = 0; at < request.length; at += BUFFER) {
			const part = request.subarray(at, at + BUFFER);
			new Uint8Array(this.exports.memory.buffer).set(part, this.buffer);
			this.exports.trace_processor_on_rpc_request(part.length);
		}
		const replies = all(Buffer.concat(this.replies.splice(0)), FIELD.stream);
		for (const reply of replies)
			for (const fatal of all(reply, FIELD.fatal))
				throw new Error(fatal.toString());
		return replies;
	}

	load(trace) {
		for (let at = 0; at < trace.length; at += BUFFER / 2)
			for (const reply of this.call(METHOD.append, bytes(FIELD.data, trace.subarray(at, at + BUFFER / 2))))
				for (const result of all(reply, FIELD.appended))
					for (const error of all(result, 2))
						throw new Error(error.toString());
		this.call(METHOD.finalize);
	}

	query(sql) {
		const rows = [];
		let columns = 0;
		for (const reply of this.call(METHOD.query, bytes(FIELD.query, bytes(1, Buffer.from(sql)))))
			for (const result of all(reply, FIELD.result)) {
				for (const error of all(result, 2))
					throw new Error(`${error}: ${sql}`);
				columns = columns || all(result, 1).length;
				for (const batch of all(result, 3))
					rows.push(...cells(batch));
			}
		return Array.from({length: columns ? rows.length / columns : 0}, (_, i) =>
			rows.slice(i * columns, (i + 1) * columns));
	}
}

// Each cell of a batch says only its type; the values of each type come one after the other.
function cells(batch) {
	const of = field => Buffer.concat(all(batch, field));
	const integers = [...varints(of(2))], reals = of(3), blobs = all(batch, 4), texts = of(5).toString().split('\0');
	let real = 0;
	return [...varints(of(1))].map(type => {
		switch (Number(type)) {
		case 1: return 'NULL';
		case 2: return integers.shift().toString();
		case 3: return reals.readDoubleLE(8 * real++).toString();
		case 4: return texts.shift();
		case 5: return blobs.shift().toString('hex');
		default: throw new Error(`cell of type ${type}`);
		}
	});
}

const [wasm, trace, ...queries] = process.argv.slice(2);
const engine = new Engine(wasm);
engine.load(fs.readFileSync(trace));
for (const sql of queries)
	for (const row of engine.query(sql))
		process.stdout.write(row.join('\t') + '\n');
