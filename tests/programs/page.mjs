// Drives the page; called by tests/live/page.sh.
// usage: node page.mjs NODE_MODULES PAGES SCREENSHOTS
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [modules, pages, shots] = process.argv.slice(2).map(name => path.resolve(name));
const { chromium } = createRequire(`${modules}/x.js`)('playwright-core');
const axe = fs.readFileSync(`${modules}/axe-core/axe.min.js`, 'utf8');
const reported = JSON.parse(fs.readFileSync(`${pages}/story.json`, 'utf8'));
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync'];

let failed = 0;
const complaints = [];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });

async function open(name, fragment = '', options = {}) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(30000);
	page.on('console', message => { if (['error', 'warning'].includes(message.type())) complaints.push(`${name}: ${message.text()}`); });
	page.on('pageerror', error => complaints.push(`${name}: ${error.message}`));
	page.on('request', request => { if (!/^(file|blob|data):/.test(request.url())) complaints.push(`${name}: asks for ${request.url()}`); });
	await page.goto(`file://${pages}/${name}.html${fragment}`);
	await page.waitForFunction(() => performance.getEntriesByName('drawn').length > 0);
	return page;
}

async function test(name, run) {
	try {
		await run();
		console.log(`ok ${name}`);
	} catch (error) {
		failed = 1;
		console.log(`not ok ${name}: ${String(error.message).split('\n').slice(0, 3).join(' ')}`);
	}
}

function same(got, want, what = 'value') {
	if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
}

function matches(text, regex) {
	if (!regex.test(text)) throw new Error(`no ${regex} in: ${String(text).slice(0, 300)}`);
}

const state = page => page.evaluate(() => window.hostprof.state);
const status = page => page.textContent('#status');

// Where a frame of that name is drawn, in the flame graph.
function placeOf(page, name) {
	return page.evaluate(wanted => {
		const { flame } = window.hostprof, { tree, layout } = flame;
		for (const [depth, row] of layout.rows.entries())
			for (const [i, node] of row.node.entries()) {
				const called = node < 0 ? -1 : tree.functionOf(node);
				const text = called < 0 ? '' : tree.profile.texts[tree.profile.functions.name[called]];
				if (text !== wanted) continue;
				const box = flame.canvas.getBoundingClientRect();
				return { x: box.left + (row.x[i] + row.end[i]) / 2, y: box.top + flame.rowTop(depth) - flame.scrolled() + 8, node };
			}
		return null;
	}, name);
}

async function clickFrame(page, name, options) {
	const place = await placeOf(page, name);
	if (!place) throw new Error(`${name} is not drawn`);
	await page.mouse.click(place.x, place.y, options);
}

// How many colours a canvas shows: a drawn one has several.
function coloursOf(page, selector) {
	return page.evaluate(wanted => {
		const canvas = document.querySelector(wanted);
		const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
		const seen = new Set();
		for (let i = 0; i < data.length; i += 4 * 7) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
		return seen.size;
	}, selector);
}

async function accessible(page, view) {
	await page.evaluate(axe);
	const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
	const serious = found.violations.filter(violation => ['serious', 'critical'].includes(violation.impact));
	same(serious.map(violation => `${view}: ${violation.id} ${violation.nodes[0].html.slice(0, 120)}`), [], 'violations');
}

async function storyTests() {
	const page = await open('story');

	await test('the_head_says_where_and_how_far_to_trust', async () => {
		const text = await page.textContent('#summary');
		matches(text, /web1\.example/);
		matches(text, /cpu-clock at 99 Hz \(no PMU here, so no cycles\)/);
		matches(text, /Stacks complete98\.4 %/);
		matches(text, /0 lost · 0 throttled/);
	});
	await test('the_flame_graph_is_drawn', async () => {
		if (await coloursOf(page, '.flame-canvas') < 12) throw new Error('hardly any colours');
		await page.screenshot({ path: `${shots}/flame-light.png` });
	});
	await test('a_click_zooms_and_escape_goes_back', async () => {
		await clickFrame(page, 'http::Server::handle<http::Request const&>(http::Connection&)');
		same((await state(page)).zoom.length, 5, 'depth');
		matches(await page.textContent('#trail'), /handle/);
		await page.keyboard.press('Escape');
		same((await state(page)).zoom, []);
	});
	await test('breadcrumbs_and_back_button_return', async () => {
		await clickFrame(page, 'exec_simple_query');
		await page.click('.crumbs .crumb >> nth=1');
		same((await state(page)).zoom.length, 1, 'depth');
		await page.goBack();
		same((await state(page)).zoom.length, 4, 'depth after back');
		await page.click('.crumbs .crumb >> nth=0');
		same((await state(page)).zoom, []);
	});
	await test('tooltips_tell_exact_figures', async () => {
		const place = await placeOf(page, 'api::parse_json(std::string_view)');
		await page.mouse.move(place.x, place.y);
		await page.waitForSelector('.tooltip dd');
		matches(await page.textContent('.tooltip'), /api::parse_json.*user code · \/usr\/bin\/api.*total\d+\.\d+ s · \d+\.\d % ±\d\.\d.*samples[\d,]+/);
	});
	await test('keys_move_zoom_and_are_read_aloud', async () => {
		await page.keyboard.press('ArrowUp');
		matches(await page.textContent('#live'), /_start, user code/);
		await page.keyboard.press('ArrowRight');
		matches(await page.textContent('#live'), /main, user code · \/usr\/lib\/postgresql/);
		await page.keyboard.press('Enter');
		same((await state(page)).zoom.length, 1, 'zoom');
		await page.keyboard.press('Escape');
	});
	await test('search_counts_each_stack_once', async () => {
		await page.keyboard.press('/');
		await page.keyboard.type('json');
		const share = await page.evaluate(() => {
			const { model } = window.hostprof, { frame, parent } = model.profile.nodes;
			const name = node => model.profile.texts[model.profile.functions.name[model.profile.frames.function[frame[node]]]];
			let part = 0, all = 0;
			for (let row = 0; row < model.profile.rows.count; row++) {
				all += model.metric.weights[row];
				for (let node = model.profile.rows.node[row]; node >= 0; node = parent[node])
					if (/json/i.test(name(node))) { part += model.metric.weights[row]; break; }
			}
			return `${(part / all * 100).toFixed(1)} % matched`;
		});
		same(await page.textContent('.matched'), share);
		await page.screenshot({ path: `${shots}/search.png` });
	});
	await test('a_broken_expression_is_plain_text', async () => {
		await page.fill('#search', 'handle<http::Request const&>(');
		matches(await page.textContent('.matched'), /^[1-9]\d*\.\d % matched$/);
		await page.keyboard.press('Escape');
		same([(await state(page)).search, await page.inputValue('#search')], ['', '']);
		await page.keyboard.press('Escape');
	});
	await test('hide_focus_and_ignore_by_menu_and_key', async () => {
		await clickFrame(page, 'api::render(Template const&)', { button: 'right' });
		await page.screenshot({ path: `${shots}/menu.png` });
		await page.click('.menu >> text=Only stacks with it');
		matches(await page.textContent('.chips'), /only stacks with api::render\(Template const&\)/);
		same(await placeOf(page, 'ExecScan'), null);
		await clickFrame(page, 'malloc', { button: 'right' });
		await page.click('.menu >> text=Hide it');
		same(await placeOf(page, 'malloc'), null);
		if (!await placeOf(page, '_int_malloc')) throw new Error('what malloc calls is gone');
		await page.click('.chip button >> nth=1');
		await page.click('.chip button >> nth=0');
		await page.evaluate(() => { const { hostprof } = window; hostprof.change({ filters: [{ kind: 'ignore', pattern: 'api::render' }] }); });
		same(await placeOf(page, 'api::render(Template const&)'), null);
		await page.keyboard.press('Escape');
		same((await state(page)).filters, []);
	});
	await test('recursion_merges', async () => {
		const depth = () => page.evaluate(() => window.hostprof.model.tree.key.filter(key =>
			key >= 0 && window.hostprof.model.profile.texts[window.hostprof.model.profile.functions.name[window.hostprof.model.profile.frames.function[key]]] === 'backup_tree').length);
		same(await depth(), 3, 'frames of backup_tree');
		await page.click('.toggles >> text=Merge recursion');
		same(await depth(), 1, 'merged');
		await page.keyboard.press('r');
	});
	await test('icicle_and_inverted', async () => {
		const before = await placeOf(page, 'json::next_token()');
		await page.click('.toggles >> text=Icicle');
		const after = await placeOf(page, 'json::next_token()');
		if (!(after.y < 700 && before.y !== after.y)) throw new Error('nothing turned around');
		await page.keyboard.press('v');
		same(await page.evaluate(() => window.hostprof.flame.layout.rows[1].node.length > 5), true, 'leaves');
		await page.screenshot({ path: `${shots}/inverted.png` });
		await page.keyboard.press('v');
		await page.keyboard.press('i');
	});
	await test('first_frames_and_filters', async () => {
		await page.selectOption('.choice:has-text("First frames") select', 'container.process');
		matches(await page.evaluate(() => { const { flame } = window.hostprof; flame.step('in'); return document.querySelector('#live').textContent; }), /^web, container · docker/);
		await page.screenshot({ path: `${shots}/containers.png` });
		await page.selectOption('.choice:has-text("Container") >> nth=-1 >> select', { index: 2 });
		same(await page.evaluate(() => window.hostprof.flame.layout.rows[1].node.length), 1, 'containers');
		await page.evaluate(() => window.hostprof.change({ container: -1, group: '' }));
	});
	await test('the_wait_for_the_lock_is_the_widest', async () => {
		await page.selectOption('.choice:has-text("Metric") select', 'wait');
		matches(await page.evaluate(() => { const { flame, model } = window.hostprof; const row = flame.layout.rows.at(-1); return model.profile.texts[model.profile.functions.name[flame.tree.functionOf(row.node[0])]]; }), /^(futex_wait|copy_page_to_iter)$/);
		const futex = await placeOf(page, 'futex_wait');
		if (!futex) throw new Error('futex_wait is not drawn');
		await page.screenshot({ path: `${shots}/wait.png` });
		await page.selectOption('.choice:has-text("Metric") select', 'cpu');
	});
	await test('a_link_reproduces_the_view', async () => {
		await page.evaluate(() => window.hostprof.change({ group: 'process', search: 'json', from: 50, to: 249, filters: [{ kind: 'focus', pattern: 'main' }], icicle: true }));
		const wanted = [await state(page), await status(page), await page.textContent('.matched')];
		const other = await open('story', new URL(page.url()).hash);
		same([await state(other), await status(other), await other.textContent('.matched')], wanted);
		await other.context().close();
		await page.evaluate(() => window.hostprof.change({ group: '', search: '', from: -1, to: -1, filters: [], icicle: false }));
		same(new URL(page.url()).hash, '', 'as usual');
	});
	await test('a_stack_is_copied', async () => {
		await clickFrame(page, 'json::next_token()', { button: 'right' });
		await page.click('.menu >> text=Copy the stack');
		await page.waitForFunction(() => document.querySelector('#live').textContent === 'Stack copied.');
	});
	await test('svg_and_png_are_saved', async () => {
		const save = async button => {
			const [file] = await Promise.all([page.waitForEvent('download'), page.click(`.toggles >> text=${button}`)]);
			return fs.readFileSync(await file.path());
		};
		const svg = (await save('SVG')).toString();
		same(await page.evaluate(text => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror') === null, svg), true, 'well-formed');
		matches(svg, />http::Server::handle&lt;http::Request const&amp;&gt;/);
		same((await save('PNG')).subarray(1, 4).toString(), 'PNG');
	});
	await test('it_prints', async () => {
		const pdf = await page.pdf({ path: `${shots}/print.pdf`, printBackground: true });
		if (pdf.length < 20000) throw new Error(`only ${pdf.length} bytes`);
	});
	await test('help_lists_the_keys', async () => {
		await page.keyboard.press('?');
		matches(await page.textContent('dialog[open]'), /callers and callees of the frame/);
		await page.keyboard.press('Escape');
		same(await page.locator('dialog[open]').count(), 0);
	});
	await page.context().close();
}

async function tableTests() {
	const page = await open('story', '#view=table');

	await test('the_table_says_what_report_says', async () => {
		const rows = await page.evaluate(() => [...document.querySelectorAll('.functions tbody tr')].slice(0, 12).map(row => ({
			name: row.querySelector('th').textContent, share: row.querySelector('.share-text').textContent,
			range: row.querySelector('.share-text').title,
		})));
		const percent = part => `${(part * 100).toFixed(1)} %`;
		const want = reported.rows.slice(0, 12).map(row => ({
			name: row.function, share: `${percent(row.self_share ?? row.share)} ±${(Math.max(row.share - row.share_low, row.share_high - row.share) * 100).toFixed(1)}`,
			range: `95 %: ${percent(row.share_low)} to ${percent(row.share_high)}`,
		}));
		same(rows, want);
		await page.screenshot({ path: `${shots}/table.png` });
	});
	await test('it_sorts', async () => {
		await page.click('.functions thead >> text=Total');
		same(await page.getAttribute('.functions .column-total', 'aria-sort'), 'descending');
		matches(await page.textContent('.functions tbody th >> nth=0'), /^(_start|__libc_start_main|main|http::Server::handle|serve)\b/);
		await page.click('.functions thead >> text=Function');
		matches(await page.textContent('.functions tbody th >> nth=0'), /^(LazyCompile|BackendRun|\[)/);
	});
	await test('search_filters_the_table', async () => {
		await page.fill('#search', '^Exec');
		same(await page.locator('.functions tbody tr').count(), 3);
		await page.fill('#search', 'nothing of that name');
		matches(await page.textContent('.functions tbody'), /No function here matches/);
		await page.fill('#search', '');
	});
	await test('a_function_leads_to_its_sandwich', async () => {
		await page.click('.functions >> text=ExecutorRun');
		same((await state(page)).view, 'sandwich');
		matches(await page.textContent('.sandwich-title'), /ExecutorRun.*total \d+\.\d+ s/);
		const names = await page.evaluate(() => {
			const { model } = window.hostprof, text = (tree, node) => tree.profile.texts[tree.profile.functions.name[tree.functionOf(node)]];
			return [model.callers, model.callees].map(tree => Array.from({ length: tree.count - 1 }, (_, i) => text(tree, i + 1)));
		});
		same(names[0], ['ExecutorRun', 'exec_simple_query', 'BackendRun', 'PostmasterMain', 'main'], 'callers');
		same(names[1].slice().sort(), ['ExecScan', 'ExecSort', 'ExecutorRun', 'comparetup_heap', 'heap_getnext', 'qsort_tuple', 'tuplesort_performsort'], 'callees');
		await page.screenshot({ path: `${shots}/sandwich.png` });
	});
	await test('dragging_over_time_chooses_a_range', async () => {
		await page.keyboard.press('4');
		const box = await page.locator('.heat-canvas').boundingBox();
		await page.mouse.move(box.x + box.width * 40.5 / 60, box.y + box.height - 4);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width * 46.5 / 60, box.y + 4, { steps: 4 });
		await page.mouse.up();
		const { from, to } = await state(page);
		same([from, to], [400, 469]);
		const shares = await page.evaluate(() => [...document.querySelectorAll('.lane .figure')].map(part => parseFloat(part.textContent)));
		same(Math.round(shares.reduce((sum, share) => sum + share, 0)), 100, 'shares of all processes');
		await page.screenshot({ path: `${shots}/time.png` });
		await page.keyboard.press('2');
		await page.click('.functions thead >> text=Self');
		matches(await page.textContent('.functions tbody tr >> nth=0'), /sha256_block/);
		await page.click('.chip button');
		same((await state(page)).from, -1);
	});
	await page.context().close();
}

async function shapeTests() {
	for (const colorScheme of ['light', 'dark']) {
		const page = await open('story', '', { colorScheme });
		for (const view of ['flame', 'table', 'sandwich', 'time'])
			await test(`axe_finds_nothing_serious_${view}_${colorScheme}`, async () => {
				await page.evaluate(name => window.hostprof.change({ view: name, function: name === 'sandwich' ? 3 : -1 }), view);
				await accessible(page, view);
				await page.screenshot({ path: `${shots}/${view}-${colorScheme}.png` });
			});
		await page.context().close();
	}
	const narrow = await open('story', '', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
	await test('it_works_at_360_pixels', async () => {
		for (const view of ['flame', 'table', 'sandwich', 'time']) {
			await narrow.evaluate(name => window.hostprof.change({ view: name, function: 3 }), view);
			await narrow.screenshot({ path: `${shots}/narrow-${view}.png`, fullPage: true });
			const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
			if (width > 360) throw new Error(`${view} is ${width} wide`);
		}
	});
	await narrow.context().close();
}

async function hostileTests() {
	await test('names_are_data', async () => {
		const page = await open('hostile', '#group=container.process');
		for (const view of ['flame', 'table', 'sandwich', 'time']) {
			await page.evaluate(name => window.hostprof.change({ view: name, function: name === 'sandwich' ? 0 : -1 }), view);
			await page.screenshot({ path: `${shots}/hostile-${view}.png` });
			const text = await page.evaluate(() => document.body.textContent + document.title);
			if (/[\u0001-\u0008\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(text)) throw new Error(`marks that hide or turn text in ${view}`);
			same(await page.evaluate(() => [window.hacked, document.querySelectorAll('img, script:not([type]) ~ script').length]), [null, 0].map(v => v === null ? undefined : v), view);
		}
		await page.evaluate(() => window.hostprof.change({ view: 'table' }));
		matches(await page.textContent('.functions tbody'), /<\/script><script>window\.hacked=1<\/script>/);
		await page.evaluate(() => window.hostprof.change({ view: 'flame', group: '' }));
		for (const name of ['</script><script>window.hacked=1</script>', '__proto__', 'constructor']) {
			await clickFrame(page, name, { button: 'right' });
			await page.click('.menu >> text=Only stacks with it');
			await page.click('.chip button');
		}
		const svg = await page.evaluate(() => window.hostprof.flame.toSvg());
		same(await page.evaluate(text => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror') === null, svg), true, 'well-formed');
		await page.context().close();
	});
	await test('an_address_may_hold_anything', async () => {
		const page = await open('story', '#view=__proto__&zoom=9.9.-9&container=99999&from=5&to=2&focus=(&group=x&sort=&function=123456789');
		same((await state(page)).view, 'flame');
		await page.context().close();
	});
	await test('empty_profiles_say_so', async () => {
		const empty = await open('empty');
		matches(await empty.textContent('#stage'), /There are no samples in this profile/);
		await empty.screenshot({ path: `${shots}/empty.png` });
		for (const view of ['table', 'sandwich', 'time']) await empty.evaluate(name => window.hostprof.change({ view: name }), view);
		await empty.context().close();
		const bare = await open('bare');
		same(await bare.evaluate(() => window.hostprof.model.tree.total[0][0]), 3);
		await bare.evaluate(() => window.hostprof.change({ view: 'time' }));
		matches(await bare.textContent('#stage'), /no slices of time/);
		await bare.context().close();
	});
}

async function compareTests() {
	const page = await open('diff');
	const changes = () => page.evaluate(() => {
		const { flame, model } = window.hostprof, found = {};
		for (const node of flame.layout.rows.flatMap(row => row.node)) {
			const called = node < 0 ? -1 : flame.tree.functionOf(node);
			if (called >= 0) found[model.profile.texts[model.profile.functions.name[called]]] = flame.changeOf(node);
		}
		return found;
	});
	await test('a_comparison_shows_change_and_noise_apart', async () => {
		const change = await changes();
		if (!(change['json::next_token()'] > 0.5)) throw new Error('next_token is no more');
		same(change['deflate_slow'], -1, 'deflate_slow');
		same([change['heap_getnext'], change['api::render(Template const&)']], [0, 0], 'noise');
		await page.screenshot({ path: `${shots}/compare.png` });
	});
	await test('its_table_tells_before_after_and_verdict', async () => {
		await page.evaluate(() => window.hostprof.change({ view: 'table', sort: 'change' }));
		const rows = await page.evaluate(() => [...document.querySelectorAll('.functions tbody tr')].map(row => row.textContent));
		same(await page.evaluate(() => [...document.querySelectorAll('.functions tbody tr')].filter(row => /heap_getnext|emplace_back/.test(row.textContent)).map(row => /(more|less)[\d–]/.test(row.textContent))), [false, false], 'noise by diff');
		matches(rows[0], /^json::next_token\(\)0\.\d+ cores\d\.\d+ cores\+\d+\.\d %more/);
		matches(rows[1], /^longest_match0\.\d+ cores–goneless/);
		await page.screenshot({ path: `${shots}/compare-table.png` });
		await accessible(page, 'compare');
	});
	await page.context().close();
}

try {
	for (const part of [storyTests, tableTests, shapeTests, hostileTests, compareTests]) await part();
	await test('no_console_error_and_no_request', async () => same(complaints, [], 'complaints'));
} finally {
	await browser.close();
}
process.exit(failed);
