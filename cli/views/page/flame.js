// The flame graph itself: a canvas as high as the window that shows the rows
// of a layout in sight, a frame under the pointer and one under the keyboard.
import { element } from './element.js';
import { keyName, keyTag, Ruler } from './label.js';
import { Layout } from './layout.js';
import { changeColour, frameColour, hsl, theme } from './palette.js';
import { CanvasSurface, SvgSurface } from './surface.js';

const ROW = 21, FONT_SIZE = 12, PAD = 5;
const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const FONT = `${FONT_SIZE}px ${FAMILY}`;

export class Flame {
	// listeners: hover(node, event), zoom(node), menu(node, event), cursor(node)
	constructor(label, listeners) {
		this.listeners = listeners;
		this.canvas = element('canvas', {
			class: 'flame-canvas', tabindex: '0', role: 'application',
			'aria-label': label, 'aria-roledescription': 'flame graph', 'aria-describedby': 'flame-help',
		});
		this.spacer = element('div', { class: 'flame-spacer' }, this.canvas);
		this.box = element('div', { class: 'flame', tabindex: '-1' }, this.spacer);
		this.ruler = new Ruler(FONT);
		this.cursor = 0;
		this.hovered = -1;
		this.listen();
	}

	listen() {
		const { canvas } = this;
		canvas.addEventListener('mousemove', event => this.hover(this.nodeAt(event), event));
		canvas.addEventListener('mouseleave', event => this.hover(-1, event));
		canvas.addEventListener('click', event => this.choose(this.nodeAt(event), event));
		canvas.addEventListener('contextmenu', event => {
			const node = this.nodeAt(event);
			if (node < 0) return;
			event.preventDefault();
			this.moveTo(node);
			this.listeners.menu(node, event);
		});
		this.box.addEventListener('scroll', () => this.paint());
		canvas.addEventListener('focus', () => this.paint());
		canvas.addEventListener('blur', () => this.paint());
		new ResizeObserver(() => this.resize()).observe(this.box);
	}

	// options: zoom (node), icicle, byName, rootless, matches (per function, or null),
	// changeOf (node -> -1 to 1, or null)
	show(tree, options) {
		Object.assign(this, { tree, ...options });
		this.cursor = options.zoom;
		this.hovered = -1;
		this.arrange();
		this.scrollToZoom();
		this.paint();
	}

	arrange() {
		this.width = Math.max(50, this.box.clientWidth);
		this.layout = new Layout(this.tree, this.zoom, this.width, this.byName, this.rootless);
		this.height = Math.max(this.layout.rows.length * ROW, 1);
		this.spacer.style.height = `${this.height}px`;
		this.viewport = Math.min(this.box.clientHeight || this.height, Math.max(this.height, ROW));
		this.canvas.style.height = `${this.viewport}px`;
		if (!this.icicle) this.spacer.style.marginTop = `${Math.max(0, (this.box.clientHeight || 0) - this.height)}px`;
		else this.spacer.style.marginTop = '0';
	}

	resize() {
		if (!this.tree || !this.box.clientWidth) return;
		this.arrange();
		this.paint();
	}

	// Brings the frame that is zoomed to in sight: the root's end of the graph.
	scrollToZoom() {
		const depth = this.layout.zoomRow;
		const away = Math.max(0, (depth - 3) * ROW);
		this.box.scrollTop = this.icicle ? away : this.height - this.viewport - away;
	}

	rowTop(depth) {
		return this.icicle ? depth * ROW : this.height - (depth + 1) * ROW;
	}

	nodeAt(event) {
		const y = event.offsetY + this.scrolled();
		const depth = this.icicle ? Math.floor(y / ROW) : Math.floor((this.height - y) / ROW);
		return this.layout ? this.layout.at(depth, event.offsetX) : -1;
	}

	// How far the rows in sight are from the top of all rows.
	scrolled() {
		return Math.max(0, Math.min(this.box.scrollTop, this.height - this.viewport));
	}

	hover(node, event) {
		if (node !== this.hovered) {
			this.hovered = node;
			this.canvas.classList.toggle('over', node >= 0);
			this.paint();
		}
		this.listeners.hover(node, event);
	}

	choose(node, event) {
		if (node < 0) return;
		this.moveTo(node);
		this.listeners.zoom(node, event);
	}

	moveTo(node) {
		this.cursor = node;
		this.reveal(node);
		this.paint();
		this.listeners.cursor(node);
	}

	step(direction) {
		this.moveTo(this.layout.step(this.cursor, direction));
	}

	reveal(node) {
		const place = this.layout.find(node);
		if (!place) return;
		const top = this.rowTop(place.depth);
		if (top < this.scrolled()) this.box.scrollTop = top;
		else if (top + ROW > this.scrolled() + this.viewport) this.box.scrollTop = top + ROW - this.viewport;
	}

	// Where a node is on the screen, for menus opened by the keyboard.
	placeOf(node) {
		const place = this.layout.find(node), box = this.canvas.getBoundingClientRect();
		if (!place) return { x: box.left, y: box.top };
		return { x: box.left + place.x, y: box.top + this.rowTop(place.depth) - this.scrolled() + ROW };
	}

	paint() {
		if (!this.layout) return;
		const top = this.scrolled();
		const surface = new CanvasSurface(this.canvas, this.width, this.viewport, devicePixelRatio || 1);
		this.paintRows(surface, theme(), top, this.viewport, true);
	}

	paintRows(surface, colours, top, height, live) {
		surface.font(FONT);
		surface.rect(0, 0, this.width, height, colours.paper);
		for (let depth = 0; depth < this.layout.rows.length; depth++) {
			const y = this.rowTop(depth) - top;
			if (y > -ROW && y < height) this.paintRow(surface, colours, depth, y);
		}
		if (live && this.hovered >= 0) this.outline(surface, this.hovered, top, colours.text);
		if (live && document.activeElement === this.canvas) this.outline(surface, this.cursor, top, colours.cursor);
	}

	outline(surface, node, top, colour) {
		const place = this.layout.find(node);
		if (place) surface.outline(place.x, this.rowTop(place.depth) - top, place.end - place.x, ROW - 1, colour);
	}

	paintRow(surface, colours, depth, y) {
		const row = this.layout.rows[depth];
		const above = depth < this.layout.zoomRow;
		for (let i = 0; i < row.node.length; i++) {
			const node = row.node[i], x = row.x[i];
			const width = row.end[i] - x;
			const gap = width > 3 ? 1 : 0;
			surface.alpha(this.alphaOf(node, above, colours));
			surface.rect(x, y, Math.max(width - gap, 0.5), ROW - 1, this.fillOf(node, colours));
			if (node >= 0 && width > 22) this.paintLabel(surface, colours, node, x, y, width);
		}
		surface.alpha(1);
	}

	alphaOf(node, above, colours) {
		if (this.matches && node > 0 && !this.isMatch(node)) return colours.dim;
		return above ? 0.62 : 1;
	}

	isMatch(node) {
		const called = this.tree.functionOf(node);
		return called >= 0 && this.matches[called] === 1;
	}

	fillOf(node, colours) {
		if (node < 0) return hsl(colours.neutral);
		if (this.matches && this.isMatch(node)) return hsl(colours.hit);
		const { profile, key } = this.tree;
		if (this.changeOf) return changeColour(this.changeOf(node), colours);
		return frameColour(profile, key[node], colours);
	}

	paintLabel(surface, colours, node, x, y, width) {
		const { profile, key } = this.tree;
		const room = width - 2 * PAD;
		const name = this.ruler.fit(keyName(profile, key[node]), room);
		if (!name) return;
		surface.alpha(this.matches && node > 0 && !this.isMatch(node) ? 0.75 : 1);
		surface.text(x + PAD, y + ROW / 2, name, colours.text);
		const tag = keyTag(profile, key[node]);
		const used = this.ruler.width(name) + 8;
		if (!tag || used + this.ruler.width(tag) > room) return;
		surface.alpha(0.72);
		surface.text(x + PAD + used, y + ROW / 2, tag, colours.text);
	}

	// The whole graph, not only what is in sight.
	toSvg() {
		const surface = new SvgSurface(this.width, this.height);
		this.paintRows(surface, theme(true), 0, this.height, false);
		return surface.end();
	}

	toCanvas(printing = false) {
		const canvas = element('canvas');
		const height = Math.min(this.height, 16000);
		this.paintRows(new CanvasSurface(canvas, this.width, height, 2), theme(printing), 0, height, false);
		return canvas;
	}
}
