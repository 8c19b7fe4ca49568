// How far a share can be trusted: interval.c says by which method; a test
// holds the two together.

const Z = 1.959963985; // normal distribution, 97.5 %
const EFFECT_MAX = 1.5;
export const BATCHES = 20;

export function studentT(degrees) {
	const few = [12.7062, 4.30265, 3.18245, 2.77645];
	if (degrees < 5) return few[degrees < 1 ? 0 : degrees - 1];
	const z3 = Z ** 3, z5 = Z ** 5, z7 = Z ** 7;
	return Z + (z3 + Z) / 4 / degrees + (5 * z5 + 16 * z3 + 3 * Z) / 96 / degrees ** 2 +
		(3 * z7 + 19 * z5 + 17 * z3 - 15 * Z) / 384 / degrees ** 3;
}

export function wilson(share, n) {
	if (!(n > 0)) return { low: 0, high: 1 };
	const z2 = Z * Z;
	const centre = (share + z2 / (2 * n)) / (1 + z2 / n);
	const half = Z / (1 + z2 / n) * Math.sqrt(share * (1 - share) / n + z2 / (4 * n * n));
	return {
		low: Math.max(0, Math.min(share, centre - half)),
		high: Math.min(1, Math.max(share, centre + half)),
	};
}

function ratioVariance(part, whole, share) {
	const n = whole.length;
	let squares = 0, sum = 0, before = 0;
	for (let i = 0; i < n; i++) {
		const rest = part[i] - share * whole[i];
		if (i) squares += (rest - before) ** 2;
		before = rest;
		sum += whole[i];
	}
	return squares / 2 * n / (n - 1) / (sum * sum);
}

export function designEffect(part, whole, samples) {
	const share = sum(part) / sum(whole);
	if (whole.length < 4 || !(samples > 0) || !(share > 0 && share < 1)) return 1;
	const t = studentT(whole.length - 1) / Z;
	return ratioVariance(part, whole, share) / (share * (1 - share) / samples) * t * t;
}

// The 95 % interval of the share of part in whole, both sums for each batch of
// time; samples is the effective number of samples in the whole.
export function intervalOf(part, whole, samples) {
	const all = sum(whole);
	if (!(all > 0)) return { low: 0, high: 1 };
	const effect = Math.min(Math.max(designEffect(part, whole, samples), 1), EFFECT_MAX);
	return wilson(Math.min(1, sum(part) / all), samples / effect);
}

function sum(list) {
	let total = 0;
	for (const value of list) total += value;
	return total;
}
