// What the page shows, kept in the address: a link reproduces the view.

export const VIEWS = ['flame', 'table', 'sandwich', 'time'];
export const GROUPS = ['', 'container', 'process', 'thread', 'container.process', 'process.thread'];
export const FILTER_KINDS = ['focus', 'ignore', 'hide'];

const DEFAULTS = {
	view: 'flame', metric: '', group: '', search: '', sort: 'self', function: -1,
	container: -1, process: -1, thread: -1, from: -1, to: -1,
	icicle: false, inverted: false, recursion: false, byName: false,
	zoom: [], filters: [],
};

export function stateDefault() {
	return { ...DEFAULTS, zoom: [], filters: [] };
}

// "#view=table&focus=^main$&zoom=3.17"; what is as usual is left out. zoom is
// the keys of the frames from the root.
export function stateToFragment(state) {
	const fields = new URLSearchParams();
	for (const [name, usual] of Object.entries(DEFAULTS)) {
		const value = state[name];
		if (Array.isArray(usual) || value === usual) continue;
		fields.set(name, value === true ? '1' : String(value));
	}
	if (state.zoom.length) fields.set('zoom', state.zoom.join('.'));
	for (const filter of state.filters) fields.append(filter.kind, filter.pattern);
	return fields.toString();
}

// Anything may stand in an address: what is not understood is left as usual.
export function stateFromFragment(fragment) {
	const fields = new URLSearchParams(fragment.replace(/^#/, ''));
	const state = stateDefault();
	for (const [name, usual] of Object.entries(DEFAULTS)) {
		const text = fields.get(name);
		if (text === null || Array.isArray(usual)) continue;
		if (typeof usual === 'boolean') state[name] = text === '1';
		else if (typeof usual === 'string') state[name] = text;
		else if (/^\d{1,9}$/.test(text)) state[name] = Number(text);
	}
	if (!VIEWS.includes(state.view)) state.view = 'flame';
	if (!GROUPS.includes(state.group)) state.group = '';
	if (/^-?\d+(\.-?\d+)*$/.test(fields.get('zoom') || ''))
		state.zoom = fields.get('zoom').split('.').map(Number);
	for (const [kind, pattern] of fields)
		if (FILTER_KINDS.includes(kind) && pattern) state.filters.push({ kind, pattern });
	return state;
}

// A pattern as typed: a regular expression, or plain text where it is none.
// Without capitals it matches both cases.
export function patternOf(text) {
	const flags = /[A-Z]/.test(text.replace(/\\./g, '')) ? 'u' : 'iu';
	try {
		return new RegExp(text, flags);
	} catch {
		return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), flags);
	}
}

// The pattern that matches this name only.
export function exactly(name) {
	return `^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
}
