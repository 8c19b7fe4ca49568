// The sandwich: one function, its callers above and its callees below, over
// all stacks it is in.
import { element, replace } from './element.js';
import { Flame } from './flame.js';
import { baseName, visible } from './name.js';
import * as number from './number.js';
import { functionName, moduleName } from './profile.js';

const CHOICES = 12;

export class Sandwich {
	constructor(app) {
		this.app = app;
		this.title = element('div', { class: 'sandwich-title' });
		this.callers = this.flame('Callers', 'callers');
		this.callees = this.flame('Callees', 'callees');
		this.graphs = element('div', { class: 'sandwich-graphs' },
			element('h3', {}, 'Callers'), this.callers.box, element('h3', {}, 'Callees'), this.callees.box);
		this.choices = element('div', { class: 'choices' });
		this.box = element('section', { class: 'sandwich', 'aria-label': 'Callers and callees' }, this.title, this.graphs, this.choices);
	}

	flame(label, which) {
		const { app } = this;
		const tree = () => app.model[which];
		return new Flame(label, {
			hover: (node, event) => app.tooltip.show(app.model, tree(), node, 0, event),
			zoom: node => {
				const called = tree().functionOf(node);
				if (called >= 0) app.change({ function: called });
			},
			menu: (node, event) => app.openMenu(tree(), node, event.clientX, event.clientY),
			cursor: node => app.say(tree(), node),
		});
	}

	update(model) {
		const called = model.state.function;
		const isKnown = called >= 0 && called < model.profile.functions.count;
		this.graphs.hidden = !isKnown;
		this.choices.hidden = isKnown;
		if (!isKnown) {
			this.offer(model);
			return;
		}
		this.head(model, called);
		const options = { zoom: 0, rootless: true, byName: model.state.byName, matches: model.matches };
		for (const [flame, tree, icicle] of [[this.callers, model.callers, false], [this.callees, model.callees, true]]) {
			const changeOf = model.isComparison ? node => model.app.changeColourOf(tree, node) : null;
			flame.show(tree, { ...options, icicle, changeOf });
		}
	}

	head(model, called) {
		const { sums, selection, metric } = model;
		const side = sums.length - 1;
		const share = which => number.percent(sums[side][which][called] / (selection.windows[side].total || 1));
		const weight = which => number.weight(sums[side][which][called], metric.unit);
		replace(this.title,
			element('h2', {}, visible(functionName(model.profile, called))),
			element('p', {}, `${baseName(visible(moduleName(model.profile, called))) || 'unknown module'} · total ${weight('total')} (${share('total')}) · self ${weight('self')} (${share('self')})`),
			element('button', { type: 'button', class: 'plain', onclick: () => this.app.change({ function: -1 }) }, 'Choose another'));
	}

	// No function yet: the heaviest, to start with.
	offer(model) {
		const { total } = model.sums[model.sums.length - 1];
		const { self } = model.sums[model.sums.length - 1];
		const heaviest = Array.from(self.keys()).filter(called => total[called] > 0 && (!model.matches || model.matches[called]))
			.sort((a, b) => self[b] - self[a]).slice(0, CHOICES);
		replace(this.title, element('h2', {}, 'Choose a function'), element('p', {}, 'Its callers and callees over all stacks are shown together. Search narrows this list; every function in the table and every frame of the graph leads here too.'));
		replace(this.choices, element('ul', {}, heaviest.map(called => element('li', {},
			element('button', { type: 'button', class: 'link', onclick: () => this.app.change({ function: called }) }, visible(functionName(model.profile, called))),
			element('span', {}, ` ${number.percent(self[called] / (model.selection.windows[model.sums.length - 1].total || 1))} self`)))));
		if (!heaviest.length) replace(this.choices, element('p', { class: 'empty' }, 'The filters leave no function to choose.'));
	}
}
