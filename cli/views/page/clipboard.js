// Copies a text. A page opened as a file may not use the clipboard's
// interface; then a selection is copied as a person would do it.

export async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const box = document.createElement('textarea');
		box.value = text;
		box.className = 'unseen';
		document.body.append(box);
		box.select();
		const done = document.execCommand('copy');
		box.remove();
		return done;
	}
}
