// Trees that start somewhere else than at the root: callers of a function,
// callees of it, and everything from its innermost frame outward. Many nodes
// of the tree of calls meet in one, level by level; what would be narrower
// than a hair is left out, finer below the frame that is zoomed to.
import { Tree } from './tree.js';

const HAIRS = 4000; // of the width

// The outermost nodes of a function: what its total is made of.
export function nodesOfFunction(tree, called) {
	const found = [], inside = new Uint8Array(tree.count);
	for (let i = 1; i < tree.count; i++) {
		const is = tree.functionOf(i) === called;
		inside[i] = is || inside[tree.parent[i]] ? 1 : 0;
		if (is && !inside[tree.parent[i]]) found.push(i);
	}
	return found;
}

// All nodes with weight of their own, the innermost frame first.
export function invertedTree(tree, zoom) {
	const leaves = [];
	for (let i = 1; i < tree.count; i++)
		if (tree.self.some(self => self[i] > 0)) leaves.push(i);
	return merge(tree, leaves, callers, zoom, false);
}

export function callersTree(tree, called, zoom) {
	return merge(tree, nodesOfFunction(tree, called), callers, zoom, true);
}

export function calleesTree(tree, called, zoom) {
	return merge(tree, nodesOfFunction(tree, called), callees, zoom, true);
}

// How to go on from a set of nodes. Callers keep the weight they came with
// (that of their origin), callees have their own.
const callers = {
	next(tree, set, visit) {
		for (let i = 0; i < set.nodes.length; i++) {
			const parent = tree.parent[set.nodes[i]];
			if (parent > 0) visit(parent, set.origins[i]);
		}
	},
};
const callees = {
	next(tree, set, visit) {
		for (const node of set.nodes)
			for (const child of tree.childrenOf(node)) visit(child, child);
	},
};

function merge(tree, starts, direction, zoom, whole) {
	const out = new Tree(tree.profile, tree.sides, 1024);
	const weighs = whole || direction === callees ? tree.total : tree.self;
	const add = (made, node, origin) => {
		for (let side = 0; side < tree.sides; side++) {
			out.total[side][made] += weighs[side][origin];
			out.samples[side][made] += samplesOf(tree, side, origin, weighs === tree.self);
			if (direction === callees) out.self[side][made] += tree.self[side][node];
		}
	};
	const size = made => out.total.reduce((sum, total, side) => sum + total[made] * tree.scales[side], 0);
	const group = (parent, each) => {
		const sets = new Map();
		each((node, origin) => {
			const key = tree.key[node];
			let set = sets.get(key);
			if (!set) sets.set(key, set = { at: out.add(parent, key), key, nodes: [], origins: [] });
			set.nodes.push(node);
			set.origins.push(origin);
			add(set.at, node, origin);
		});
		return [...sets.values()];
	};
	let sets = group(0, visit => starts.forEach(node => visit(node, node)));
	for (const start of starts) add(0, start, start);
	let finest = size(0) / HAIRS;
	sets.forEach(set => { set.depth = 0; set.zoomed = true; });
	while (sets.length) {
		const following = [];
		for (const set of sets) {
			const onPath = set.zoomed && (set.depth >= zoom.length || zoom[set.depth] === set.key);
			if (onPath && set.depth === zoom.length - 1) finest = size(set.at) / HAIRS;
			if (size(set.at) < (onPath && set.depth >= zoom.length ? finest : size(0) / HAIRS)) continue;
			for (const next of group(set.at, visit => direction.next(tree, set, visit))) {
				next.depth = set.depth + 1;
				next.zoomed = onPath;
				following.push(next);
			}
		}
		sets = following;
	}
	out.measure(tree.scales);
	return out;
}

// Samples of a node alone, or with all below it.
function samplesOf(tree, side, node, alone) {
	if (!alone) return tree.samples[side][node];
	let count = tree.samples[side][node];
	for (const child of tree.childrenOf(node)) count -= tree.samples[side][child];
	return count;
}
