// From the state to what is drawn: each step is made when it is first asked
// for, and kept as long as nothing it is made of changes.
import { changeOf } from './compare.js';
import { functionSums } from './functions.js';
import { calleesTree, callersTree, invertedTree } from './merge.js';
import { metricsOf } from './profile.js';
import { functionsMatching, select, sliceCount } from './selection.js';
import { callTree } from './tree.js';

export class Model {
	constructor(profile) {
		this.profile = profile;
		this.metrics = metricsOf(profile);
		this.usual = this.metrics[profile.meta.default_value] || this.metrics[0];
		this.slices = sliceCount(profile);
		this.isComparison = profile.meta.sides.length > 1;
		this.kept = new Map();
	}

	remember(name, key, make) {
		const known = this.kept.get(name);
		if (known && known.key === key) return known.value;
		const value = make();
		this.kept.set(name, { key, value });
		return value;
	}

	use(state) {
		this.state = state;
		this.metric = this.metrics.find(metric => metric.key === state.metric) || this.usual;
	}

	selectionKey() {
		const { container, process, thread, from, to, filters } = this.state;
		return JSON.stringify([this.metric.key, container, process, thread, from, to, filters]);
	}

	get selection() {
		return this.remember('selection', this.selectionKey(), () => select(this.profile, this.metric, this.state));
	}

	treeKey() {
		return this.selectionKey() + JSON.stringify([this.state.group, this.state.recursion]);
	}

	// The tree of calls that every other tree is made of.
	get tree() {
		return this.remember('tree', this.treeKey(), () => callTree(this.selection, {
			group: this.state.group ? this.state.group.split('.') : [],
			recursion: this.state.recursion,
		}));
	}

	// What the flame graph shows.
	get graph() {
		if (!this.state.inverted) return this.tree;
		const zoom = this.state.zoom;
		return this.remember('graph', this.treeKey() + zoom, () => invertedTree(this.tree, zoom));
	}

	get callers() {
		return this.remember('callers', this.treeKey() + this.state.function, () =>
			callersTree(this.tree, this.state.function, []));
	}

	get callees() {
		return this.remember('callees', this.treeKey() + this.state.function, () =>
			calleesTree(this.tree, this.state.function, []));
	}

	get sums() {
		return this.remember('sums', this.selectionKey(), () => functionSums(this.selection));
	}

	get matches() {
		return this.state.search ? functionsMatching(this.profile, this.state.search) : null;
	}

	// The part of the graph below frames that match, each stack counted once.
	matchedPart(tree) {
		const matches = this.matches;
		if (!matches || !tree.size[0]) return 0;
		const inside = new Uint8Array(tree.count);
		let sum = 0;
		for (let i = 1; i < tree.count; i++) {
			if (inside[tree.parent[i]]) {
				inside[i] = 1;
				continue;
			}
			const called = tree.functionOf(i);
			if (called < 0 || !matches[called]) continue;
			inside[i] = 1;
			sum += tree.size[i];
		}
		return sum / tree.size[0];
	}

	// Seconds of the window of a side.
	seconds(side) {
		return this.selection.windows[side].seconds;
	}

	change(before, after, samplesBefore, samplesAfter) {
		return changeOf(before / this.seconds(0), after / this.seconds(1), samplesBefore, samplesAfter);
	}

	// What diff says of a function; it knows of no filter and no other metric.
	diffOf(called) {
		if (this.selection.filtered || this.selection.ranged || this.metric !== this.usual) return undefined;
		return this.profile.verdicts.get(called);
	}

	nodeChange(tree, node) {
		return this.change(tree.total[0][node], tree.total[1][node], tree.samples[0][node], tree.samples[1][node]);
	}
}
