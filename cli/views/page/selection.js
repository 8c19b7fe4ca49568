// What is looked at: the rows that the filters leave, and the window that
// shares are parts of (all weight in the chosen time, whatever else is
// filtered).
import { BATCHES } from './interval.js';
import { patternOf } from './state.js';
import { functionName } from './profile.js';

const matched = new WeakMap(); // profile -> pattern -> which functions match

// For each function 1 where its name matches the pattern.
export function functionsMatching(profile, pattern) {
	if (!matched.has(profile)) matched.set(profile, new Map());
	const known = matched.get(profile);
	if (!known.has(pattern)) {
		const regex = patternOf(pattern);
		const found = new Uint8Array(profile.functions.count);
		for (let i = 0; i < found.length; i++)
			found[i] = regex.test(functionName(profile, i)) ? 1 : 0;
		if (known.size > 30) known.clear();
		known.set(pattern, found);
	}
	return known.get(pattern);
}

// For each node 1 where it or a caller of it matches.
function below(profile, matches) {
	const { count, parent, frame } = profile.nodes;
	const found = new Uint8Array(count + 1); // one more: no stack at all
	for (let i = 0; i < count; i++)
		found[i] = matches[profile.frames.function[frame[i]]] || (parent[i] >= 0 && found[parent[i]]) ? 1 : 0;
	return found;
}

function stacksKept(profile, filters) {
	const kept = new Uint8Array(profile.nodes.count + 1).fill(1);
	for (const { kind, pattern } of filters) {
		if (kind === 'hide') continue;
		const found = below(profile, functionsMatching(profile, pattern));
		const wanted = kind === 'focus' ? 1 : 0;
		for (let i = 0; i < kept.length; i++) if (found[i] !== wanted) kept[i] = 0;
	}
	return kept;
}

export function sliceCount(profile) {
	return Math.max(0, ...profile.meta.sides.map(side => side.slices));
}

// profile and one of metricsOf() stay, state (state.js) is read once.
export function select(profile, metric, state) {
	const slices = sliceCount(profile);
	const ranged = slices > 1 && state.from >= 0 && state.to >= state.from;
	const from = ranged ? Math.min(state.from, slices - 1) : 0;
	const to = ranged ? Math.min(state.to, slices - 1) : Math.max(0, slices - 1);
	const selection = {
		profile, metric, slices, from, to, ranged,
		sides: profile.meta.sides.length,
		filtered: state.container >= 0 || state.process >= 0 || state.thread >= 0 ||
			state.filters.some(filter => filter.kind !== 'hide'),
		hidden: hiddenFunctions(profile, state.filters),
	};
	selection.windows = windowsOf(selection);
	takeRows(selection, state);
	return selection;
}

function hiddenFunctions(profile, filters) {
	const patterns = filters.filter(filter => filter.kind === 'hide').map(filter => filter.pattern);
	if (!patterns.length) return null;
	const hidden = new Uint8Array(profile.functions.count);
	for (const pattern of patterns)
		functionsMatching(profile, pattern).forEach((match, i) => { hidden[i] |= match; });
	return hidden;
}

function windowsOf(selection) {
	const { profile, from, to, ranged, slices } = selection;
	const { side, slice, samples, count } = profile.rows;
	const weights = selection.metric.weights;
	const length = slices ? to - from + 1 : 1;
	const batches = Math.max(1, Math.min(BATCHES, length));
	const windows = profile.meta.sides.map(meta => ({
		total: 0, samples: 0, squares: 0, whole: new Float64Array(batches),
		seconds: slices ? meta.duration_s * Math.min(1, length / Math.max(1, meta.slices)) : meta.duration_s,
	}));
	selection.batchOf = at => !slices ? 0 : Math.min(batches - 1, Math.floor((at - from) * batches / length));
	for (let i = 0; i < count; i++) {
		if (ranged && (slice[i] < from || slice[i] > to)) continue;
		const window = windows[side[i]], weight = weights[i];
		window.total += weight;
		window.samples += samples[i];
		window.whole[selection.batchOf(slice[i])] += weight;
		if (samples[i]) window.squares += weight * weight / samples[i];
	}
	// Kish: samples, as if all had the same weight
	for (const window of windows)
		window.effective = window.squares ? window.total * window.total / window.squares : 0;
	return windows;
}

// The rows taken, in their order; how much they weigh; and for the view by
// time what each slice weighs with every filter but that of time.
function takeRows(selection, state) {
	const { profile, from, to, ranged } = selection;
	const { rows } = profile;
	const weights = selection.metric.weights;
	const kept = stacksKept(profile, state.filters);
	const taken = new Uint32Array(rows.count);
	let n = 0;
	selection.bySlice = profile.meta.sides.map(() => new Float64Array(selection.slices));
	selection.totals = profile.meta.sides.map(() => ({ weight: 0, samples: 0 }));
	for (let i = 0; i < rows.count; i++) {
		if (!kept[rows.node[i]]) continue;
		if (state.container >= 0 && rows.container[i] !== state.container) continue;
		if (state.process >= 0 && rows.process[i] !== state.process) continue;
		if (state.thread >= 0 && rows.thread[i] !== state.thread) continue;
		const slice = rows.slice[i];
		if (slice < selection.slices) selection.bySlice[rows.side[i]][slice] += weights[i];
		if (ranged && (slice < from || slice > to)) continue;
		const totals = selection.totals[rows.side[i]];
		totals.weight += weights[i];
		totals.samples += rows.samples[i];
		if (weights[i] > 0) taken[n++] = i;
	}
	selection.taken = taken.subarray(0, n);
}

export const WHO_TABLES = { container: 'containers', process: 'processes', thread: 'threads' };

// What containers, processes and threads weigh in the chosen time, heaviest
// first: the choices of the filters.
export function weighWho(selection, column) {
	const { profile, metric, from, to, ranged } = selection;
	const { rows } = profile;
	const who = rows[column], weights = metric.weights;
	const scales = selection.windows.map(window => 1 / (window.total || 1) / selection.sides);
	const sums = new Float64Array(profile[WHO_TABLES[column]].length + 1); // the last: not known
	for (let i = 0; i < rows.count; i++) {
		if (ranged && (rows.slice[i] < from || rows.slice[i] > to)) continue;
		sums[who[i] < 0 ? sums.length - 1 : who[i]] += weights[i] * scales[rows.side[i]];
	}
	return Array.from(sums, (share, index) => ({ index: index === sums.length - 1 ? -1 : index, share }))
		.filter(who => who.share > 0).sort((a, b) => b.share - a.share);
}
