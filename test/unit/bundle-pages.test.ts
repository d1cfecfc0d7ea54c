import { expect } from 'chai';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundlePages } from '../../src/build/bundle-pages.ts';
import { builtPages } from '../../src/core/http/file-groups.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

function write(folder: string, files: Iterable<readonly [string, string]>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return folder;
}

/** Bundles modules that stand in a folder. */
async function bundled(
  sources: Readonly<Record<string, string>>,
  ...pages: readonly (readonly string[])[]
): Promise<Map<string, string>> {
  using folder = temporaryFolder();
  return (await bundlePages(write(join(folder.path, 'web'), Object.entries(sources)), pages, [])).files;
}

describe('The bundle of a page', () => {
  it('has each module once, in the first file that needs it, and needs no other file', async () => {
    const files = await bundled(
      {
        'main.ts': `import { count } from './state.ts';
          /** Says. */
          count();
          export const done = Promise.all([import('./later.ts'), import('./last.ts'), import('./texts.ts')]).then(
            ([{ Later }, last, { text }]) => [new Later().counted, last.counted(), count(), text],
          );`,
        'later.ts': `import { count } from './state.ts'; import { twice } from './between.ts';
          export class Later { counted = twice(count()); }`,
        'last.ts': `import { count } from './state.ts'; import { twice } from './between.ts';
          export const counted = () => twice(count());`,
        'between.ts': `globalThis.began = (globalThis.began ?? 0) + 1; export const twice = (n) => 2 * n;`,
        'state.ts': `let n = 0; export const count = () => ++n;`,
        'texts.ts': `export const text = 'text';`,
      },
      ['main', 'later', 'last'],
    );
    expect([...files.keys()].sort()).to.deep.equal(['last.js', 'later.js', 'main.js', 'texts.js']);
    const importsOf = (name: string): string[] =>
      [...files.get(name)!.matchAll(/from\s*["'`]([^"'`]+)/g)].map(([, from]) => from!);
    expect(importsOf('main.js')).to.deep.equal([]);
    expect(importsOf('later.js')).to.deep.equal(['./main.js']);
    expect(importsOf('last.js')).to.deep.equal(['./main.js', './later.js']);
    expect([...files.values()].join('')).to.not.match(/Says|\n +/);
    using folder = temporaryFolder();
    write(folder.path, [...files, ['package.json', '{ "type": "module" }']]);
    const main = (await import(pathToFileURL(join(folder.path, 'main.js')).href)) as { done: Promise<unknown> };
    expect(await main.done).to.deep.equal([4, 6, 4, 'text']);
    expect(globalThis).to.have.property('began', 1);
  });

  it('shares nothing with another page', async () => {
    const state = 'export const state = {};';
    const [a, b] = ['a', 'b'].map((name) => `import { state } from './state.ts'; console.log('${name}', state);`);
    const files = await bundled({ 'a.ts': a!, 'b.ts': b!, 'state.ts': state }, ['a'], ['b']);
    expect([...files].map(([name, code]) => [name, code.includes('import')])).to.deep.equal([
      ['a.js', false],
      ['b.js', false],
    ]);
  });

  for (const [what, source, why] of [
    ['a circle', `import { b } from './b.ts'; export const a = () => b();`, /circular/i],
    ['a module that is not there', `import { c } from './c.ts'; c();`, /resolve.*c\.ts/i],
    ['a package that is not there', `import { c } from 'elsewhere'; c();`, /resolve.*elsewhere/i],
    ['a name that is not there', `import { c } from './d.ts'; c();`, /"c" is not exported/i],
    ['what is no script', `const a = [1;`, /a\.ts/],
    ['a module that no page needs', `console.log('a');`, /^no page needs b\.ts, d\.ts$/],
  ] as const)
    it(`is refused for ${what}`, async () => {
      const sources = {
        'a.ts': source,
        'b.ts': `import { a } from './a.ts'; export const b = () => a();`,
        'd.ts': 'export const d = 1;',
      };
      const failure = await bundled(sources, ['a']).then(
        () => null,
        (cause: unknown) => cause,
      );
      expect(failure).to.be.instanceOf(Error).with.property('message').that.matches(why);
    });

  it('is refused where pages have different files of one name', async () => {
    const sources = {
      'a.ts': `import { text } from './text.ts'; console.log(text()); import('./texts.ts').then(console.log);`,
      'b.ts': `import('./texts.ts').then(console.log);`,
      'texts.ts': `import { text } from './text.ts'; export const all = () => text() + text();`,
      'text.ts': `let n = 0; export const text = () => ++n;`,
    };
    const failure = await bundled(sources, ['a'], ['b']).catch((cause: unknown) => cause);
    expect(failure).to.have.property('message', 'texts.js differs from page to page');
  });
});

describe('A program that needs the built pages', () => {
  it('says what to do when there are none, or when it runs from sources that are newer', () => {
    using folder = temporaryFolder();
    const sources = write(join(folder.path, 'web'), [['main.ts', '']]);
    const built = join(folder.path, 'built');
    expect(() => builtPages(built, sources)).to.throw('the pages are not built: run "npm run build-pages"');
    mkdirSync(built);
    expect(builtPages(built, sources)).to.equal(built);
    const later = Date.now() / 1000 + 10;
    utimesSync(join(sources, 'main.ts'), later, later);
    expect(() => builtPages(built, sources)).to.throw('web/main.ts has changed since the pages were built');
    expect(builtPages(built, null)).to.equal(built);
  });
});
