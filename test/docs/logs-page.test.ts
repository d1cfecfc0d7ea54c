/** What the page about logs says of bytes, fields and what is never there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { stages } from '../../src/messages/lookup.ts';
import { until } from '../support/drivers/patience.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { given } from '../support/drivers/given.ts';

const read = (...path: string[]): string => readFileSync(join(projectDir, ...path), 'utf8');
const page = read('docs', 'logs.md');

/** Lookups of which the page gives the mean; it was measured with more, and only times differ. */
const LOOKUPS = 200;

const bytesOf = (lines: readonly object[]): number =>
  lines.reduce((sum, line) => sum + JSON.stringify(line).length + 1, 0) / lines.length;

describe('the page about logs', function () {
  this.timeout(240_000);

  given('suggest').it('gives the bytes of a lookup, and every field of a request', async () => {
    using folder = ownSampleFolder();
    const key = await newKey(folder.path, { name: 'Ada Byron' });
    await using service = await ServiceHere.start(folder.path);
    const requests = () => service.lines.filter(({ message }) => message === 'request');
    const lookup = (headers: Readonly<Record<string, string>> = {}, body: unknown = SAMPLE_ADDRESS) =>
      service.lookup(key, body, { headers: { 'X-Forwarded-For': '203.0.113.77', ...headers } });
    for (let i = 0; i < LOOKUPS; i++) expect((await lookup()).status).to.equal(200);
    await until(() => requests().length === LOOKUPS);
    const [, told] = /The line of a plain lookup has (\d+) bytes/.exec(page)!;
    expect(bytesOf(requests())).to.be.closeTo(Number(told), 25);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const [, more] = /, (\d+) more with a `traceparent`/.exec(page)!;
    await lookup({ traceparent });
    await until(() => requests().length === LOOKUPS + 1);
    expect(bytesOf(requests().slice(LOOKUPS)) - bytesOf(requests().slice(0, LOOKUPS))).to.be.closeTo(Number(more), 15);

    await lookup({}, { address: '' });
    await service.lookup('olk_none', SAMPLE_ADDRESS);
    await fetch(`${service.url}/api/suggest?q=12+Main`, { headers: { Authorization: `Bearer ${key}` } });
    await fetch(`${service.url}/nothing/of/203.0.113.77`);
    await until(() => requests().length === LOOKUPS + 5);
    const fields = new Set(requests().flatMap((line) => Object.keys(line)));
    expect(fields).to.include.all.keys('keyId', 'lookupId', 'traceId', 'code', 'reason');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const explained = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    expect(explained).to.include.members([...fields, ...stages.map((stage) => `${stage}Ms`)]);
    const text = JSON.stringify(service.lines);
    for (const never of [key, 'Main', 'Ada Byron', '203.0.113.77', 'nothing/of']) expect(text).to.not.contain(never);
  });

  it('says what the unit sets', () => {
    for (const setting of ['LogRateLimitIntervalSec=0'])
      expect(
        page.includes(setting) && read('deploy', 'systemd', 'land-lookup@.service').includes(`\n${setting}\n`),
      ).to.equal(true);
  });
});
