import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { PassThrough } from 'node:stream';
import { createServiceLogger } from '../../src/core/settings/logger.ts';

const logger = new URL(`../../src/core/settings/logger${extname(import.meta.url)}`, import.meta.url).href;

/** The messages of a process that logs and then runs `end`. */
function messagesOf(end: string): unknown[] {
  const program = `
    import { createServiceLogger } from ${JSON.stringify(logger)};
    const logger = createServiceLogger('info');
    logger.writeLine('info', '{"message":"first"}');
    logger.warn('second');
    logger.writeLine('error', '{"message":"third"}');
    ${end}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly message: unknown }).message);
}

describe('Logger', () => {
  const ends = {
    'runs to its end': '',
    'is told to exit': 'process.exit(0);',
    'fails by an error that nobody catches': 'throw new Error("a defect");',
  };
  for (const [name, end] of Object.entries(ends)) {
    it(`writes every line, in order, when the process ${name}`, () => {
      expect(messagesOf(end)).to.deep.equal(['first', 'second', 'third']);
    });
  }

  it('writes what winston logs at once, so that a process that is killed next has said why', () => {
    expect(messagesOf('logger.error("fourth"); process.kill(process.pid, "SIGKILL");')).to.deep.equal([
      ...['first', 'second', 'third', 'fourth'],
    ]);
  });

  it('writes the lines of one turn together, and none below its level', async () => {
    const output = new PassThrough();
    const lines = createServiceLogger('error', output);
    for (const level of ['error', 'info', 'error'] as const) lines.writeLine(level, `"${level}"`);
    const [chunk] = (await once(output, 'data')) as [Buffer];
    expect(chunk.toString()).to.equal('"error"\n"error"\n');
  });
});
