// The way to what is shown: breadcrumbs of the zoom, and the filters that are
// on, each with a button to take it away.
import { element, replace } from './element.js';
import { nodeTitle } from './facts.js';

const SHOWN = 5; // crumbs, besides the first

export function showTrail(box, model, app) {
	const crumbs = model.state.view === 'flame' ? crumbsOf(model, app) : null;
	const chips = chipsOf(model, app);
	replace(box, crumbs, chips.length > 0 && element('ul', { class: 'chips', 'aria-label': 'Filters' }, chips));
	box.hidden = !crumbs && !chips.length;
}

function crumbsOf(model, app) {
	const tree = model.graph, path = [];
	for (let node = tree.nodeAt(model.state.zoom); node > 0; node = tree.parent[node]) path.push(node);
	if (!path.length) return null;
	path.reverse();
	const hidden = Math.max(0, path.length - SHOWN);
	const items = [crumb('all', () => app.change({ zoom: [] }), false)];
	if (hidden) items.push(element('li', { class: 'more' }, `${hidden} frames`));
	for (const node of path.slice(hidden))
		items.push(crumb(nodeTitle(tree, node), () => app.zoomTo(tree, node), node === path[path.length - 1]));
	return element('nav', { 'aria-label': 'Zoomed to' }, element('ol', { class: 'crumbs' }, items));
}

function crumb(text, go, isLast) {
	return element('li', {}, element('button', { type: 'button', class: 'crumb', title: text.slice(0, 500), 'aria-current': isLast ? 'true' : null, onclick: go }, text));
}

const VERBS = { focus: 'only stacks with', ignore: 'no stacks with', hide: 'hiding' };

function chipsOf(model, app) {
	const { state } = model;
	const chips = state.filters.map((filter, i) => chip(`${VERBS[filter.kind]} ${readable(filter.pattern)}`,
		() => app.change({ filters: state.filters.filter((_, at) => at !== i), zoom: [] })));
	if (model.selection.ranged)
		chips.push(chip(`time ${rangeText(model)}`, () => app.change({ from: -1, to: -1, zoom: [] })));
	return chips;
}

// A pattern made of a whole name reads better as the name.
function readable(pattern) {
	const whole = /^\^(.*)\$$/s.exec(pattern);
	return whole ? whole[1].replace(/\\(.)/g, '$1') : `/${pattern}/`;
}

export function rangeText(model) {
	const { from, to } = model.selection;
	const slice = model.profile.meta.sides[0].slice_s;
	const digits = slice < 1 ? 1 : 0;
	return `${(from * slice).toFixed(digits)} to ${((to + 1) * slice).toFixed(digits)} s`;
}

function chip(text, remove) {
	return element('li', { class: 'chip' }, element('span', {}, text),
		element('button', { type: 'button', 'aria-label': `Remove: ${text.slice(0, 200)}`, onclick: remove }, '×'));
}
