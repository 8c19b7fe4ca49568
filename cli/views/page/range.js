// Choosing a range by dragging over a canvas. at(event) tells the slice under
// the pointer; changed(from, to, isDone) is called while it moves.

export function dragRange(canvas, at, changed) {
	let start = -1;
	const range = event => {
		const here = at(event);
		return [Math.min(start, here), Math.max(start, here)];
	};
	canvas.addEventListener('pointerdown', event => {
		if (event.button !== 0) return;
		start = at(event);
		canvas.setPointerCapture(event.pointerId);
		changed(start, start, false);
	});
	canvas.addEventListener('pointermove', event => {
		if (start >= 0) changed(...range(event), false);
	});
	canvas.addEventListener('pointerup', event => {
		if (start < 0) return;
		const [from, to] = range(event);
		start = -1;
		changed(from, to, true);
	});
	canvas.addEventListener('pointercancel', () => { start = -1; });
}
