import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { joinModules } from '../../src/http/join-modules.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

/** Runs modules as they stand and joined, and expects that both say the same in the same order. */
async function expectSame(sources: Readonly<Record<string, string>>, entries: readonly string[]): Promise<unknown[]> {
  using folder = temporaryFolder();
  const said: unknown[][] = [];
  for (const [name, files] of [
    ['as-they-stand', new Map(Object.entries(sources))],
    ['joined', joinModules(new Map(Object.entries(sources)), [entries])],
  ] as const) {
    const dir = join(folder.path, name);
    mkdirSync(dir);
    writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
    for (const [file, text] of files) writeFileSync(join(dir, file), text);
    const heard: unknown[] = [];
    Object.assign(globalThis, { say: (...what: unknown[]) => heard.push(...what) });
    const main = (await import(pathToFileURL(join(dir, entries[0]!)).href)) as { done?: Promise<void> };
    await main.done;
    said.push(heard);
  }
  expect(said[1]).to.deep.equal(said[0]);
  return said[1]!;
}

describe('Joined modules', () => {
  it('say what the modules say, each once, in the order of the imports', async () => {
    const said = await expectSame(
      {
        'main.js': `import { one, Two as Zwei } from './parts.js';
          import * as parts from './parts.js';
          import './effect.js';
          say('main', one, new Zwei().name, Object.keys(parts).sort());`,
        'parts.js': `import './effect.js';
          export const one = 1;
          export class Two { name = 'two'; }
          export function three() { return 3; }
          export async function* four() { yield 4; }
          say('parts');`,
        'effect.js': `say('effect');`,
      },
      ['main.js'],
    );
    expect(said.slice(0, 3)).to.deep.equal(['effect', 'parts', 'main']);
  });

  it('pass on names of other modules', async () => {
    await expectSame(
      {
        'main.js': `import { eins } from './between.js'; say(eins);`,
        'between.js': `export { one as eins, two } from './parts.js';`,
        'parts.js': `export const one = 1; export const two = 2;`,
      },
      ['main.js'],
    );
  });

  it('that are loaded later share their modules with the first file, and have their names', async () => {
    const sources = {
      'main.js': `import { count } from './state.js';
        count();
        export const done = Promise.all([import('./later.js'), import('./last.js')]).then(([{ Later }, last]) => {
          say(new Later().counted, last.counted(), count());
        });`,
      'later.js': `import { count } from './state.js'; import { twice } from './between.js';
        export class Later { counted = twice(count()); }`,
      'last.js': `import { count } from './state.js'; import { twice } from './between.js';
        export const counted = () => twice(count());`,
      'between.js': `say('between'); export const twice = (n) => 2 * n;`,
      'state.js': `let n = 0; export const count = () => ++n;`,
    };
    const entries = ['main.js', 'later.js', 'last.js'];
    expect(await expectSame(sources, entries)).to.deep.equal(['between', 4, 6, 4]);
    const joined = joinModules(new Map(Object.entries(sources)), [entries]);
    for (const once of ['let n', "'between'"])
      expect([...joined.values()].filter((text) => text.includes(once))).to.have.length(1);
    expect(joined.get('last.js')).to.contain("from './main.js'").and.to.contain("from './later.js'");
  });

  it('keep what only looks like an import, a comment or the end of a string', async () => {
    await expectSame(
      {
        'main.js': String.raw`import { url } from './parts.js';
          // import { nothing } from './nowhere.js';
          /* import './nowhere.js'; */
          const text = 'import { a } from "./nowhere.js"; // no comment';
          const quoted = "it's /* no comment */ \" '";
          const template = ${'`'}
import { b } from './nowhere.js';
export const c = ${'${'}[1, 2].map((n) => { return ${'`'}<${'${'}n}>${'`'}; }).join('}')} // no comment
${'`'};
          const pattern = /['"${'`'}/[\]/*]+\/\//g;
          const half = (6 + 2) / 2 / [4][0];
          const word = { import: 1, export: 2 };
          say(text, quoted, template, 'a"b//c'.replace(pattern, '-'), half, word.import + word.export, url.length > 0);`,
        'parts.js': `export const url = import.meta.url;`,
      },
      ['main.js'],
    );
  });

  it('share no state between pages, and are all needed', () => {
    const sources = new Map([
      ['a.js', `import { state } from './state.js'; void state;`],
      ['b.js', `import { state } from './state.js'; void state;`],
      ['state.js', 'export const state = {};'],
    ]);
    const joined = joinModules(sources, [['a.js'], ['b.js']]);
    expect([...joined].map(([name, text]) => [name, text.includes('import')])).to.deep.equal([
      ['a.js', false],
      ['b.js', false],
    ]);
    expect(() => joinModules(sources, [['a.js']])).to.throw('cannot join b.js: no page needs it');
  });

  it('have no comments and no indentation', () => {
    const source = `/** Says. */\nexport function a() {\n  // why\n    return 1;\n}`;
    const text = joinModules(new Map([['a.js', source]]), [['a.js']]).get('a.js');
    expect(text).to.not.match(/Says|why|^ /m);
  });

  for (const [what, source, why] of [
    ['a circle', `import { b } from './b.js';`, 'it imports itself: a.js, b.js, a.js'],
    ['a default import', `import b from './b.js';`, `it says import b from './b.js' ;`],
    ['a module of elsewhere', `import { b } from 'elsewhere';`, `it says import { b } from 'elsewhere' ;`],
    ['a folder', `import { b } from '../b.js';`, `it says import { b } from '../b.js' ;`],
    ['a module that is not there', `import { c } from './c.js';`, 'there is no c.js'],
    ['a name that is not there', `import { c } from './d.js';`, 'd.js exports no c'],
    ['a default export', `export default 1;`, 'it says export default 1 ;'],
    ['a variable that changes', `export let a = 1;`, 'it says export let a = 1 ;'],
    ['names taken apart', `export const { a } = { a: 1 };`, 'it says export const { a } = { a : 1 } ;'],
    ['exports that are listed', `const a = 1; export { a };`, 'it says export { a } ;'],
    ['everything of another module', `export * from './d.js';`, `it says export * from './d.js' ;`],
    ['an import without its semicolon', `import { d } from './d.js'\nconst a = 1;`, 'it says import'],
    ['waiting at the top level', `await Promise.resolve();`, 'it waits at its top level'],
    ['a file that no list names', `void import('./d.js');`, 'it loads d.js, which is no file of its own'],
    ['a file of a folder', `void import('./d/e.js');`, `it says import ( './d/e.js' )`],
    ['a slash that may be either', `if (a) /b/.test('c');`, 'cannot tell what this is: /b/'],
    ['a bracket without end', `const a = [1;`, 'a bracket or a template has no end'],
    ['brackets that cross', `const a = [1);`, 'brackets do not fit at )'],
    ['a string without end', `const a = 'b`, `cannot tell what this is: 'b`],
  ] as const)
    it(`are refused for ${what}`, () => {
      const sources = new Map([
        ['a.js', source],
        ['b.js', `import { a } from './a.js'; export const b = 1;`],
        ['d.js', 'export const d = 1;'],
      ]);
      expect(() => joinModules(sources, [['a.js']])).to.throw(`cannot join a.js: ${why}`);
    });
});
