// Colours of frames. What kind of code a frame is decides the hue, its module
// and name space the shade, so that what belongs together looks alike
// everywhere. Text on all of them has a contrast of at least 4.5.
import { scopeOf } from './name.js';
import { KERNEL, JIT, SPECIAL, INLINED, functionName, moduleName } from './profile.js';
import { whoOf } from './tree.js';

const LIGHT = {
	paper: '#ffffff', text: '#1c1d20', faint: '#5b616b', line: '#ffffff', cursor: '#0b57d0',
	hit: [292, 62, 76], neutral: [45, 6, 87], lift: 1,
	kinds: { user: [28, 80, 77], inlined: [48, 70, 86], kernel: [214, 52, 79], jit: [152, 36, 75],
		special: [0, 0, 86], container: [258, 32, 85], process: [226, 18, 85], thread: [205, 18, 88],
		all: [220, 10, 90] },
	spread: 7, hues: 18, dim: 0.26,
};
const DARK = {
	paper: '#16181c', text: '#f3f3f1', faint: '#a9afb9', line: '#16181c', cursor: '#8ab4f8',
	hit: [292, 44, 42], neutral: [220, 4, 30], lift: -1,
	kinds: { user: [24, 46, 36], inlined: [44, 34, 31], kernel: [214, 34, 37], jit: [155, 28, 31],
		special: [0, 0, 28], container: [258, 20, 36], process: [226, 12, 33], thread: [205, 12, 29],
		all: [220, 8, 25] },
	spread: 6, hues: 16, dim: 0.3,
};

const dark = matchMedia('(prefers-color-scheme: dark)');

export function theme(printing = false) {
	return dark.matches && !printing ? DARK : LIGHT;
}

export function onThemeChange(listener) {
	dark.addEventListener('change', listener);
}

// "kernel", "inlined", … of a key of a tree; how a frame is told apart.
export function kindOf(profile, key) {
	if (key < -1) return whoOf(key).kind === 'nothing' ? 'special' : whoOf(key).kind;
	if (key < 0) return 'all';
	const kind = profile.frames.kind[key];
	if (kind & INLINED) return 'inlined';
	return { [KERNEL]: 'kernel', [JIT]: 'jit', [SPECIAL]: 'special' }[kind] || 'user';
}

function hash(text) {
	let value = 2166136261;
	for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
	return (value >>> 0) / 4294967296;
}

const shades = new WeakMap(); // profile -> function -> shade, 0 to 1

function shadeOf(profile, called) {
	if (!shades.has(profile)) shades.set(profile, new Map());
	const known = shades.get(profile);
	if (!known.has(called)) {
		const name = functionName(profile, called);
		const own = hash(name) * 0.3;
		known.set(called, hash(moduleName(profile, called) + scopeOf(name)) * 0.7 + own);
	}
	return known.get(called);
}

export function hsl([hue, saturation, lightness]) {
	return `hsl(${hue.toFixed(0)} ${saturation.toFixed(0)}% ${lightness.toFixed(1)}%)`;
}

export function frameColour(profile, key, colours) {
	const [hue, saturation, lightness] = colours.kinds[kindOf(profile, key)];
	if (key < 0) return hsl([hue, saturation, lightness]);
	const shade = shadeOf(profile, profile.frames.function[key]) - 0.5;
	return hsl([hue + shade * colours.hues, saturation, lightness + shade * colours.spread]);
}

// From blue (less) by grey to red (more); change is -1 to 1.
export function changeColour(change, colours) {
	const [hue, saturation, lightness] = colours.neutral;
	if (!change) return hsl([hue, saturation, lightness]);
	const size = Math.min(1, Math.abs(change));
	const strong = colours.lift > 0 ? 24 : -12;
	return hsl([change > 0 ? 8 : 212, 30 + size * 48, lightness - 4 * colours.lift - size * strong]);
}

// From the paper's colour to a strong one, part 0 to 1: cells by time.
export function heatColour(part, colours) {
	if (!(part > 0)) return colours.lift > 0 ? 'hsl(40 14% 95%)' : 'hsl(220 8% 14%)';
	const p = Math.min(1, part);
	return colours.lift > 0
		? hsl([44 - 36 * p, 55 + 30 * p, 92 - 47 * p])
		: hsl([28 + 16 * p, 40 + 40 * p, 18 + 46 * p]);
}
