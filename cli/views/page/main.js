// The beginning: the data are read, then the page is drawn.
import { App } from './app.js';
import { inflate } from './bytes.js';
import { element, replace } from './element.js';
import { profileOf } from './profile.js';

async function begin() {
	const data = document.getElementById('profile');
	performance.mark('begin');
	try {
		const profile = profileOf(await inflate(data.textContent.trim()));
		data.remove();
		window.hostprof = new App(profile); // the page's only global, for consoles and tests
		performance.mark('drawn');
	} catch (error) {
		replace(document.getElementById('stage'), element('p', { class: 'empty', role: 'alert' }, `This page cannot be shown: ${error.message}`));
		throw error;
	}
}

begin();
