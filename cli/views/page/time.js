// By time: a heat map whose columns are seconds (or longer) and whose cells
// are slices of them, and below it who it was. Dragging over cells chooses the
// time that every other view shows.
import { element, replace } from './element.js';
import { whoName } from './label.js';
import * as number from './number.js';
import { heatColour, theme } from './palette.js';
import { dragRange } from './range.js';
import { weighWho } from './selection.js';
import { CanvasSurface } from './surface.js';

const CELL = 15, LANES = 14, LANE_HEIGHT = 18, BINS = 160;

export class TimeView {
	constructor(app) {
		this.app = app;
		this.canvas = element('canvas', { class: 'heat-canvas', role: 'img', 'aria-label': 'Heat map of slices of time' });
		this.text = element('p', { class: 'heat-text' });
		this.readout = element('p', { class: 'heat-readout', 'aria-live': 'off' });
		this.from = numberInput('From (s)', () => this.typed());
		this.to = numberInput('to (s)', () => this.typed());
		this.lanes = element('div', { class: 'lanes' });
		this.scroll = element('div', { class: 'heat-scroll', tabindex: '0', role: 'region', 'aria-label': 'Heat map' }, this.canvas);
		this.box = element('section', { class: 'time-view', 'aria-label': 'By time' },
			element('div', { class: 'heat-head' }, this.text,
				element('form', { class: 'heat-form', onsubmit: event => { event.preventDefault(); this.typed(); } }, this.from, this.to,
					element('button', { type: 'button', class: 'plain', onclick: () => app.change({ from: -1, to: -1, zoom: [] }) }, 'All time'))),
			this.scroll, this.readout, this.lanes);
		dragRange(this.canvas, event => this.sliceAt(event), (from, to, isDone) => this.drag(from, to, isDone));
		this.canvas.addEventListener('mousemove', event => this.read(event));
		new ResizeObserver(() => this.paint()).observe(this.box);
	}

	typed() {
		const slice = this.model.profile.meta.sides[0].slice_s;
		const read = box => parseFloat(box.lastChild.value);
		const from = Math.round(read(this.from) / slice), to = Math.round(read(this.to) / slice) - 1;
		if (from >= 0 && to >= from) this.app.change({ from, to, zoom: [] });
	}

	drag(from, to, isDone) {
		this.dragged = isDone ? null : [from, to];
		if (isDone) this.app.change({ from, to, zoom: [] });
		else this.paint();
	}

	update(model) {
		this.model = model;
		const { slices } = model;
		const slice = model.profile.meta.sides[0].slice_s;
		const isEmpty = slices < 2;
		this.canvas.hidden = isEmpty;
		this.from.parentNode.hidden = isEmpty;
		if (isEmpty) {
			this.text.textContent = 'This profile has no slices of time: nothing is known of when within the window it was.';
			replace(this.lanes);
			return;
		}
		this.perColumn = cellsPerColumn(slices, slice);
		this.text.textContent = `Each column is ${number.duration(this.perColumn * slice)}, each cell ${number.duration(slice)} of ${model.metric.label}, from the bottom up. Drag to choose a range.`;
		this.from.lastChild.value = (model.selection.from * slice).toFixed(3).replace(/\.?0+$/, '');
		this.to.lastChild.value = ((model.selection.to + 1) * slice).toFixed(3).replace(/\.?0+$/, '');
		this.paint();
		this.showLanes();
	}

	get columns() { return Math.ceil(this.model.slices / this.perColumn); }

	cellWidth() {
		return Math.max(4, Math.min(40, (this.scroll.clientWidth || 600) / this.columns));
	}

	sliceAt(event) {
		const column = Math.max(0, Math.min(this.columns - 1, Math.floor(event.offsetX / this.cellWidth())));
		const row = Math.max(0, Math.min(this.perColumn - 1, this.perColumn - 1 - Math.floor(event.offsetY / CELL)));
		return Math.min(this.model.slices - 1, column * this.perColumn + row);
	}

	values() {
		const sum = new Float64Array(this.model.slices);
		for (const slices of this.model.selection.bySlice) slices.forEach((value, i) => { sum[i] += value; });
		return sum;
	}

	paint() {
		if (!this.model || this.model.slices < 2 || !this.box.isConnected) return;
		const values = this.values(), highest = values.reduce((high, value) => Math.max(high, value), 0) || 1;
		const colours = theme(), wide = this.cellWidth();
		this.canvas.style.width = `${wide * this.columns}px`;
		this.canvas.style.height = `${CELL * this.perColumn}px`;
		const surface = new CanvasSurface(this.canvas, wide * this.columns, CELL * this.perColumn, devicePixelRatio || 1);
		const { selection } = this.model;
		const [from, to] = this.dragged || (selection.ranged ? [selection.from, selection.to] : [0, values.length]);
		values.forEach((value, i) => {
			const x = Math.floor(i / this.perColumn) * wide, y = (this.perColumn - 1 - i % this.perColumn) * CELL;
			surface.alpha(i >= from && i <= to ? 1 : 0.3);
			surface.rect(x, y, wide - 1, CELL - 1, heatColour(value / highest, colours));
		});
		surface.alpha(1);
	}

	read(event) {
		const i = this.sliceAt(event), slice = this.model.profile.meta.sides[0].slice_s;
		const value = this.values()[i];
		this.readout.textContent = `${(i * slice).toFixed(slice < 1 ? 2 : 0)} s: ${number.weight(value, this.model.metric.unit)}`;
	}

	// Who it was: the heaviest processes (or containers), each a lane.
	showLanes() {
		const { model } = this;
		const kind = model.profile.processes.length ? 'process' : 'container';
		const everybody = weighWho({ ...model.selection, ranged: false }, kind);
		const whole = everybody.reduce((sum, who) => sum + who.share, 0) || 1;
		// of all time, whatever range is chosen: the lanes show all of it
		const weighed = everybody.slice(0, LANES).map(who => ({ ...who, share: who.share / whole }));
		const bins = Math.min(BINS, model.slices);
		const sums = laneSums(model, kind, weighed, bins);
		const highest = Math.max(...sums.map(lane => Math.max(...lane))) || 1;
		replace(this.lanes, element('h3', {}, kind === 'process' ? 'Processes over the same time' : 'Containers over the same time'),
			weighed.map((who, i) => this.lane(kind, who, sums[i], highest)));
	}

	lane(kind, who, bins, highest) {
		const name = whoName(this.model.profile, { kind, index: who.index });
		const canvas = element('canvas', { class: 'lane-canvas', role: 'img', 'aria-label': `${name} over time` });
		const width = 800, colours = theme();
		const surface = new CanvasSurface(canvas, width, LANE_HEIGHT, 1);
		bins.forEach((value, i) => surface.rect(i * width / bins.length, 0, width / bins.length - (bins.length < 200 ? 1 : 0), LANE_HEIGHT, heatColour(value / highest, colours)));
		return element('div', { class: 'lane' },
			element('button', { type: 'button', class: 'link', title: `Only ${name}`, onclick: () => this.app.change({ [kind]: this.model.state[kind] === who.index ? -1 : who.index }) }, name),
			element('span', { class: 'figure' }, number.percent(who.share)), canvas);
	}
}

// How many slices make a column: a second of them, or whatever fills a map
// that is wider than high.
export function cellsPerColumn(slices, slice) {
	const second = Math.round(1 / slice);
	if (second >= 2 && second <= 50 && slices / second >= 4) return second;
	if (second > 50 && slices / 50 >= 4) return 50;
	const minute = Math.round(60 / slice);
	if (second < 2 && minute >= 2 && minute <= 60 && slices / minute >= 6) return minute;
	return Math.max(1, Math.min(24, Math.round(Math.sqrt(slices / 3))));
}

function laneSums(model, kind, weighed, bins) {
	const { profile, metric, slices } = model;
	const { rows } = profile;
	const lanes = weighed.map(() => new Float64Array(bins));
	const laneOf = new Map(weighed.map((who, i) => [who.index, lanes[i]]));
	for (let i = 0; i < rows.count; i++) {
		const lane = laneOf.get(rows[kind][i]);
		if (lane && rows.slice[i] < slices) lane[Math.floor(rows.slice[i] * bins / slices)] += metric.weights[i];
	}
	return lanes;
}

function numberInput(text, changed) {
	return element('label', { class: 'choice' }, element('span', {}, text),
		element('input', { type: 'number', min: '0', step: 'any', onchange: changed }));
}
