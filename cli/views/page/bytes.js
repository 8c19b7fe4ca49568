// The page's data: base64 of gzip of columns of varints (page.h says which).

export async function inflate(base64) {
	const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(base64) : decode(base64);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function decode(base64) {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

export class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	number() {
		let value = 0, scale = 1, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 0x7f) * scale;
			scale *= 128;
		} while (byte & 0x80);
		return value;
	}

	text(length) {
		this.at += length;
		return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
	}

	// Lengths of all texts, then all texts.
	texts() {
		const lengths = this.column();
		return Array.from(lengths, length => this.text(length));
	}

	// A column of numbers below 2^32, each lowered by offset (0 or 1): what is
	// missing becomes -1.
	column(offset = 0) {
		const count = this.number();
		const out = offset ? new Int32Array(count) : new Uint32Array(count);
		const bytes = this.bytes;
		let at = this.at;
		for (let i = 0; i < count; i++) {
			let byte = bytes[at++];
			let value = byte & 0x7f;
			for (let shift = 7; byte & 0x80; shift += 7) {
				byte = bytes[at++];
				value |= (byte & 0x7f) << shift;
			}
			out[i] = value - offset;
		}
		this.at = at;
		return out;
	}

	// A column of larger numbers; beyond 2^53 they lose their last digits.
	wide() {
		const count = this.number();
		const out = new Float64Array(count);
		const bytes = this.bytes;
		let at = this.at;
		for (let i = 0; i < count; i++) {
			let byte = bytes[at++];
			let value = byte & 0x7f;
			for (let scale = 128; byte & 0x80; scale *= 128) {
				byte = bytes[at++];
				value += (byte & 0x7f) * scale;
			}
			out[i] = value;
		}
		this.at = at;
		return out;
	}
}
