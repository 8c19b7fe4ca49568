// Before and after: what changed, and what is only noise.
import * as number from './number.js';

const EFFECT = 1.5; // samples of a busy machine come in groups: interval.c
const NOISE = 2.6;  // standard errors; many frames are looked at at once

// change: after / before on a scale of logarithms where 1 is twice as much and
// -1 half; noise: it may well be nothing.
export function changeOf(before, after, samplesBefore, samplesAfter) {
	const nothing = 0.5; // of a sample, where there was none
	const ratio = ratioOf(before, after, samplesBefore, samplesAfter, nothing);
	const error = Math.sqrt(EFFECT * (1 / Math.max(samplesBefore, nothing) + 1 / Math.max(samplesAfter, nothing)));
	const change = Math.log2(ratio);
	return { change, noise: !(Math.abs(Math.log(ratio)) > NOISE * error) };
}

function ratioOf(before, after, samplesBefore, samplesAfter, nothing) {
	if (before > 0 && after > 0) return after / before;
	if (before > 0) return nothing / Math.max(samplesBefore, nothing);
	if (after > 0) return Math.max(samplesAfter, nothing) / nothing;
	return 1;
}

// A weight in a window as a rate, so that windows of different length compare:
// time per time is cores.
export function rateText(weight, seconds, unit) {
	const rate = weight / (seconds || 1);
	if (unit === 'nanoseconds') return `${(rate / 1e9).toFixed(3)} cores`;
	return `${number.weight(rate, unit)}/s`;
}

// "+90.3 % (+81.0 to +100.2), more": what diff says of a function's self.
export function diffText(diff) {
	const signed = part => `${part < 0 ? '−' : '+'}${Math.abs(part * 100).toFixed(1)}`;
	if (diff.change === null) return diff.verdict;
	return `${signed(diff.change)} % (${signed(diff.low)} to ${signed(diff.high)}), ${diff.verdict}`;
}

export function verdict(change) {
	if (change.noise) return 'noise';
	return change.change > 0 ? 'more' : 'less';
}
