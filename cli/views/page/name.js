// Names on the page are what hostile binaries call themselves: shown so that
// they cannot turn the line around or hide in it, and shortened so that they
// fit.

// Marks that change the direction of text, or take no room.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\ufff9-\ufffb]/g;
const LONGEST = 2000; // characters shown of one name

export function visible(text) {
	const plain = text.replace(UNSEEN, mark => `\\u{${mark.codePointAt(0).toString(16)}}`);
	return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}

export function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

// Removes what stands in brackets of one kind, at any depth:
// "f<a<b>>(int)" without "<>" is "f<…>(int)".
function without(name, open, close) {
	let depth = 0, out = '';
	for (const letter of name) {
		if (letter === open && depth++ === 0) out += `${open}…`;
		else if (letter === close && depth > 0 && --depth === 0) out += close;
		else if (depth === 0) out += letter;
	}
	return depth ? name : out;
}

// Ever shorter spellings of a name, the longest first: without arguments,
// without template arguments, without the path of a Go package, the last parts.
export function spellings(name) {
	const list = [name];
	if (name.length > 400) name = name.slice(0, 400);
	if (/(^|[^\w-])operator\W/.test(name)) return list;
	const last = () => list[list.length - 1];
	const add = text => { if (text && text.length < last().length) list.push(text); };
	if (/^[\w.-]+\/[\w./-]*\.|\.\(\*/.test(name)) {
		add(name.slice(name.search(/[^/(]*(\(|$)/)));
		add(name.slice(name.lastIndexOf('.') + 1));
		return list;
	}
	add(without(name, '(', ')').replace(/\(…\).*$/, ''));
	add(without(last(), '<', '>'));
	const parts = last().split('::');
	if (parts.length > 2) add(parts.slice(-2).join('::'));
	if (parts.length > 1) add(parts[parts.length - 1]);
	return list;
}

// What a name belongs to: "std::vector" of "std::vector<int>::push_back", the
// package of a Go function; "" where the name tells nothing of it.
export function scopeOf(name) {
	const plain = name.replace(/[(<].*/s, '');
	const colons = plain.lastIndexOf('::');
	if (colons > 0) return plain.slice(0, colons);
	const dot = plain.indexOf('.', plain.lastIndexOf('/') + 1);
	return dot > 0 ? plain.slice(0, dot) : '';
}
