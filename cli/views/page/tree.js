// Trees to look at. A tree is a table of nodes, each with a key (what it is),
// a parent before it, and what it weighs; node 0 is everything.
//
//   key >= 0   a frame of the profile
//   key -1     everything
//   key < -1   a container, process or thread (whoKey)

export const ALL = -1;
const WHO = ['container', 'process', 'thread', 'nothing'];

// The key of an entry of the profile's containers, processes or threads; -1
// where it is not known.
export function whoKey(kind, index) {
	return -2 - WHO.indexOf(kind) - WHO.length * (index + 1);
}

export function whoOf(key) {
	const code = -2 - key;
	return { kind: WHO[code % WHO.length], index: Math.floor(code / WHO.length) - 1 };
}

export class Tree {
	constructor(profile, sides, capacity) {
		this.profile = profile;
		this.sides = sides;
		this.count = 0;
		this.key = new Int32Array(capacity);
		this.parent = new Int32Array(capacity);
		// by side; what stands for the node itself, and with all below it
		this.self = Array.from({ length: sides }, () => new Float64Array(capacity));
		this.total = Array.from({ length: sides }, () => new Float64Array(capacity));
		this.samples = Array.from({ length: sides }, () => new Float64Array(capacity));
		this.add(-1, ALL);
	}

	add(parent, key) {
		if (this.count === this.key.length) this.grow();
		this.key[this.count] = key;
		this.parent[this.count] = parent;
		return this.count++;
	}

	grow() {
		const more = array => {
			const larger = new array.constructor(Math.max(64, array.length * 2));
			larger.set(array);
			return larger;
		};
		this.key = more(this.key);
		this.parent = more(this.parent);
		for (const list of [this.self, this.total, this.samples])
			for (let side = 0; side < this.sides; side++) list[side] = more(list[side]);
	}

	// Adds up what is below each node, from what each weighs itself. scales:
	// by side, what makes their sum the width of a node.
	settle(scales) {
		for (let side = 0; side < this.sides; side++) {
			const total = this.total[side], self = this.self[side], samples = this.samples[side];
			for (let i = this.count - 1; i >= 0; i--) {
				total[i] += self[i];
				if (i === 0) continue;
				total[this.parent[i]] += total[i];
				samples[this.parent[i]] += samples[i];
			}
		}
		this.measure(scales);
	}

	measure(scales) {
		this.scales = scales;
		if (this.sides === 1) {
			this.size = this.total[0];
			return;
		}
		this.size = new Float64Array(this.count);
		for (let i = 0; i < this.count; i++)
			this.size[i] = this.total[0][i] * scales[0] + this.total[1][i] * scales[1];
	}

	// Children of all nodes in one list, from first[node] to first[node + 1].
	children() {
		if (this.list) return this;
		const first = new Uint32Array(this.count + 1);
		for (let i = 1; i < this.count; i++) first[this.parent[i] + 1]++;
		for (let i = 0; i < this.count; i++) first[i + 1] += first[i];
		const at = first.slice(), list = new Uint32Array(this.count);
		for (let i = 1; i < this.count; i++) list[at[this.parent[i]]++] = i;
		this.first = first;
		this.list = list;
		return this;
	}

	childrenOf(node) {
		this.children();
		return this.list.subarray(this.first[node], this.first[node + 1]);
	}

	functionOf(node) {
		return this.key[node] < 0 ? -1 : this.profile.frames.function[this.key[node]];
	}

	// Keys from the root to the node, which find it again in another tree.
	pathOf(node) {
		const keys = [];
		for (; node > 0; node = this.parent[node]) keys.push(this.key[node]);
		return keys.reverse();
	}

	// The node at the end of the path, or where the path is lost.
	nodeAt(keys) {
		let node = 0;
		for (const key of keys) {
			const next = this.childrenOf(node).find(child => this.key[child] === key);
			if (next === undefined) break;
			node = next;
		}
		return node;
	}
}

// By side, what makes weights of windows of different length add up.
export function scalesOf(selection) {
	if (selection.sides === 1) return [1];
	return selection.windows.map(window => 1 / (window.seconds || 1) / 2);
}

// Which rows stand together below the same first frames: their order, and for
// each of these groups what its first frames are.
function groupRows(selection, kinds) {
	const { rows } = selection.profile;
	const { taken } = selection;
	if (!kinds.length) return [{ keys: [], rows: taken }];
	const groups = new Map();
	for (const row of taken) {
		let name = 0;
		for (const kind of kinds) name = name * 4194304 + rows[kind][row] + 1;
		const group = groups.get(name);
		if (group) group.rows.push(row);
		else groups.set(name, { keys: kinds.map(kind => whoKey(kind, rows[kind][row])), rows: [row] });
	}
	return [...groups.values()];
}

// The tree of calls, callers first. options: group (kinds of first frames),
// recursion (a function called from itself, directly or not, is one frame).
export function callTree(selection, options) {
	const { profile, metric } = selection;
	const { rows, nodes } = profile;
	const groups = groupRows(selection, options.group);
	const tree = new Tree(profile, selection.sides, (options.group.length ? selection.taken.length * 4 : nodes.count) + 64);
	const walk = new Walk(tree, selection.hidden, options.recursion);
	tree.rowNode = new Int32Array(rows.count).fill(-1);
	groups.forEach((group, number) => {
		walk.begin(number, group.keys);
		for (const row of group.rows) {
			const at = walk.nodeFor(rows.node[row]);
			const side = rows.side[row];
			tree.self[side][at] += metric.weights[row];
			tree.samples[side][at] += rows.samples[row];
			tree.rowNode[row] = at;
		}
	});
	tree.settle(scalesOf(selection));
	return tree;
}

// Finds for the profile's nodes their nodes of the tree. Without folding
// there is one for one; hidden and merged frames make several meet in one,
// and then children are looked up.
class Walk {
	constructor(tree, hidden, recursion) {
		this.tree = tree;
		this.nodes = tree.profile.nodes;
		this.functions = tree.profile.frames.function;
		this.hidden = hidden;
		this.recursion = recursion;
		this.known = new Map();
		this.folds = Boolean(hidden || recursion);
		this.found = new Int32Array(this.nodes.count);
		this.group = new Int32Array(this.nodes.count).fill(-1);
		this.path = [];
	}

	child(parent, key) {
		const name = parent * 4294967296 + key;
		let node = this.known.get(name);
		if (node === undefined) this.known.set(name, node = this.tree.add(parent, key));
		return node;
	}

	begin(number, keys) {
		this.number = number;
		this.root = keys.reduce((node, key) => this.child(node, key), 0);
	}

	nodeFor(node) {
		const { group, found, path } = this;
		const parent = this.nodes.parent;
		if (node === this.nodes.count) return this.child(this.root, whoKey('nothing', -1));
		while (node >= 0 && group[node] !== this.number) {
			path.push(node);
			node = parent[node];
		}
		let at = node < 0 ? this.root : found[node];
		while (path.length) {
			node = path.pop();
			found[node] = at = this.step(at, this.nodes.frame[node]);
			group[node] = this.number;
		}
		return at;
	}

	step(at, frame) {
		if (!this.folds) return this.tree.add(at, frame);
		const called = this.functions[frame];
		if (this.hidden && this.hidden[called]) return at;
		if (this.recursion)
			for (let up = at; up !== this.root; up = this.tree.parent[up])
				if (this.tree.functionOf(up) === called) return up;
		return this.child(at, frame);
	}
}
