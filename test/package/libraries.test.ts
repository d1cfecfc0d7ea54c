/** The libraries in the Debian package: which are there and which are not, their licences, and the list of them. */
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as libraries from '../../deploy/libraries.ts';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { builtPackage, run } from './built-package.ts';

/** Steps of the build of a package run from their sources. */
const { librariesOf, licenceOf } = (await import(
  pathToFileURL(join(projectDir, 'deploy/libraries.ts')).href
)) as typeof libraries;

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));

interface Bom {
  readonly components: readonly { readonly name: string; readonly version: string; readonly cpe?: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

describe('The libraries in the Debian package', function () {
  this.timeout(600_000);
  let release = '';
  let listed: readonly string[] = [];
  before(() => {
    ({ release } = builtPackage());
    listed = (json(release, 'land-lookup.cdx.json') as Bom).components.map(({ name, version }) => `${name} ${version}`);
  });

  it('are those that the program loads, and load', () => {
    const folders = readdirSync(join(release, 'node_modules'));
    for (const name of ['rolldown', 'express', 'swagger-ui-dist', 'maplibre-gl', 'glob', 'tar', '@scarf', '@types'])
      expect(folders).not.to.include(name);
    const { outside } = json(projectDir, 'dist', 'libraries.json') as { readonly outside: readonly string[] };
    // Its own loader finds gdal-async (workers/geopackage/gdal.ts).
    const names = outside.filter((name) => name !== 'gdal-async');
    expect(names).to.include('better-sqlite3');
    const program = `for (const name of ${JSON.stringify(names)}) await import(name); console.log('loaded')`;
    writeFileSync(join(release, 'load.mjs'), program);
    expect(run(release, 'bin/node', 'load.mjs').trim()).to.equal('loaded');
    expect(run(release, 'bin/node', 'dist/src/main.js', '--version')).to.match(/GDAL \d/);
  });

  it('have no tests, examples, sources, maps, pages or data that nothing reads', () => {
    const files = globSync('node_modules/**', { cwd: release, withFileTypes: true }).filter((file) => file.isFile());
    const names = files.map((file) => join(file.parentPath, file.name).slice(release.length));
    expect(names.length).to.be.above(300);
    expect(
      names.filter((name) => /\/(\.github|tests?|examples?|benchmarks?)\/|\.(ts|map|cc|cpp|h)$/.test(name)),
    ).to.deep.equal([]);
    expect(names.filter((name) => name.endsWith('.md') && !/licen[cs]e|notice/i.test(name))).to.deep.equal([]);
    expect(names.filter((name) => /proj\.db|(musl|darwin|win32).*\.node$/.test(name))).to.deep.equal([]);
  });

  it('have their licences in one file, and Node.js has its own', () => {
    const licences = readFileSync(join(release, 'THIRD-PARTY-LICENCES'), 'utf8');
    const { all } = librariesOf(projectDir);
    expect(all.length).to.be.above(100);
    for (const { name, version } of all) expect(licences).to.contain(`\n${name} ${version} (`);
    for (const notice of ['Copyright 2021 Protomaps LLC', 'Copyright (c) 2011 Gary Court', 'Apache License'])
      expect(licences).to.contain(notice);
    const node = readFileSync(join(release, 'LICENSE.nodejs'), 'utf8');
    for (const name of ['Node.js is licensed', 'OpenSSL', 'ICU', 'libuv', 'V8']) expect(node).to.contain(name);
  });

  it('without a licence end the build', () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'node_modules/bare'), { recursive: true });
    const bare = { path: 'node_modules/bare', name: 'bare' };
    expect(() => licenceOf(folder.path, bare)).to.throw('node_modules/bare has no licence');
    writeFileSync(join(folder.path, 'node_modules/bare/NOTICE'), 'by somebody');
    expect(() => licenceOf(folder.path, bare)).to.throw('node_modules/bare has no licence');
    writeFileSync(join(folder.path, 'node_modules/bare/LICENCE.md'), 'You may.');
    expect(licenceOf(folder.path, bare)).to.equal('You may.\n\nby somebody');
  });

  it('are listed as CycloneDX, with Node.js and SQLite, and every one that is there', () => {
    const schemas = join(projectDir, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
    const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false });
    for (const name of ['spdx', 'jsf-0.82']) {
      const file = `${name}.SNAPSHOT.schema.json`;
      ajv.addSchema(json(schemas, file) as object, `http://cyclonedx.org/schema/${file}`);
    }
    const validate = ajv.compile(json(schemas, 'bom-1.5.SNAPSHOT.schema.json') as object);
    const bom = json(release, 'land-lookup.cdx.json') as Bom;
    expect(validate(bom), ajv.errorsText(validate.errors)).to.equal(true);
    expect(validate({ ...bom, components: [{ name: 'without a type' }] })).to.equal(false);

    expect(new Set(listed).size).to.equal(listed.length);
    expect(listed).to.include(`node ${process.versions.node}`);
    const manifests = globSync('node_modules/{*,@*/*,**/node_modules/*,**/node_modules/@*/*}/package.json', {
      cwd: release,
    });
    const present = manifests.map((file) => json(release, file) as { name?: string; version?: string });
    const named = present.flatMap(({ name, version }) => (name && version ? [`${name} ${version}`] : []));
    expect(named.length).to.be.above(15);
    expect(listed).to.include.members(named);
    const refs = new Set(listed.map((one) => one.replace(' ', '@')));
    for (const { ref, dependsOn } of bom.dependencies.slice(1))
      expect([...refs]).to.include.members([ref, ...dependsOn]);
  });
});
