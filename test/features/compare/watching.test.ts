/** What docs/watching.md says to install is run. */
import { expect } from 'chai';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { projectDir } from '../../../src/project/project.ts';
import { cliArguments } from '../../support/drivers/cli.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { given } from '../../support/drivers/given.ts';
import { shareSampleService } from '../../support/drivers/sample-service.ts';

const page = readFileSync(join(projectDir, 'docs', 'watching.md'), 'utf8');

/** The file of the page that begins with its path. */
function fileOf(path: string): string {
  const blocks = [...page.matchAll(/^```\w+\n([^`]*)^```$/gm)].map(([, text]) => text!);
  const found = blocks.find((text) => text.split('\n').slice(0, 2).includes(`# ${path}`));
  if (found === undefined) throw new Error(`docs/watching.md has no file ${path}`);
  return found;
}

const SCRIPT = '/usr/local/bin/land-lookup-watch';
const SERVICE = '/etc/systemd/system/land-lookup-watch.service';
const TIMER = '/etc/systemd/system/land-lookup-watch.timer';
const SETTINGS = '/etc/land-lookup-watch.env';

describe('a watch', function () {
  this.timeout(240_000);

  it('is a unit that runs the script with its settings, and a timer of its name', function () {
    expect(fileOf(SERVICE)).to.include(`ExecStart=${SCRIPT}\n`).and.include(`EnvironmentFile=${SETTINGS}\n`);
    const names = [...fileOf(SETTINGS).matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
    for (const [, name] of fileOf(SCRIPT).matchAll(/\$([A-Z_]+)/g))
      expect([...names, 'STATE_DIRECTORY']).to.include(name);
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) this.skip();
    using folder = temporaryFolder();
    for (const path of [SERVICE, TIMER]) {
      const file = join(folder.path, path.split('/').at(-1)!);
      writeFileSync(file, fileOf(path).replace(SCRIPT, '/bin/true').replace(SETTINGS, `-${SETTINGS}`));
    }
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder.path, 'land-lookup-watch.timer')], {
      encoding: 'utf8',
    });
    expect([status, stderr.split('\n').filter((line) => line.includes('land-lookup'))], stderr).to.deep.equal([0, []]);
  });

  given('batches').it('keeps results, sends a message about what has changed, and nothing else', async () => {
    using folder = temporaryFolder();
    const service = await shareSampleService();
    const messages: string[] = [];
    let status = 500;
    const receiver = createServer((req, res) => {
      void req.toArray().then((parts) => {
        messages.push(Buffer.concat(parts as Buffer[]).toString());
        res.writeHead(status).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const [bin, state] = [join(folder.path, 'bin'), join(folder.path, 'state')];
    for (const made of [bin, state]) mkdirSync(made);
    const write = (path: string, text: string): string => {
      writeFileSync(path, text);
      chmodSync(path, 0o755);
      return path;
    };
    write(
      join(bin, 'land-lookup'),
      `#!/bin/sh\nexec "${process.execPath}" ${cliArguments.map((one) => `"${one}"`).join(' ')} "$@"\n`,
    );
    const script = write(join(bin, 'watch'), fileOf(SCRIPT));
    const places = write(
      join(folder.path, 'places.csv'),
      'address\n"12 Main St W, Sampleton, ON"\n"1209 Concession 4, Fiddlehead Corners, ON"\n',
    );
    const env = {
      ...{ ...process.env, PATH: `${bin}:${process.env['PATH']}`, STATE_DIRECTORY: state, PLACES: places },
      ...{ LAND_LOOKUP_URL: service.url, LAND_LOOKUP_KEY: service.key },
      WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    };
    const run = (): Promise<number | null> =>
      new Promise((resolve) => {
        const child = execFile(script, { env }, () => {
          resolve(child.exitCode);
        });
      });
    const kept = join(state, 'before.ndjson');
    expect([await run(), await run(), messages]).to.deep.equal([0, 0, []]);
    const old = readFileSync(kept, 'utf8').replace('"caName":"Sample Valley', '"caName":"Old Valley');
    writeFileSync(kept, old);
    expect(await run(), 'the receiver fails').to.not.equal(0);
    expect(readFileSync(kept, 'utf8')).to.equal(old);
    status = 200;
    expect([await run(), await run()]).to.deep.equal([0, 0]);
    expect(messages).to.have.length(2);
    const [row, ...rest] = messages[1]!
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { changed: string[] });
    expect([row!.changed, rest]).to.deep.equal([['caBoundary'], []]);
    expect(existsSync(join(state, 'now.ndjson'))).to.equal(false);
    receiver.close();
  });
});
