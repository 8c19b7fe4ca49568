// The keyboard: what each key does, in one list that the help shows too.
import { element, replace } from './element.js';

// [key or keys, what it says in the help, command]
const KEYS = [
	['ArrowUp ArrowDown', 'to the frame above or below', 'vertical'],
	['ArrowLeft ArrowRight', 'to the frame beside', 'horizontal'],
	['Enter', 'zoom to the frame', 'zoom'],
	['Escape', 'zoom out, then clear search and filters one by one', 'back'],
	['/', 'search', 'search'],
	['n N', 'to the next or previous match', 'match'],
	['m', 'menu of the frame', 'menu'],
	['s', 'callers and callees of the frame', 'sandwich'],
	['f', 'only stacks with the frame', 'focus'],
	['x', 'no stacks with the frame', 'ignore'],
	['h', 'hide the frame, keep what it calls', 'hide'],
	['c', 'copy the stack', 'copy'],
	['1 2 3 4', 'flame graph, functions, sandwich, by time', 'view'],
	['i', 'icicle: callers on top', 'icicle'],
	['v', 'inverted: the innermost frame first', 'inverted'],
	['r', 'merge recursion', 'recursion'],
	['o', 'sort by name', 'byName'],
	['?', 'this help', 'help'],
];
const SIGNS = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };

export function listenToKeys(run) {
	document.addEventListener('keydown', event => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
		const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
		const isButton = event.target.closest('button, a, summary, [role=menu], dialog') !== null;
		if (isTyping && event.key !== 'Escape') return;
		if (isButton && (event.key === 'Enter' || event.key.startsWith('Arrow'))) return;
		const found = KEYS.find(([keys]) => keys.split(' ').includes(event.key));
		if (found && run(found[2], event) !== false) event.preventDefault();
	});
}

export class Help {
	constructor() {
		this.dialog = element('dialog', { class: 'help', 'aria-labelledby': 'help-title' });
		replace(this.dialog,
			element('form', { method: 'dialog' }, element('h2', { id: 'help-title' }, 'Keyboard'), element('button', { class: 'plain' }, 'Close')),
			element('dl', {}, KEYS.map(([keys, text]) => [
				element('dt', {}, keys.split(' ').map(key => element('kbd', {}, SIGNS[key] || key))), element('dd', {}, text)])),
			element('p', { id: 'flame-help' }, 'In the flame graph arrows move between frames, Enter zooms, Escape goes back, M opens a menu. A click zooms too, a click with the right button opens the menu. The width of a frame is its part of what is shown.'));
		document.body.append(this.dialog);
	}

	open() { this.dialog.showModal(); }
}
