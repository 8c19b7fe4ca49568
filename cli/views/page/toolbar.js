// What is shown: views, metric, first frames, filters, search, and the menu of
// the rest. Every control says what the state holds, and changes only that.
import { element, replace } from './element.js';
import { whoName } from './label.js';
import * as number from './number.js';
import { weighWho, WHO_TABLES } from './selection.js';

const VIEW_NAMES = { flame: 'Flame graph', table: 'Functions', sandwich: 'Sandwich', time: 'By time' };
const GROUP_NAMES = {
	'': 'Functions only', container: 'Containers', process: 'Processes', thread: 'Threads',
	'container.process': 'Containers, processes', 'process.thread': 'Processes, threads',
};
const CHOICES_MAX = 300;

export class Toolbar {
	// app: change(part of the state), run(command)
	constructor(box, app) {
		this.app = app;
		this.tabs = Object.entries(VIEW_NAMES).map(([view, name]) => element('button', {
			type: 'button', class: 'tab', 'data-view': view, onclick: () => app.change({ view }),
		}, name));
		this.metric = select('Metric', app.model.metrics.map(metric => [metric.key, metric.label]), metric => app.change({ metric: metric === app.model.usual.key ? '' : metric }));
		this.group = select('First frames', Object.entries(GROUP_NAMES), group => app.change({ group, zoom: [] }));
		this.who = Object.fromEntries(['container', 'process', 'thread'].map(kind =>
			[kind, select(kind[0].toUpperCase() + kind.slice(1), [], value => app.change({ [kind]: Number(value), zoom: [] }))]));
		this.search = element('input', {
			type: 'search', id: 'search', placeholder: 'Search, by regular expression', spellcheck: 'false', autocomplete: 'off',
			'aria-label': 'Search functions by regular expression', 'aria-keyshortcuts': '/',
			oninput: () => app.change({ search: this.search.value }, 'replace'),
		});
		this.matched = element('output', { class: 'matched', for: 'search' });
		this.toggles = [
			['icicle', 'Icicle', 'Callers on top, callees below (i)'],
			['inverted', 'Inverted', 'The innermost frame first (v)'],
			['recursion', 'Merge recursion', 'A function that calls itself is one frame (r)'],
			['byName', 'Sort by name', 'By name instead of the widest first (o)'],
		].map(([name, text, title]) => element('button', {
			type: 'button', class: 'toggle', 'data-toggle': name, title,
			onclick: () => app.change({ [name]: !app.state[name], ...(name === 'inverted' ? { zoom: [] } : {}) }),
		}, text));
		this.legend = element('span', { class: 'legend', 'aria-label': 'Colours' });
		this.build(box);
	}

	build(box) {
		const { app } = this;
		const button = (text, command, title) => element('button', { type: 'button', class: 'plain', title, onclick: () => app.run(command) }, text);
		replace(box,
			element('div', { class: 'bar-row' },
				element('nav', { class: 'tabs', 'aria-label': 'Views' }, this.tabs),
				element('div', { class: 'search' }, this.search, this.matched),
				button('Print', 'print', 'Print this page'), button('Keys ?', 'help', 'Keyboard')),
			element('div', { class: 'bar-row controls' },
				app.model.metrics.length > 1 && this.metric, this.group, Object.values(this.who)),
			element('div', { class: 'bar-row toggles' }, this.toggles,
				button('PNG', 'png', 'Save the graph as an image'), button('SVG', 'svg', 'Save the graph as a drawing'), this.legend));
	}

	update(model) {
		const { state } = model;
		for (const tab of this.tabs) tab.setAttribute('aria-current', tab.dataset.view === state.view ? 'page' : 'false');
		for (const toggle of this.toggles) toggle.setAttribute('aria-pressed', String(state[toggle.dataset.toggle]));
		this.metric.lastChild.value = model.metric.key;
		this.group.lastChild.value = state.group;
		if (this.search.value !== state.search) this.search.value = state.search;
		this.matched.textContent = state.search ? `${number.percent(model.matchedPart(model.graph))} matched` : '';
		for (const [kind, box] of Object.entries(this.who)) this.fill(kind, box.lastChild, model);
		this.toggles[0].parentNode.hidden = state.view === 'table' || state.view === 'time';
		this.showLegend(model);
	}

	fill(kind, list, model) {
		const { selection, profile, state } = model;
		const key = JSON.stringify([selection.from, selection.to, model.metric.key]);
		if (list.dataset.key !== key) {
			list.dataset.key = key;
			const weighed = weighWho(selection, kind).filter(who => who.index >= 0);
			list.parentNode.hidden = weighed.length === 0;
			replace(list, element('option', { value: '-1' }, `All (${number.count(weighed.length)})`),
				weighed.slice(0, CHOICES_MAX).map(({ index, share }) => option(profile, kind, index, number.percent(share))));
		}
		const chosen = state[kind];
		if (chosen >= 0 && chosen < profile[WHO_TABLES[kind]].length && ![...list.options].some(({ value }) => Number(value) === chosen))
			list.append(option(profile, kind, chosen, 'nothing here'));
		list.value = String(chosen);
		list.classList.toggle('is-set', chosen >= 0);
	}

	showLegend(model) {
		const kinds = model.isComparison
			? [['less', 'less than before'], ['same', 'noise'], ['more', 'more than before']]
			: kindsIn(model.profile).map(kind => [kind, LEGEND[kind]]);
		replace(this.legend, kinds.map(([kind, text]) => element('span', { class: `key key-${kind}` }, text)));
	}
}

const LEGEND = { user: 'user', inlined: 'inlined', kernel: 'kernel', jit: 'JIT', special: 'cut or unknown' };

// Of the kinds of frames those that the profile has.
function kindsIn(profile) {
	const seen = new Set(profile.frames.kind);
	const has = { user: seen.has(0), inlined: [4, 5, 6, 7].some(kind => seen.has(kind)), kernel: seen.has(1), jit: seen.has(2), special: seen.has(3) };
	return Object.keys(LEGEND).filter(kind => has[kind]);
}

function option(profile, kind, index, detail) {
	const name = whoName(profile, { kind, index });
	return element('option', { value: String(index) }, `${name.length > 60 ? `${name.slice(0, 59)}…` : name} — ${detail}`);
}

function select(label, options, changed) {
	return element('label', { class: 'choice' }, element('span', {}, label),
		element('select', { onchange: event => changed(event.target.value) },
			options.map(([value, text]) => element('option', { value }, text))));
}
