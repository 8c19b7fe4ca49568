// The head of the page: what was recorded, and how far it can be trusted.
import { element, replace } from './element.js';
import { visible } from './name.js';
import * as number from './number.js';

export function showSummary(box, profile) {
	const { sides } = profile.meta;
	const compared = sides.length > 1;
	document.title = `${compared ? 'Comparison · ' : ''}${sides.map(titleOf).filter((title, i, all) => all.indexOf(title) === i).join(' and ')} · hostprof`;
	box.classList.toggle('is-compared', compared);
	replace(box, sides.map((side, i) => sideBlock(side, compared ? ['Before', 'After'][i] : '')));
}

function titleOf(side) {
	return visible(side.host) || 'unknown host';
}

function sideBlock(side, heading) {
	return element('section', { class: 'side', 'aria-label': heading || 'Recording' },
		element('div', { class: 'side-what' },
			heading && element('span', { class: 'badge' }, heading),
			element(heading ? 'h2' : 'h1', {}, titleOf(side)),
			element('p', {}, whatText(side)),
			notes(side)),
		element('div', { class: 'tiles' }, tiles(side)));
}

function whatText(side) {
	const parts = [`${side.duration_s.toFixed(1)} s`];
	if (side.profiles > 1) parts[0] += ` in ${side.profiles} windows`;
	if (side.start_ms) parts[0] += ` from ${number.time(side.start_ms)}`;
	if (side.cpus) parts.push(`${side.cpus} CPU${side.cpus === 1 ? '' : 's'}`);
	if (side.event.name) parts.push(eventText(side.event));
	if (side.kernel) parts.push(visible(`Linux ${side.kernel} ${side.arch}`));
	return parts.join(' · ');
}

function eventText(event) {
	const rate = event.freq_hz > 0 ? ` at ${event.freq_hz} Hz` : event.period > 0 ? ` every ${number.count(event.period)}` : '';
	return visible(`${event.name}${rate}${event.fallback_reason ? ` (${event.fallback_reason})` : ''}`);
}

function tiles(side) {
	return [cpuTile(side), samplesTile(side.health), stacksTile(side.health), namesTile(side.health), accountingTile(side)].filter(Boolean);
}

// part: of a bar, 0 to 1; grade: "good", "fair" or "poor", said in words too.
function tile(name, figure, detail, { part, grade } = {}) {
	return element('div', { class: `tile${grade ? ` is-${grade}` : ''}` },
		element('span', { class: 'tile-name' }, name),
		element('span', { class: 'tile-figure' }, figure),
		part >= 0 && bar(part),
		element('span', { class: 'tile-detail' }, detail));
}

function bar(part) {
	const inner = element('span', { class: 'bar-fill' });
	inner.style.width = `${Math.min(100, part * 100).toFixed(1)}%`;
	return element('span', { class: 'bar', 'aria-hidden': 'true' }, inner);
}

function cpuTile(side) {
	const busy = side.health.sampled_cpu_s ?? side.cpu.busy_s;
	const capacity = side.cpu.capacity_s > 0 ? side.cpu.capacity_s : side.duration_s * side.cpus;
	if (busy === null) return null;
	const detail = [capacity > 0 && `${busy.toFixed(1)} of ${capacity.toFixed(1)} s`,
		side.cpu.runqueue_s !== null && `queue ${number.duration(side.cpu.runqueue_s)}`,
		side.cpu.steal_s > 0 && `steal ${number.duration(side.cpu.steal_s)}`];
	return tile('CPU busy', capacity > 0 ? number.percent(busy / capacity) : number.duration(busy),
		detail.filter(Boolean).join(' · '), { part: capacity > 0 ? busy / capacity : undefined });
}

function gradeOf(part, good, fair) {
	return part >= good ? 'good' : part >= fair ? 'fair' : 'poor';
}

function samplesTile(health) {
	if (health.samples === null) return null;
	const detail = [health.lost !== null && `${number.count(health.lost)} lost`,
		health.throttled !== null && `${number.count(health.throttled)} throttled`];
	const grade = health.lost === null ? undefined : gradeOf(health.samples / (health.samples + health.lost || 1), 0.999, 0.98);
	return tile('Samples', number.count(health.samples), detail.filter(Boolean).join(' · '), { grade });
}

function stacksTile(health) {
	const cut = Math.max(0, health.stacks_truncated) + Math.max(0, health.stacks_failed);
	const all = health.stacks_complete + cut;
	if (health.stacks_complete === null || !all) return null;
	return tile('Stacks complete', number.percent(health.stacks_complete / all),
		cut ? `${number.count(cut)} end early` : 'none ends early', { grade: gradeOf(health.stacks_complete / all, 0.95, 0.8) });
}

function namesTile(health) {
	const all = health.frames_named + health.frames_unnamed;
	if (health.frames_named === null || health.frames_unnamed === null || !all) return null;
	return tile('Frames named', number.percent(health.frames_named / all),
		health.frames_unnamed ? 'the others by their address' : 'every one', { grade: gradeOf(health.frames_named / all, 0.95, 0.8) });
}

function accountingTile(side) {
	const { kernel_cpu_s: kernel, sampled_cpu_s: sampled, own_cpu_s: own } = side.health;
	if (kernel === null || sampled === null || !kernel) return null;
	const apart = Math.abs(sampled - kernel) / kernel;
	const detail = [`it counts ${kernel.toFixed(1)} s`, own !== null && `own use ${number.duration(own)}`];
	return tile('Against the kernel', `${number.percent(apart)} apart`, detail.filter(Boolean).join(' · '), { grade: gradeOf(1 - apart, 0.97, 0.9) });
}

function notes(side) {
	const items = side.notes.map(note => visible(note.text) + (note.count > 1 ? ` (${number.count(note.count)} times)` : ''));
	if (side.notes_dropped) items.push(`${number.count(side.notes_dropped)} more notes were not kept`);
	if (!items.length) return null;
	return element('details', { class: 'notes' },
		element('summary', {}, `${items.length} note${items.length === 1 ? '' : 's'} of the recorder`),
		element('ul', {}, items.map(text => element('li', {}, text))));
}
