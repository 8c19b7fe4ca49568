// Elements of the document. Texts are only ever set as text, never as markup:
// names are data.

// properties: "on…" listeners, "class", "data-…", "aria-…" and other
// attributes; false and null leave one out, true sets it without a value.
export function element(tag, properties = {}, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (value === false || value === null || value === undefined) continue;
		if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
		else made.setAttribute(name, value === true ? '' : value);
	}
	append(made, children);
	return made;
}

function append(parent, children) {
	for (const child of children.flat(Infinity)) {
		if (child === null || child === undefined || child === false) continue;
		parent.append(child);
	}
}

export function replace(parent, ...children) {
	parent.replaceChildren();
	append(parent, children);
	return parent;
}

// A file for the user, made here: nothing leaves the page.
export function download(name, blob) {
	const link = element('a', { href: URL.createObjectURL(blob), download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
