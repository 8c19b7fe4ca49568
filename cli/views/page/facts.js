// The exact figures of one frame, as a list of [what, figure]: for the tooltip
// and for the line that is read aloud.
import { diffText, rateText, verdict } from './compare.js';
import { nodeInterval } from './functions.js';
import { keyName, keyPlace } from './label.js';
import { kindOf } from './palette.js';
import * as number from './number.js';

const KINDS = {
	user: 'user code', inlined: 'inlined function', kernel: 'kernel', jit: 'JIT-compiled code',
	special: 'not code', container: 'container', process: 'process', thread: 'thread', all: '',
};

export function nodeTitle(tree, node) {
	return keyName(tree.profile, tree.key[node]);
}

export function nodeKind(tree, node) {
	const key = tree.key[node];
	return [KINDS[kindOf(tree.profile, key)], keyPlace(tree.profile, key)].filter(Boolean).join(' · ');
}

export function nodeFacts(model, tree, node, zoom) {
	return model.isComparison ? comparedFacts(model, tree, node) : plainFacts(model, tree, node, zoom);
}

// The interval is known where the rows below the node are: in a tree of calls.
function plainFacts(model, tree, node, zoom) {
	const { selection, metric } = model;
	const window = selection.windows[0];
	const total = tree.total[0][node], self = tree.self[0][node];
	const share = window.total ? total / window.total : 0;
	const interval = tree.rowNode ? nodeInterval(selection, tree, node, 0) : null;
	const facts = [
		['total', `${number.weight(total, metric.unit)} · ${number.percent(share)}${interval ? ` ${number.margin(share, interval)}` : ''}`],
	];
	if (tree.rowNode && node) facts.push(['self', `${number.weight(self, metric.unit)} · ${number.percent(window.total ? self / window.total : 0)}`]);
	if (metric.parts.length) facts.push(['samples', number.count(tree.samples[0][node])]);
	if (zoom > 0 && node !== zoom) facts.push(['of zoomed', number.percent(total / tree.total[0][zoom])]);
	return facts;
}

function comparedFacts(model, tree, node) {
	const unit = model.metric.unit;
	const sides = [0, 1].map(side => rateText(tree.total[side][node], model.seconds(side), unit));
	const shares = [0, 1].map(side => number.percent(tree.total[side][node] / (model.selection.windows[side].total || 1)));
	const change = model.nodeChange(tree, node);
	const diff = model.diffOf(tree.functionOf(node));
	return [
		['before', `${sides[0]} · ${shares[0]} · ${number.count(tree.samples[0][node])} samples`],
		['after', `${sides[1]} · ${shares[1]} · ${number.count(tree.samples[1][node])} samples`],
		['change', `${number.change(tree.total[0][node] / model.seconds(0), tree.total[1][node] / model.seconds(1))} · ${verdict(change)}`],
		...diff ? [['function', `self ${diffText(diff)} by diff`]] : [],
	];
}

export function nodeSentence(model, tree, node, zoom) {
	const facts = nodeFacts(model, tree, node, zoom).map(([what, figure]) => `${what} ${figure}`);
	return [nodeTitle(tree, node), nodeKind(tree, node), ...facts].filter(Boolean).join(', ');
}

// The stack of a node, the innermost frame first, one on each line.
export function stackText(tree, node, inverted) {
	const lines = [];
	for (let at = node; at > 0; at = tree.parent[at]) lines.push(nodeTitle(tree, at));
	return `${(inverted ? lines.reverse() : lines).join('\n')}\n`;
}
