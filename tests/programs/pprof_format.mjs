// pprof_format.mjs PACKAGE FILE: reads a profile with npm's pprof-format and
// prints its totals and how often each container was sampled.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

const { Profile } = createRequire(import.meta.url)(process.argv[2]);
const profile = Profile.decode(gunzipSync(readFileSync(process.argv[3])));
const text = (index) => profile.stringTable.strings[Number(index)];

profile.sampleType.forEach((kind, i) => {
	const total = profile.sample.reduce(
		(sum, sample) => sum + BigInt(sample.value[i]), 0n);
	console.log(`total ${text(kind.type)}/${text(kind.unit)} ${total}`);
});
const containers = {};
for (const sample of profile.sample)
	for (const label of sample.label)
		if (text(label.key) === 'container')
			containers[text(label.str)] =
				(containers[text(label.str)] ?? 0) +
				Number(sample.value[0]);
for (const [name, count] of Object.entries(containers))
	console.log(`container ${name} ${count}`);
console.log(`comment ${text(profile.comment[0])}`);
