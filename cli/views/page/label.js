// What stands on a frame, and how much of it fits.
import { baseName, spellings, visible } from './name.js';
import { functionName, moduleName } from './profile.js';
import { kindOf } from './palette.js';
import { ALL, whoOf } from './tree.js';

const TAGS = { kernel: 'kernel', inlined: 'inlined', jit: 'jit' };

// The whole name of a key of a tree.
export function keyName(profile, key) {
	if (key === ALL) return 'all';
	if (key >= 0) return visible(functionName(profile, profile.frames.function[key]));
	return whoName(profile, whoOf(key));
}

export function whoName(profile, { kind, index }) {
	if (kind === 'nothing') return '[no stack]';
	if (index < 0) return `[unknown ${kind}]`;
	if (kind === 'container') return visible(profile.containers[index].name);
	if (kind === 'process') {
		const { comm, pid } = profile.processes[index];
		return `${visible(comm)}${pid ? ` (${pid})` : ''}`;
	}
	const { comm, tid } = profile.threads[index];
	return `${visible(comm)}${tid ? ` [${tid}]` : ''}`;
}

// "kernel", "inlined" or "jit" where that is to be said, else "".
export function keyTag(profile, key) {
	return TAGS[kindOf(profile, key)] || '';
}

// What else is known of it: its module, or the path of a container.
export function keyPlace(profile, key) {
	if (key >= 0) return visible(moduleName(profile, profile.frames.function[key]));
	const { kind, index } = key === ALL ? {} : whoOf(key);
	if (kind === 'container' && index >= 0) {
		const { runtime, path } = profile.containers[index];
		return visible([runtime, path].filter(Boolean).join(' '));
	}
	if (kind === 'process' && index >= 0) return visible(profile.processes[index].exe);
	return '';
}

export function keyModule(profile, key) {
	return key >= 0 ? baseName(keyPlace(profile, key)) : '';
}

// Widths of texts in one font, from the widths of their characters.
export class Ruler {
	constructor(font) {
		this.context = document.createElement('canvas').getContext('2d');
		this.context.font = font;
		this.widths = new Map();
		this.names = new Map();
	}

	width(text) {
		let sum = 0;
		for (const letter of text) {
			let width = this.widths.get(letter);
			if (width === undefined) {
				width = this.context.measureText(letter).width;
				this.widths.set(letter, width);
			}
			sum += width;
		}
		return sum;
	}

	// The longest spelling of the name that fits, cut where none does; ""
	// where there is no room for two letters.
	fit(name, room) {
		let known = this.names.get(name);
		if (!known) {
			if (this.names.size > 20000) this.names.clear();
			known = spellings(name).map(text => ({ text, width: this.width(text) }));
			this.names.set(name, known);
		}
		for (const spelling of known) if (spelling.width <= room) return spelling.text;
		return this.cut(known[known.length - 1].text, room);
	}

	cut(text, room) {
		let left = room - this.width('…'), end = 0;
		for (const letter of text) {
			left -= this.width(letter);
			if (left < 0) break;
			end += letter.length;
		}
		return end >= 2 ? `${text.slice(0, end)}…` : '';
	}
}
