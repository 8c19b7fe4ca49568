// The page as a whole: one state, changed in one place, from which everything
// is drawn.
import { copyText } from './clipboard.js';
import { download, element, replace } from './element.js';
import { nodeSentence, nodeTitle, stackText } from './facts.js';
import { Flame } from './flame.js';
import { Help, listenToKeys } from './keys.js';
import { Menu } from './menu.js';
import { Model } from './model.js';
import { functionName } from './profile.js';
import { onThemeChange } from './palette.js';
import { Sandwich } from './sandwich.js';
import { exactly, stateDefault, stateFromFragment, stateToFragment, VIEWS } from './state.js';
import { Strip } from './strip.js';
import { showSummary } from './summary.js';
import { Table } from './table.js';
import { TimeView } from './time.js';
import { Toolbar } from './toolbar.js';
import { Tooltip } from './tooltip.js';
import { showTrail } from './trail.js';

const box = id => document.getElementById(id);

export class App {
	constructor(profile) {
		this.model = new Model(profile);
		this.model.app = this;
		this.state = stateFromFragment(location.hash);
		this.model.use(this.state);
		showSummary(box('summary'), profile);
		this.help = new Help();
		this.toolbar = new Toolbar(box('toolbar'), this);
		this.strip = new Strip(box('strip'), this);
		this.tooltip = new Tooltip();
		this.menu = new Menu();
		this.flame = this.makeFlame();
		this.views = { flame: { box: this.flame.box, update: () => this.showFlame() } };
		listenToKeys((command, event) => this.key(command, event));
		addEventListener('popstate', () => this.readAddress());
		addEventListener('hashchange', () => this.readAddress());
		addEventListener('beforeprint', () => this.beforePrint());
		addEventListener('afterprint', () => { document.querySelectorAll('.print-image').forEach(image => image.remove()); });
		onThemeChange(() => this.draw());
		this.draw();
	}

	makeFlame() {
		return new Flame('Flame graph', {
			hover: (node, event) => this.tooltip.show(this.model, this.model.graph, node, this.flame.zoom, event),
			zoom: node => this.zoomTo(this.model.graph, node),
			menu: (node, event) => this.openMenu(this.model.graph, node, event.clientX, event.clientY),
			cursor: node => this.say(this.model.graph, node),
		});
	}

	view(name) {
		const make = { table: () => new Table(this), sandwich: () => new Sandwich(this), time: () => new TimeView(this) };
		if (!this.views[name]) this.views[name] = make[name]();
		return this.views[name];
	}

	// The only way to change what is shown. how: "push" (back returns here) or
	// "replace".
	change(part, how = 'push') {
		this.state = { ...this.state, ...part };
		const address = `#${stateToFragment(this.state)}`;
		if (address !== location.hash)
			history[how === 'push' ? 'pushState' : 'replaceState'](null, '', address === '#' ? location.pathname + location.search : address);
		this.model.use(this.state);
		this.draw();
	}

	readAddress() {
		this.state = stateFromFragment(location.hash);
		this.model.use(this.state);
		this.draw();
	}

	draw() {
		const view = this.view(this.state.view);
		this.tooltip.hide();
		this.toolbar.update(this.model);
		showTrail(box('trail'), this.model, this);
		this.strip.update(this.model);
		if (!view.box.isConnected) replace(box('stage'), view.box);
		view.update(this.model);
	}

	showFlame() {
		const { model, state } = this;
		const tree = model.graph;
		const isEmpty = tree.count < 2;
		let empty = box('stage').querySelector('.empty');
		if (isEmpty && !empty) box('stage').append(empty = element('p', { class: 'empty' }));
		if (empty) {
			empty.hidden = !isEmpty;
			empty.textContent = model.selection.filtered || model.selection.ranged
				? 'The filters leave no samples. Escape takes them away one by one.'
				: 'There are no samples in this profile.';
		}
		this.flame.show(tree, {
			zoom: tree.nodeAt(state.zoom), icicle: state.icicle, byName: state.byName, matches: model.matches,
			changeOf: model.isComparison ? node => this.changeColourOf(tree, node) : null,
		});
		this.status();
	}

	changeColourOf(tree, node) {
		const { change, noise } = this.model.nodeChange(tree, node);
		return noise ? 0 : Math.max(-1, Math.min(1, change));
	}

	status() {
		const { model } = this;
		const tree = model.graph;
		box('status').textContent = nodeSentence(model, tree, this.flame.zoom, 0);
	}

	// Says a frame aloud, and shows it in the line below.
	say(tree, node) {
		const text = nodeSentence(this.model, tree, node, this.flame.zoom);
		box('live').textContent = text.slice(0, 600);
		box('status').textContent = text;
	}

	zoomTo(tree, node) {
		if (tree === this.model.graph) this.change({ zoom: tree.pathOf(node) });
	}

	filter(kind, called) {
		const pattern = exactly(functionName(this.model.profile, called));
		this.change({ filters: [...this.state.filters, { kind, pattern }], zoom: [] });
	}

	openMenu(tree, node, x, y) {
		const called = tree.functionOf(node);
		const items = [];
		this.tooltip.hide();
		if (tree === this.model.graph) items.push(['Zoom to it', 'Enter', () => this.zoomTo(tree, node)]);
		if (called >= 0)
			items.push(['Callers and callees', 's', () => this.change({ view: 'sandwich', function: called })],
				['Only stacks with it', 'f', () => this.filter('focus', called)],
				['No stacks with it', 'x', () => this.filter('ignore', called)],
				['Hide it, keep what it calls', 'h', () => this.filter('hide', called)],
				['Search for it', '', () => this.change({ search: exactly(functionName(this.model.profile, called)) })]);
		items.push(['Copy the stack', 'c', () => this.copy(tree, node)],
			['Copy the name', '', () => this.copied(copyText(nodeTitle(tree, node)), 'Name')]);
		this.menu.open(items, x, y);
	}

	copy(tree, node) {
		this.copied(copyText(stackText(tree, node, tree !== this.model.tree && tree !== this.model.callees)), 'Stack');
	}

	async copied(done, what) {
		box('live').textContent = await done ? `${what} copied.` : `${what} could not be copied.`;
		box('status').textContent = box('live').textContent;
	}

	key(command, event) {
		const { flame, state, model } = this;
		const inGraph = state.view === 'flame';
		const frames = {
			vertical: () => flame.step((event.key === 'ArrowUp') === !state.icicle ? 'in' : 'out'),
			horizontal: () => flame.step(event.key === 'ArrowLeft' ? 'left' : 'right'),
			zoom: () => this.zoomTo(model.graph, flame.cursor),
			match: () => this.nextMatch(event.key === 'n' ? 1 : -1),
			menu: () => { const { x, y } = flame.placeOf(flame.cursor); this.openMenu(model.graph, flame.cursor, x, y); },
			copy: () => this.copy(model.graph, flame.cursor),
			...Object.fromEntries(['focus', 'ignore', 'hide', 'sandwich'].map(what => [what, () => this.withCursor(what)])),
		};
		if (frames[command]) {
			if (!inGraph) return false;
			if (document.activeElement !== flame.canvas && !this.menu.isOpen) flame.canvas.focus({ preventScroll: true });
			return frames[command]();
		}
		return this.run(command, event);
	}

	withCursor(what) {
		const called = this.model.graph.functionOf(this.flame.cursor);
		if (called < 0) return;
		if (what === 'sandwich') this.change({ view: 'sandwich', function: called });
		else this.filter(what, called);
	}

	// The next frame that matches the search, in the order of drawing.
	nextMatch(by) {
		const { flame, model } = this;
		if (!model.matches) return;
		const drawn = flame.layout.rows.flatMap(row => row.node).filter(node => node > 0 && flame.isMatch(node));
		if (!drawn.length) return;
		const at = drawn.indexOf(flame.cursor);
		flame.moveTo(drawn[(at + by + drawn.length) % drawn.length]);
	}

	run(command, event) {
		const { state } = this;
		if (command in stateDefault() && typeof state[command] === 'boolean')
			return this.change({ [command]: !state[command], ...(command === 'inverted' ? { zoom: [] } : {}) });
		const commands = {
			search: () => { box('search').focus(); box('search').select(); },
			help: () => this.help.open(),
			view: () => this.change({ view: VIEWS[Number(event.key) - 1] }),
			back: () => this.back(event),
			png: () => this.savePng(),
			svg: () => download('hostprof-flame.svg', new Blob([this.drawn().toSvg()], { type: 'image/svg+xml' })),
			print: () => print(),
		};
		return commands[command] ? commands[command]() : false;
	}

	// One step back: out of the search box, the zoom, the search, the filters.
	back(event) {
		const { state } = this;
		if (event.target === box('search') && state.search) this.change({ search: '' });
		else if (event.target === box('search')) box('search').blur();
		else if (this.help.dialog.open) return false;
		else if (state.zoom.length) this.change({ zoom: [] });
		else if (state.search) this.change({ search: '' });
		else if (state.filters.length) this.change({ filters: state.filters.slice(0, -1) });
		else if (state.from >= 0) this.change({ from: -1, to: -1 });
		else this.change({ container: -1, process: -1, thread: -1 });
		return true;
	}

	// The graph that is seen; the flame graph where none is.
	drawn() {
		return this.state.view === 'sandwich' && this.state.function >= 0 ? this.view('sandwich').callees : this.flame;
	}

	savePng() {
		this.drawn().toCanvas().toBlob(blob => download('hostprof-flame.png', blob), 'image/png');
	}

	// A canvas prints what is in sight, in the colours of the screen: an image
	// of the whole graph on white stands in for it.
	beforePrint() {
		if (this.state.view !== 'flame') return;
		const image = element('img', { class: 'print-image', alt: 'Flame graph' });
		image.src = this.flame.toCanvas(true).toDataURL();
		box('stage').append(image);
	}
}
