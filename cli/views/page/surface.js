// Where frames are painted: a canvas for the screen, an SVG text for files.

export class CanvasSurface {
	constructor(canvas, width, height, ratio) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		this.context = canvas.getContext('2d');
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.context.textBaseline = 'middle';
	}

	font(font) { this.context.font = font; }

	alpha(part) { this.context.globalAlpha = part; }

	rect(x, y, width, height, fill) {
		this.context.fillStyle = fill;
		this.context.fillRect(x, y, width, height);
	}

	text(x, y, text, fill) {
		this.context.fillStyle = fill;
		this.context.fillText(text, x, y);
	}

	outline(x, y, width, height, stroke) {
		this.context.strokeStyle = stroke;
		this.context.lineWidth = 2;
		this.context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), height - 2);
	}
}

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export class SvgSurface {
	constructor(width, height) {
		this.parts = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n`];
		this.opacity = '';
	}

	font(font) {
		const [, weight, size, family] = /^(\d+ )?(\d+)px (.*)$/.exec(font);
		this.style = `font-family="${escapeXml(family)}" font-size="${size}" font-weight="${(weight || '400').trim()}"`;
	}

	alpha(part) { this.opacity = part < 1 ? ` opacity="${part}"` : ''; }

	rect(x, y, width, height, fill) {
		this.parts.push(`<rect x="${x.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${height}" fill="${fill}"${this.opacity}/>\n`);
	}

	text(x, y, text, fill) {
		this.parts.push(`<text x="${x.toFixed(2)}" y="${y}" dominant-baseline="central" fill="${fill}" ${this.style}${this.opacity}>${escapeXml(text)}</text>\n`);
	}

	outline() {}

	end() { return `${this.parts.join('')}</svg>\n`; }
}

// What XML allows of a text, escaped.
export function escapeXml(text) {
	// eslint-disable-next-line no-control-regex
	return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/g, character =>
		/[\ud800-\udfff]/.test(character) ? '\ufffd' : '').replace(/[&<>"]/g, letter => escapes[letter]);
}
