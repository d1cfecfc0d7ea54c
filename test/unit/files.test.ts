/** Replacing files as a whole, and what commands remember on the disk. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { makeFolder } from '../../src/core/files/make-folder.ts';
import { LockHeld } from '../../src/core/files/lock.ts';
import { moveFolderIntoPlace, moveIntoPlace, replaceFile, replaceFileSync } from '../../src/core/files/replace.ts';
import { StateFile } from '../../src/features/batches/state-file.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

describe('files', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder.path, 'notes');
    writeFileSync(file, 'before');
  });
  afterEach(() => {
    folder[Symbol.dispose]();
  });

  const content = (): string => readFileSync(file, 'utf8');

  it('are replaced as a whole: until the end, readers find what was there', async () => {
    await replaceFile(file, async (part) => {
      await part.writeFile('af');
      expect(content()).to.equal('before');
      await part.writeFile('ter');
    });
    expect(content()).to.equal('after');
    replaceFileSync(file, 'at last');
    expect(content()).to.equal('at last');
    expect(readdirSync(folder.path)).to.deep.equal(['notes']);
  });

  it('stay as they are when they cannot be replaced, and are replaced the next time', async () => {
    const failure = await replaceFile(file, async (part) => {
      await part.writeFile('x'.repeat(100));
      throw new Error('broken off');
    }).catch(String);
    expect([failure, content()]).to.deep.equal(['Error: broken off', 'before']);
    await replaceFile(file, (part) => part.writeFile('after'));
    expect(content()).to.equal('after');
  });

  it('get their names together as a folder, and a link is replaced as they are', () => {
    const [building, built, link] = ['building', 'built', 'current'].map((name) => join(folder.path, name)) as [
      ...[string, string, string],
    ];
    mkdirSync(join(building, 'inner'), { recursive: true });
    writeFileSync(join(building, 'one'), '1');
    moveFolderIntoPlace(building, built);
    expect([existsSync(building), readdirSync(built)]).to.deep.equal([false, ['inner', 'one']]);
    symlinkSync('nowhere', link);
    symlinkSync('built', `${link}.next`);
    moveIntoPlace(`${link}.next`, link);
    expect(readFileSync(join(link, 'one'), 'utf8')).to.equal('1');
  });

  it('are in folders that are made with those above; where none can be made, that is said and not tried again', () => {
    const deep = join(folder.path, 'a', 'b', 'c');
    makeFolder(deep, 0o700);
    makeFolder(deep);
    expect(statSync(join(folder.path, 'a')).mode & 0o777).to.equal(0o700);
    expect(() => {
      makeFolder(join(file, 'below'));
    }).to.throw('ENOTDIR');
    // In a process of its own, because what tries without end would end no test.
    const module = new URL(`../../src/core/files/make-folder${extname(import.meta.url)}`, import.meta.url).href;
    const program = `import { makeFolder } from ${JSON.stringify(module)}; makeFolder('/proc/land-lookup/a');`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(status).to.equal(1);
    expect(stderr).to.contain('ENOENT');
  });
});

describe('StateFile', () => {
  const optionsIn = (path: string) => ({
    path: join(path, 'work.state'),
    lockPath: join(path, 'work.lock'),
    held: 'another process works',
    repair: 'remove it',
  });

  it('remembers for the next run, which one process at a time does', async () => {
    using folder = temporaryFolder();
    const options = optionsIn(folder.path);
    {
      await using state = new StateFile<{ readonly done: number }>(options);
      expect(await state.read()).to.equal(null);
      await state.write({ done: 1 });
      await state.write({ done: 2 });
      expect(() => new StateFile(options)).to.throw(LockHeld, /another process works/);
    }
    expect(readdirSync(folder.path)).to.deep.equal(['work.state']);
    await using next = new StateFile<{ readonly done: number }>(options);
    expect(await next.read()).to.deep.equal({ done: 2 });
    await next.forget();
    expect(await next.read()).to.equal(null);
  });

  it('says what to do when it cannot be read', async () => {
    using folder = temporaryFolder();
    const options = optionsIn(folder.path);
    writeFileSync(options.path, '{"done":');
    await using state = new StateFile(options);
    expect(await state.read().catch(String)).to.match(/work\.state cannot be read: remove it$/);
  });
});
