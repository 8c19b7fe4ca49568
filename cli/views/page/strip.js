// The strip above every view: how much there was of the metric over time, and
// which part of the time is looked at. Dragging chooses another part.
import { element, replace } from './element.js';
import { theme, hsl } from './palette.js';
import { dragRange } from './range.js';
import { CanvasSurface } from './surface.js';

const HEIGHT = 34;

export class Strip {
	constructor(box, app) {
		this.app = app;
		this.box = box;
		this.canvas = element('canvas', { class: 'strip-canvas', role: 'img', 'aria-label': 'Weight over time; choose a range by dragging, or in the view By time' });
		this.from = element('span');
		this.to = element('span');
		replace(box, this.canvas, element('div', { class: 'strip-scale', 'aria-hidden': 'true' }, this.from, this.to));
		dragRange(this.canvas, event => this.sliceAt(event), (from, to, isDone) => this.drag(from, to, isDone));
		new ResizeObserver(() => this.paint()).observe(box);
	}

	sliceAt(event) {
		const part = event.offsetX / Math.max(1, this.canvas.clientWidth);
		return Math.max(0, Math.min(this.model.slices - 1, Math.floor(part * this.model.slices)));
	}

	// A click without a drag looks at all time again.
	drag(from, to, isDone) {
		this.dragged = isDone ? null : [from, to];
		if (!isDone) this.paint();
		else if (to > from) this.app.change({ from, to, zoom: [] });
		else this.app.change({ from: -1, to: -1, zoom: [] });
	}

	update(model) {
		this.model = model;
		this.box.hidden = model.slices < 2 || model.state.view === 'time';
		const slice = model.profile.meta.sides[0].slice_s;
		this.from.textContent = '0 s';
		this.to.textContent = `${(slice * model.slices).toFixed(slice < 1 ? 1 : 0)} s`;
		this.paint();
	}

	paint() {
		if (!this.model || this.box.hidden) return;
		const width = this.canvas.clientWidth, colours = theme();
		if (!width) return;
		const surface = new CanvasSurface(this.canvas, width, HEIGHT, devicePixelRatio || 1);
		const columns = columnsOf(this.model, Math.min(this.model.slices, Math.floor(width / 2)));
		const highest = Math.max(...columns) || 1;
		const [from, to] = this.dragged || (this.model.selection.ranged ? [this.model.selection.from, this.model.selection.to] : [0, this.model.slices - 1]);
		columns.forEach((value, i) => {
			const first = i * this.model.slices / columns.length;
			surface.alpha(first >= from && first < to + 1 ? 1 : 0.28);
			const height = Math.max(value > 0 ? 1 : 0, value / highest * (HEIGHT - 2));
			surface.rect(i * width / columns.length, HEIGHT - height, Math.max(1, width / columns.length - (width / columns.length > 4 ? 1 : 0)), height, hsl(colours.kinds.kernel));
		});
		surface.alpha(1);
	}
}

// Slices gathered in that many columns.
function columnsOf(model, count) {
	const columns = new Float64Array(Math.max(1, count));
	for (const slices of model.selection.bySlice)
		slices.forEach((value, i) => { columns[Math.floor(i * columns.length / slices.length)] += value; });
	return columns;
}
