// Where frames lie: rows of rectangles for one zoom and one width. Frames
// narrower than half a pixel are gathered in one grey rectangle (node -1), so
// the work is that of what can be seen, however large the tree.

const NARROW = 0.5;

export class Layout {
	// zoom: the node that fills the width, below the nodes it is called by.
	// rootless: without the row of everything.
	constructor(tree, zoom, width, byName, rootless = false) {
		this.tree = tree;
		this.zoom = zoom;
		this.width = width;
		this.rows = [];
		this.order = byName ? nameOrder(tree) : (a, b) => tree.size[b] - tree.size[a] || a - b;
		this.byName = byName;
		const path = [];
		for (let node = zoom; node >= 0; node = tree.parent[node]) path.push(node);
		for (const node of path.reverse()) this.rows.push({ node: [node], x: [0], end: [width] });
		this.zoomRow = this.rows.length - 1;
		if (tree.size[zoom] > 0) this.spread(width / tree.size[zoom]);
		if (rootless && this.rows.length > 1) this.rows.shift();
	}

	spread(scale) {
		const { tree, order, byName } = this;
		for (let row = this.rows[this.zoomRow]; row.node.length;) {
			const next = { node: [], x: [], end: [] };
			for (let i = 0; i < row.node.length; i++) {
				if (row.node[i] < 0) continue;
				this.place(next, row.node[i], row.x[i], scale, tree, order, byName);
			}
			if (next.node.length) this.rows.push(next);
			row = next;
		}
	}

	place(row, parent, x, scale, tree, order, byName) {
		const children = tree.childrenOf(parent);
		sortOnce(tree, parent, children, byName, order);
		let hidden = 0;
		for (let i = 0; i < children.length; i++) {
			const node = children[i], width = tree.size[node] * scale;
			if (width < NARROW) {
				hidden += width;
				if (byName) continue;
				for (i++; i < children.length; i++) hidden += tree.size[children[i]] * scale;
				break;
			}
			push(row, node, x, x + width);
			x += width;
		}
		if (hidden >= NARROW) push(row, -1, x, x + hidden);
	}

	// The node at a place; -1 where there is none, or too many.
	at(depth, x) {
		const row = this.rows[depth];
		if (!row) return -1;
		let low = 0, high = row.node.length - 1;
		while (low <= high) {
			const middle = (low + high) >> 1;
			if (x < row.x[middle]) high = middle - 1;
			else if (x >= row.end[middle]) low = middle + 1;
			else return row.node[middle];
		}
		return -1;
	}

	// { depth, x, end } of a node that is drawn, or null.
	find(node) {
		for (let depth = 0; depth < this.rows.length; depth++) {
			const i = this.rows[depth].node.indexOf(node);
			if (i >= 0) return { depth, i, x: this.rows[depth].x[i], end: this.rows[depth].end[i] };
		}
		return null;
	}

	// The neighbour in a direction: "out" (towards the root), "in", "left",
	// "right"; the node itself where there is none.
	step(node, direction) {
		const place = this.find(node);
		if (!place) return this.zoom;
		if (direction === 'out') return this.tree.parent[node] < 0 ? node : this.tree.parent[node];
		if (direction === 'in') {
			const row = this.rows[place.depth + 1];
			const i = row ? row.node.findIndex((child, at) => child >= 0 && row.end[at] > place.x && row.x[at] < place.end) : -1;
			return i < 0 ? node : row.node[i];
		}
		const row = this.rows[place.depth], by = direction === 'left' ? -1 : 1;
		for (let i = place.i + by; i >= 0 && i < row.node.length; i += by) if (row.node[i] >= 0) return row.node[i];
		return node;
	}
}

// Children stay sorted in the tree's list until another order is wanted.
function sortOnce(tree, parent, children, byName, order) {
	const wanted = byName ? 2 : 1;
	if (!tree.sorted) tree.sorted = new Uint8Array(tree.count);
	if (tree.sorted[parent] === wanted) return;
	tree.sorted[parent] = wanted;
	if (children.length > 1) children.sort(order);
}

function push(row, node, x, end) {
	row.node.push(node);
	row.x.push(x);
	row.end.push(end);
}

function nameOrder(tree) {
	const { texts, functions, frames } = tree.profile;
	const name = node => tree.key[node] < 0 ? '' : texts[functions.name[frames.function[tree.key[node]]]];
	return (a, b) => {
		const one = name(a), other = name(b);
		return one < other ? -1 : one > other ? 1 : tree.key[a] - tree.key[b];
	};
}
