// Functions with their self and total weight, and how far these can be
// trusted. Self is the weight of stacks that end in the function, total of
// those that pass through it, each counted once.
import { intervalOf } from './interval.js';

// By side, sums for all functions: self, total and self by samples.
export function functionSums(selection) {
	const { profile, metric } = selection;
	return profile.meta.sides.map((_, side) => {
		const sums = { self: zeroes(profile), total: zeroes(profile), samples: zeroes(profile) };
		const node = sumNodes(selection, side, metric.weights, () => true);
		spread(profile, node, sums.self, sums.total);
		spread(profile, sumNodes(selection, side, profile.rows.samples, () => true), zeroes(profile), sums.samples);
		return sums;
	});
}

function zeroes(profile) {
	return new Float64Array(profile.functions.count);
}

function sumNodes(selection, side, weights, takes) {
	const { rows, nodes } = selection.profile;
	const sum = new Float64Array(nodes.count + 1);
	for (const row of selection.taken)
		if (rows.side[row] === side && takes(row)) sum[rows.node[row]] += weights[row];
	return sum;
}

// From what nodes weigh themselves to self and total of their functions.
function spread(profile, sum, self, total) {
	const { count, frame, parent, outermost } = profile.nodes;
	const functions = profile.frames.function;
	for (let i = count - 1; i >= 0; i--) {
		if (!sum[i]) continue;
		const called = functions[frame[i]];
		if (outermost[i]) total[called] += sum[i];
		if (parent[i] >= 0) sum[parent[i]] += sum[i];
	}
	// sum now holds totals: what is a node's own is what its callees lack
	for (let i = 0; i < count; i++) {
		if (!sum[i]) continue;
		self[functions[frame[i]]] += sum[i];
		if (parent[i] >= 0) self[functions[frame[parent[i]]]] -= sum[i];
	}
}

// The intervals of some functions' shares of the window, on one side: for
// each of them { self, total }.
export function functionIntervals(selection, side, list) {
	const { profile, metric } = selection;
	const { rows } = profile;
	const window = selection.windows[side];
	const batches = window.whole.length;
	const parts = list.map(() => ({ self: new Float64Array(batches), total: new Float64Array(batches) }));
	const rowBatch = new Uint8Array(rows.count);
	for (const row of selection.taken) rowBatch[row] = selection.batchOf(rows.slice[row]);
	for (let batch = 0; batch < batches; batch++) {
		const self = zeroes(profile), total = zeroes(profile);
		spread(profile, sumNodes(selection, side, metric.weights, row => rowBatch[row] === batch), self, total);
		list.forEach((called, i) => {
			parts[i].self[batch] = Math.max(0, self[called]);
			parts[i].total[batch] = total[called];
		});
	}
	return parts.map(part => ({
		self: intervalOf(part.self, window.whole, window.effective),
		total: intervalOf(part.total, window.whole, window.effective),
	}));
}

// The interval of the share of one node of a tree of calls.
export function nodeInterval(selection, tree, node, side) {
	const window = selection.windows[side];
	const { rows } = selection.profile;
	const inside = new Uint8Array(tree.count);
	inside[node] = 1;
	for (let i = node + 1; i < tree.count; i++) inside[i] = inside[tree.parent[i]];
	const part = new Float64Array(window.whole.length);
	for (const row of selection.taken)
		if (rows.side[row] === side && inside[tree.rowNode[row]])
			part[selection.batchOf(rows.slice[row])] += selection.metric.weights[row];
	return intervalOf(part, window.whole, window.effective);
}
