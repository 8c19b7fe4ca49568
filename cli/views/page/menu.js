// What can be done with a frame: a menu at the pointer or at the frame.
import { element, replace } from './element.js';

export class Menu {
	constructor() {
		this.box = element('div', { class: 'menu', role: 'menu', hidden: true, 'aria-label': 'With this frame' });
		this.box.addEventListener('keydown', event => this.key(event));
		document.body.append(this.box);
		document.addEventListener('pointerdown', event => { if (!this.box.contains(event.target)) this.close(); });
	}

	// items: [text, key or "", action]
	open(items, x, y) {
		this.before = document.activeElement;
		replace(this.box, items.map(([text, key, action]) => element('button', {
			role: 'menuitem', type: 'button', tabindex: '-1',
			onclick: () => { this.close(); action(); },
		}, text, key && element('kbd', {}, key))));
		this.box.hidden = false;
		this.box.style.left = `${Math.max(4, Math.min(x, innerWidth - this.box.offsetWidth - 4))}px`;
		this.box.style.top = `${Math.max(4, Math.min(y, innerHeight - this.box.offsetHeight - 4))}px`;
		this.box.firstChild.focus();
	}

	get isOpen() { return !this.box.hidden; }

	close() {
		if (!this.isOpen) return;
		this.box.hidden = true;
		if (this.before) this.before.focus();
	}

	key(event) {
		const items = [...this.box.children];
		const at = items.indexOf(document.activeElement);
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		event.stopPropagation();
		if (event.key === 'Escape' || event.key === 'Tab') this.close();
		else if (step) items[(at + step + items.length) % items.length].focus();
		else return;
		event.preventDefault();
	}
}
