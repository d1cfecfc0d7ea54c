import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
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

  it('goes on when its output fails, and says since when lines were lost once it can be written again', async () => {
    const written: string[] = [];
    let isFull = false;
    const output = new Writable({
      emitClose: false,
      autoDestroy: false,
      decodeStrings: false,
      write(text: string, _encoding, done) {
        if (!isFull) written.push(text);
        done(isFull ? Object.assign(new Error('no space left'), { code: 'ENOSPC' }) : null);
        // As standard output does.
        process.nextTick(() => {
          (output as unknown as { _undestroy(): void })._undestroy();
        });
      },
    });
    const lines = createServiceLogger('info', output);
    for (const [message, full] of [
      ['first', false],
      ['second', true],
      ['third', true],
      ['fourth', false],
      ['fifth', false],
    ] as const) {
      isFull = full;
      lines.writeLine('info', JSON.stringify({ message }));
      await nextTurn();
      await nextTurn();
    }
    const told = written.flatMap((text) => text.split('\n')).filter((line) => line !== '');
    const messages = told.map((line) => JSON.parse(line) as { readonly message: string; readonly detail?: string });
    expect(messages.map(({ message }) => message)).to.deep.equal([
      ...['first', 'fourth', 'lines of the log were lost', 'fifth'],
    ]);
    expect(messages[2]!.detail).to.match(/^no space left: check whether the disk is full/);
  });
});
