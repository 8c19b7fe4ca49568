// The profile as the page holds it: typed arrays that refer to each other by
// index, as page_tables.h describes them.
import { Reader } from './bytes.js';

// Kinds of frames; INLINED is added to one of the others.
export const KERNEL = 1;
export const JIT = 2;
export const SPECIAL = 3;
export const INLINED = 4;

export function profileOf(bytes) {
	const reader = new Reader(bytes);
	const profile = { meta: JSON.parse(reader.text(reader.number())) };
	profile.verdicts = verdictsOf(reader.text(reader.number()));
	const texts = profile.texts = reader.texts();

	profile.functions = { name: reader.column(), module: reader.column() };
	profile.functions.count = profile.functions.name.length;
	profile.frames = { function: reader.column(), kind: reader.column() };
	profile.nodes = nodesOf(reader.column(), reader, profile);
	profile.containers = records(reader, texts, { name: 'text', id: 'text', runtime: 'text', path: 'text' });
	profile.processes = records(reader, texts, {
		comm: 'text', exe: 'text', user: 'text', pid: 'number', container: 'optional',
		accounted: 'number', cpu: 'wide', runqueue: 'wide', blocked: 'wide', threads: 'number',
	});
	profile.threads = records(reader, texts, { process: 'optional', tid: 'number', comm: 'text' });
	profile.states = Array.from(reader.column(), text => texts[text]);
	profile.rows = rowsOf(reader, profile);
	return profile;
}

// What `hostprof diff` says of functions, by function; of a comparison.
function verdictsOf(text) {
	const rows = text ? JSON.parse(text) : [];
	return new Map(rows.map(([called, change, low, high, q, verdict]) => [called, { change, low, high, q, verdict }]));
}

function records(reader, texts, fields) {
	const read = {
		text: () => Array.from(reader.column(), text => texts[text]),
		number: () => reader.column(),
		optional: () => reader.column(1),
		wide: () => reader.wide(),
	};
	const columns = Object.entries(fields).map(([name, kind]) => [name, read[kind]()]);
	return Array.from({ length: columns[0][1].length }, (_, i) =>
		Object.fromEntries(columns.map(([name, column]) => [name, column[i]])));
}

// Depths in preorder tell the parents; the same walk tells which nodes are the
// outermost of their function, so that totals count recursion once.
function nodesOf(depth, reader, profile) {
	const count = depth.length;
	const frame = framesOf(depth, reader.column(), reader.column(), profile.frames.kind.length);
	const parent = new Int32Array(count), outermost = new Uint8Array(count);
	const open = new Uint32Array(profile.functions.count);
	const path = [];
	for (let i = 0; i < count; i++) {
		while (path.length > depth[i]) open[profile.frames.function[frame[path.pop()]]]--;
		parent[i] = path.length ? path[path.length - 1] : -1;
		outermost[i] = open[profile.frames.function[frame[i]]]++ === 0 ? 1 : 0;
		path.push(i);
	}
	return { count, depth, frame, parent, outermost };
}

// The frames of nodes: each is the place among what its caller was seen to
// call before, 0 for the next of the new ones (page.c).
function framesOf(depth, place, added, frames) {
	const frame = new Uint32Array(depth.length);
	const callees = [], callers = [frames];
	let next = 0;
	for (let i = 0; i < frame.length; i++) {
		const caller = callers[depth[i]];
		let known = callees[caller];
		if (!known) known = callees[caller] = [];
		if (place[i]) frame[i] = known[place[i] - 1];
		else known.push(frame[i] = added[next++]);
		callers[depth[i] + 1] = frame[i];
	}
	return frame;
}

function rowsOf(reader, profile) {
	const rows = { node: reader.column() };
	const { node } = rows;
	for (let i = 1; i < node.length; i++) node[i] += node[i - 1];
	rows.count = node.length;
	rows.side = reader.column();
	rows.thread = reader.column(1);
	const containers = reader.column();
	rows.state = reader.column(1);
	rows.slice = reader.column();
	rows.samples = reader.wide();
	rows.values = profile.meta.value_types.map(() => reader.wide());
	rows.process = new Int32Array(rows.count);
	rows.container = new Int32Array(rows.count);
	for (let i = 0; i < rows.count; i++) {
		const process = rows.thread[i] < 0 ? -1 : profile.threads[rows.thread[i]].process;
		rows.process[i] = process;
		if (containers[i]) rows.container[i] = containers[i] - 2;
		else rows.container[i] = process < 0 ? -1 : profile.processes[process].container;
	}
	return rows;
}

// What a function is called, and where it is.
export function functionName(profile, index) {
	return profile.texts[profile.functions.name[index]];
}

export function moduleName(profile, index) {
	return profile.texts[profile.functions.module[index]];
}

const METRICS = {
	cpu: 'CPU time', wait: 'Waiting', runqueue: 'Run queue', wall: 'CPU and waiting', samples: 'Samples',
};

// The kinds of weight to choose from. "wall" adds up the kinds of time, where
// there are several, as the time of threads that were not idle.
export function metricsOf(profile) {
	const types = profile.meta.value_types;
	const list = types.map((type, index) => ({ key: type.type, unit: type.unit, parts: [index] }));
	const times = list.filter(metric => metric.unit === 'nanoseconds');
	if (times.length > 1 && !list.some(metric => metric.key === 'wall'))
		list.push({ key: 'wall', unit: 'nanoseconds', parts: times.flatMap(metric => metric.parts) });
	if (!list.some(metric => metric.key === 'samples'))
		list.push({ key: 'samples', unit: 'count', parts: [] });
	for (const metric of list) {
		metric.label = METRICS[metric.key] || metric.key;
		metric.weights = weightsOf(profile, metric.parts);
	}
	return list;
}

function weightsOf(profile, parts) {
	if (parts.length === 0) return profile.rows.samples;
	if (parts.length === 1) return profile.rows.values[parts[0]];
	const sum = new Float64Array(profile.rows.count);
	for (const part of parts) profile.rows.values[part].forEach((value, i) => { sum[i] += value; });
	return sum;
}
