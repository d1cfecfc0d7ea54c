import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { build } from 'rolldown';
import { projectDir } from '../../src/project/project.ts';
import { withSourceLines } from '../../src/project/source-lines.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

describe('A stack trace with the lines of the sources', () => {
  const folder = temporaryFolder();
  const source = join(folder.path, 'fault.ts');
  const built = join(folder.path, 'fault.js');
  before(async () => {
    writeFileSync(source, "/** Nothing. */\nconst nothing: object = {};\n\nthrow new Error('a fault', nothing);\n");
    await build({ input: source, tsconfig: false, output: { file: built, sourcemap: true } });
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('names the file and the place that the bundle was made of', async () => {
    const stack: unknown = await import(pathToFileURL(built).href).catch((cause: unknown) => (cause as Error).stack);
    if (typeof stack !== 'string') throw new Error('it did not fail');
    expect(stack).to.contain('fault.js:');
    expect(withSourceLines(stack))
      .to.match(/^Error: a fault\n {4}at /)
      .and.contain(`${relative(projectDir, source)}:4:7`);
  });

  it('leaves what has no map as it is', () => {
    const stack = 'Error: x\n    at run (/nowhere/at-all.js:1:2)\n    at node:internal/timers:3:4';
    expect(withSourceLines(stack)).to.equal(stack);
  });

  it('leaves text alone that is no stack trace', () => {
    const sentence = 'the file /srv/data/land.gpkg:12:3 cannot be read';
    expect(withSourceLines(sentence)).to.equal(sentence);
  });
});
