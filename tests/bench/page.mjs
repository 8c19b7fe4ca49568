// Times the page and d3-flame-graph on the same tree; called by page.sh. Each
// action is timed until the next frame could be painted; medians of 5.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [modules, pages] = process.argv.slice(2).map(name => path.resolve(name));
const { chromium } = createRequire(`${modules}/x.js`)('playwright-core');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const median = list => list.sort((a, b) => a - b)[list.length >> 1];

// From the start of navigation; and the CPU time of the page's thread alone,
// which other work on the machine does not lengthen.
async function drawnAfter(name, runs) {
	const times = [], cpu = [];
	for (let i = 0; i < runs; i++) {
		const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
		const session = await page.context().newCDPSession(page);
		page.setDefaultTimeout(120000);
		await session.send('Performance.enable', { timeDomain: 'threadTicks' });
		await page.goto(`file://${pages}/${name}.html`);
		await page.waitForFunction(() => performance.getEntriesByName('drawn').length > 0);
		times.push(await page.evaluate(() => performance.getEntriesByName('drawn')[0].startTime));
		const { metrics } = await session.send('Performance.getMetrics');
		cpu.push(metrics.find(metric => metric.name === 'TaskDuration').value * 1000);
		await page.close();
	}
	return { wall: median(times), cpu: median(cpu) };
}

// Runs an expression that changes the page and returns ms until it is painted.
function timed(page, source) {
	return page.evaluate(text => new Promise(resolve => {
		const start = performance.now();
		new Function(text)();
		const ran = performance.now() - start;
		requestAnimationFrame(() => setTimeout(() => resolve({ ran, painted: performance.now() - start }), 0));
	}), source);
}

async function ours() {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	page.setDefaultTimeout(120000);
	await page.goto(`file://${pages}/frames.html`);
	await page.waitForFunction(() => window.hostprof);
	const count = await page.evaluate(() => window.hostprof.model.tree.count);
	const zoom = await page.evaluate(() => {
		const { tree } = window.hostprof.model;
		return Array.from({ length: 3 }, (_, i) => tree.pathOf(tree.childrenOf(0)[0] + i + 1));
	});
	const searches = [], zooms = [];
	for (let i = 0; i < 5; i++) {
		searches.push((await direct(page, { search: `method_1${i}` })).ran);
		await direct(page, { search: '' });
		zooms.push((await direct(page, { zoom: zoom[i % 3] })).ran);
		await direct(page, { zoom: [] });
	}
	const tree = await page.evaluate(() => {
		const { tree, profile } = window.hostprof.model;
		const made = Array.from({ length: tree.count }, (_, i) => ({
			name: i ? profile.texts[profile.functions.name[tree.functionOf(i)]] : 'all', value: tree.size[i], children: [],
		}));
		for (let i = 1; i < tree.count; i++) made[tree.parent[i]].children.push(made[i]);
		return JSON.stringify(made[0]);
	});
	await page.close();
	return { count, tree, search: median(searches), zoom: median(zooms) };
}

// The page's policy allows no new code, so the change is handed over as data.
function direct(page, part) {
	return page.evaluate(change => new Promise(resolve => {
		const start = performance.now();
		window.hostprof.change(change);
		const ran = performance.now() - start;
		requestAnimationFrame(() => setTimeout(() => resolve({ ran, painted: performance.now() - start }), 0));
	}), part);
}

async function theirs(tree) {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	page.setDefaultTimeout(180000);
	await page.setContent('<div id="chart"></div>');
	for (const file of ['d3/dist/d3.min.js', 'd3-flame-graph/dist/d3-flamegraph.umd.min.js'])
		await page.addScriptTag({ path: `${modules}/${file}` });
	await page.evaluate(text => { window.data = JSON.parse(text); }, tree);
	const draw = await timed(page, 'window.chart = window.flamegraph.default().width(1240).transitionDuration(0); window.d3.select("#chart").datum(window.data).call(window.chart)');
	const search = await timed(page, 'window.chart.search("method_10")');
	await timed(page, 'window.chart.clear()');
	const zoom = await timed(page, 'window.chart.zoomTo(window.d3.select("#chart").datum().children[0])');
	await page.close();
	return { draw: draw.ran, search: search.ran, zoom: zoom.ran };
}

const ms = value => `${Math.round(value)} ms`.padStart(9);
try {
	const opened = await drawnAfter('frames', 5);
	const mine = await ours();
	console.log(`${mine.count} frames           open     search       zoom`);
	console.log(`this page        ${ms(opened.wall)}  ${ms(mine.search)}  ${ms(mine.zoom)}    (opening took ${Math.round(opened.cpu)} ms of CPU)`);
	const other = await theirs(mine.tree);
	console.log(`d3-flame-graph   ${ms(other.draw)}  ${ms(other.search)}  ${ms(other.zoom)}`);
	const million = await drawnAfter('million', 3);
	console.log(`a million samples open in ${Math.round(million.wall)} ms, of which ${Math.round(million.cpu)} ms of CPU`);
} finally {
	await browser.close();
}
