// What a frame under the pointer is, beside the pointer.
import { element, replace } from './element.js';
import { nodeFacts, nodeKind, nodeTitle } from './facts.js';

const PATIENCE_MS = 40; // before figures are added up for a frame passed over

export class Tooltip {
	constructor() {
		this.box = element('div', { class: 'tooltip', hidden: true, 'aria-hidden': 'true' });
		document.body.append(this.box);
	}

	show(model, tree, node, zoom, event) {
		if (node < 0) {
			this.hide();
			return;
		}
		if (node !== this.node || tree !== this.tree) {
			this.node = node;
			this.tree = tree;
			replace(this.box,
				element('strong', {}, nodeTitle(tree, node)),
				element('span', { class: 'tooltip-kind' }, nodeKind(tree, node)));
			clearTimeout(this.timer);
			this.timer = setTimeout(() => this.add(nodeFacts(model, tree, node, zoom), event), PATIENCE_MS);
		}
		this.box.hidden = false;
		this.place(event.clientX, event.clientY);
	}

	add(facts, event) {
		this.box.append(element('dl', {}, facts.map(([what, figure]) => [element('dt', {}, what), element('dd', {}, figure)])));
		this.place(event.clientX, event.clientY);
	}

	place(x, y) {
		const { offsetWidth: width, offsetHeight: height } = this.box;
		const left = x + 14 + width > innerWidth ? Math.max(4, x - width - 10) : x + 14;
		const top = y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18;
		this.box.style.left = `${left}px`;
		this.box.style.top = `${top}px`;
	}

	hide() {
		clearTimeout(this.timer);
		this.node = -1;
		this.box.hidden = true;
	}
}
