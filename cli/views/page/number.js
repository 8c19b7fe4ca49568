// Numbers as people read them.

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function count(value) {
	return grouped.format(value);
}

// A weight in the metric's unit: "12.31 s", "240 ms", "1,219".
export function weight(value, unit) {
	if (unit === 'nanoseconds') return duration(value / 1e9);
	if (unit === 'bytes') return bytes(value);
	return count(value);
}

export function duration(seconds) {
	const size = Math.abs(seconds);
	if (size === 0) return '0 s';
	if (size >= 100) return `${grouped.format(seconds)} s`;
	if (size >= 1) return `${seconds.toFixed(2)} s`;
	if (size >= 0.001) return `${(seconds * 1e3).toFixed(size >= 0.1 ? 0 : 1)} ms`;
	return `${(seconds * 1e6).toFixed(size >= 1e-4 ? 0 : 1)} µs`;
}

export function bytes(value) {
	const units = ['B', 'KB', 'MB', 'GB', 'TB'];
	let at = 0;
	while (value >= 1000 && at < units.length - 1) {
		value /= 1000;
		at++;
	}
	return `${at ? value.toFixed(1) : grouped.format(value)} ${units[at]}`;
}

export function percent(part) {
	if (!(part >= 0) && !(part < 0)) return '–';
	if (part > 0 && part < 0.0005) return '<0.1 %';
	return `${(part * 100).toFixed(1)} %`;
}

// "61.6 % ±1.9": the wider half of the interval.
export function margin(part, interval) {
	return `±${(Math.max(part - interval.low, interval.high - part) * 100).toFixed(1)}`;
}

// "+12.3 %"; a part that was nothing before has no relative change.
export function change(before, after) {
	if (!before && !after) return '0.0 %';
	if (!before) return 'new';
	if (!after) return 'gone';
	const part = after / before - 1;
	return `${part < 0 ? '−' : '+'}${Math.abs(part * 100).toFixed(1)} %`;
}

export function time(ms) {
	return `${new Date(ms).toISOString().replace('T', ' ').replace(/(\.000)?Z$/, '')} UTC`;
}
