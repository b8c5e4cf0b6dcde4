/**
 * Says which packages of others are in the bundles: dist/sbom.cdx.json (CycloneDX 1.6) for machines, dist/LICENCES.txt with their licences
 * for people. Both are made of what esbuild read, not of what is installed, and are the same for the same sources. A package without the
 * text of a licence that we know to be free fails the build.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ALLOWED = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
]);

const json = (file) => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
const inputs = ['dist/.inputs.json', 'dist/.console-inputs.json'].flatMap(json);
const directories = new Set(inputs.flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));

const packages = [...directories]
  .map((directory) => {
    const { name, version, license, homepage } = json(`${directory}/package.json`);
    if (!license?.split(/ AND |[()]/).every((each) => each === '' || ALLOWED.has(each)))
      throw new Error(`${name} ${version}: is ${license} a licence that we may pass on?`);
    const [file] = readdirSync(path.join(ROOT, directory)).filter((each) => /^(un)?licen[cs]e/i.test(each));
    const text = file ? readFileSync(path.join(ROOT, directory, file), 'utf8').trim() : `Licence: ${license}`;
    return { name, version, license, homepage, text };
  })
  .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));

const own = json('package.json');
const component = ({ name, version, license }, type) => ({
  type,
  'bom-ref': `pkg:npm/${name.replace('@', '%40')}@${version}`,
  name,
  version,
  licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
});
const sbom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: component(own, 'application') },
  components: packages.map((each) => component(each, 'library')),
};
writeFileSync(path.join(ROOT, 'dist/sbom.cdx.json'), `${JSON.stringify(sbom, null, 1)}\n`);

/** Packages whose licences are the same to the letter share one text. */
const sharing = new Map(packages.map(({ text }) => [text, []]));
for (const { name, version, text } of packages) sharing.get(text).push(`${name} ${version}`);
const texts = [...sharing].map(([text, names]) => `${'='.repeat(78)}\n${names.join('\n')}\n\n${text}\n`);
writeFileSync(
  path.join(ROOT, 'dist/LICENCES.txt'),
  `pmgate ${own.version} contains these packages, under their own licences.\n\n${texts.join('\n')}`,
);
