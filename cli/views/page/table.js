// Functions as a table: what the flame graph says in shapes, in figures, and
// for everybody who does not see shapes.
import { changeOf, diffText, rateText, verdict } from './compare.js';
import { element, replace } from './element.js';
import { functionIntervals } from './functions.js';
import { baseName, visible } from './name.js';
import * as number from './number.js';
import { functionName, moduleName } from './profile.js';

const STEP = 100; // rows shown at once

const PLAIN = [
	['name', 'Function'], ['self', 'Self'], ['selfShare', 'Share, 95 % interval'],
	['total', 'Total'], ['totalShare', 'Share, 95 % interval'], ['module', 'Module'],
];
const COMPARED = [
	['name', 'Function'], ['before', 'Self before'], ['after', 'Self after'],
	['change', 'Change'], ['verdict', 'Verdict'], ['total', 'Total after'], ['module', 'Module'],
];

export class Table {
	constructor(app) {
		this.app = app;
		this.caption = element('caption');
		this.head = element('thead');
		this.body = element('tbody');
		this.more = element('button', { type: 'button', class: 'plain more-rows', onclick: () => { this.shown += STEP * 5; this.fill(); } });
		this.box = element('section', { class: 'table-view', 'aria-label': 'Functions', tabindex: '0' },
			element('table', { class: 'functions' }, this.caption, this.head, this.body), this.more);
	}

	update(model) {
		this.model = model;
		this.shown = STEP;
		this.rows = sorted(rowsOf(model), model);
		this.fillHead();
		this.fill();
	}

	fillHead() {
		const { model, app } = this;
		const columns = model.isComparison ? COMPARED : PLAIN;
		replace(this.head, element('tr', {}, columns.map(([key, text]) => {
			const by = SORTS[key];
			const isSorted = by === sortOf(model);
			return element('th', { scope: 'col', class: `column-${key}`, 'aria-sort': isSorted ? (by === 'name' || by === 'module' ? 'ascending' : 'descending') : null },
				by ? element('button', { type: 'button', onclick: () => app.change({ sort: by }) }, text) : text);
		})));
	}

	fill() {
		const { model } = this;
		const list = this.rows.slice(0, this.shown);
		const intervals = model.isComparison ? null : functionIntervals(model.selection, 0, list.map(row => row.called));
		this.caption.textContent = captionOf(model, this.rows.length);
		replace(this.body, list.map((row, i) => this.row(row, intervals && intervals[i])),
			!list.length && element('tr', {}, element('td', { colspan: '7', class: 'empty' }, emptyText(model))));
		const left = this.rows.length - list.length;
		this.more.hidden = left <= 0;
		this.more.textContent = `Show more of the ${number.count(left)} others`;
	}

	row(row, interval) {
		const { model, app } = this;
		const name = visible(functionName(model.profile, row.called));
		const module = visible(moduleName(model.profile, row.called));
		const link = element('button', {
			type: 'button', class: 'link', title: 'Callers and callees',
			onclick: () => app.change({ view: 'sandwich', function: row.called }),
		}, name);
		return element('tr', {}, element('th', { scope: 'row' }, link),
			interval ? plainCells(model, row, interval) : comparedCells(model, row),
			element('td', { class: 'module', title: module }, baseName(module)));
	}
}

const SORTS = {
	name: 'name', self: 'self', selfShare: null, total: 'total', totalShare: null, module: 'module',
	before: 'before', after: 'self', change: 'change', verdict: null,
};

function sortOf(model) {
	const { sort } = model.state;
	if (model.isComparison) return ['name', 'module', 'total', 'before', 'change'].includes(sort) ? sort : 'self';
	return ['name', 'module', 'total'].includes(sort) ? sort : 'self';
}

function captionOf(model, count) {
	const what = `${number.count(count)} function${count === 1 ? '' : 's'}`;
	const search = model.state.search ? ` that match /${visible(model.state.search)}/` : '';
	const shares = model.isComparison ? 'rates are per second of each recording' : `shares are of all ${model.metric.label} in the chosen time`;
	return `${what}${search}; ${shares}`;
}

function emptyText(model) {
	return model.state.search ? 'No function here matches the search.' : 'The filters leave no samples.';
}

function rowsOf(model) {
	const { sums, matches, profile } = model;
	const rows = [];
	for (let called = 0; called < profile.functions.count; called++) {
		if (matches && !matches[called]) continue;
		if (!sums.some(side => side.total[called] > 0)) continue;
		rows.push(rowOf(model, called));
	}
	return rows;
}

function rowOf(model, called) {
	const { sums } = model;
	const last = sums[sums.length - 1];
	const row = { called, self: last.self[called], total: last.total[called] };
	if (!model.isComparison) return row;
	row.before = sums[0].self[called];
	const rates = [row.before / model.seconds(0), row.self / model.seconds(1)];
	const samples = sums.map((side, i) => samplesFor(side.self[called], model.selection.windows[i]));
	row.change = changeOf(rates[0], rates[1], samples[0], samples[1]);
	row.rates = rates;
	return row;
}

// How many samples a weight stands for, as if all had the same weight.
function samplesFor(weight, window) {
	return window.total ? weight / window.total * window.effective : 0;
}

function sorted(rows, model) {
	const by = sortOf(model), { profile } = model;
	const name = row => functionName(profile, row.called);
	const texts = { name, module: row => moduleName(profile, row.called) };
	const figures = {
		self: row => row.self, total: row => row.total, before: row => row.before,
		change: row => row.change.noise ? 0 : Math.abs(row.rates[1] - row.rates[0]),
	};
	if (texts[by]) return rows.sort((a, b) => order(texts[by](a), texts[by](b)) || order(name(a), name(b)));
	return rows.sort((a, b) => figures[by](b) - figures[by](a) || b.total - a.total || a.called - b.called);
}

function order(a, b) {
	return a < b ? -1 : a > b ? 1 : 0;
}

function plainCells(model, row, interval) {
	const window = model.selection.windows[0];
	return ['self', 'total'].flatMap(which => {
		const share = window.total ? row[which] / window.total : 0;
		return [
			element('td', { class: 'figure' }, row[which] ? number.weight(row[which], model.metric.unit) : '–'),
			element('td', { class: 'share' }, row[which] ? shareCell(share, interval[which]) : ''),
		];
	});
}

function shareCell(share, interval) {
	const fill = element('span', { class: 'share-fill' }), range = element('span', { class: 'share-range' });
	fill.style.width = `${(share * 100).toFixed(2)}%`;
	range.style.left = `${(interval.low * 100).toFixed(2)}%`;
	range.style.width = `${((interval.high - interval.low) * 100).toFixed(2)}%`;
	return [
		element('span', { class: 'share-text', title: `95 %: ${number.percent(interval.low)} to ${number.percent(interval.high)}` },
			number.percent(share), element('small', {}, ` ${number.margin(share, interval)}`)),
		element('span', { class: 'share-bar', 'aria-hidden': 'true' }, fill, range),
	];
}

function comparedCells(model, row) {
	const unit = model.metric.unit;
	const diff = model.diffOf(row.called);
	const said = diff ? diff.verdict : verdict(row.change);
	return [
		element('td', { class: 'figure' }, row.before ? rateText(row.before, model.seconds(0), unit) : '–'),
		element('td', { class: 'figure' }, row.self ? rateText(row.self, model.seconds(1), unit) : '–'),
		element('td', { class: 'figure' }, row.before || row.self ? number.change(row.rates[0], row.rates[1]) : '–'),
		element('td', { class: `verdict is-${said}`, title: diff ? diffText(diff) : null }, row.before || row.self ? said : ''),
		element('td', { class: 'figure' }, rateText(row.total, model.seconds(1), unit)),
	];
}
