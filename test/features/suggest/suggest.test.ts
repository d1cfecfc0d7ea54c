import { suggestSettings } from '../../../src/features/suggest/settings.ts';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { suspendCustomer } from '../../../src/core/keys/customers.ts';
import { setKey } from '../../../src/core/keys/keys.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { LookupPool } from '../../../src/core/pool/lookup-pool.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import type { LookupAnswer, LookupTask, Suggestion } from '../../../src/messages/lookup.ts';
import { AppError, unavailable } from '../../../src/messages/problems.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { okAnswer, startFrontEnd, type FrontEnd, type FrontEndOptions } from '../../support/drivers/front-end.ts';
import { shareSampleService } from '../../support/drivers/sample-service.ts';
import { serveSample } from '../../support/material/snapshot-copies.ts';

const answer: LookupAnswer = { json: '{"suggestions":[]}', geocodeMs: 0.2, layersMs: 0 };

/** A front end whose pool remembers its tasks. */
async function startSuggesting(options: FrontEndOptions = {}): Promise<FrontEnd & { readonly tasks: LookupTask[] }> {
  const tasks: LookupTask[] = [];
  const front = await startFrontEnd({
    lookup: (task) => {
      tasks.push(task);
      return Promise.resolve(task.kind === 'suggest' ? answer : okAnswer);
    },
    ...options,
  });
  return { ...front, tasks };
}

function suggest(
  { url, key }: Pick<FrontEnd, 'url' | 'key'>,
  query: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${url}/api/suggest${query}`, { headers: { authorization: `Bearer ${key}` }, ...init });
}

async function detailOf(reply: Promise<Response>): Promise<[status: number, detail: string | undefined]> {
  const response = await reply;
  return [response.status, ((await response.json()) as { readonly detail?: string }).detail];
}

describe('GET /api/suggest', () => {
  it('hands the text to the pool as it is, and answers with its JSON text', async () => {
    await using front = await startSuggesting();
    const response = await suggest(front, '?q=12+m%C3%A2in%2C%00%20&limit=7');
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal(answer.json);
    expect(response.headers.get('content-type')).to.equal('application/json');
    expect(response.headers.get('cache-control')).to.equal('no-store');
    await suggest(front, '?q=%20');
    expect(front.tasks).to.deep.equal([
      { kind: 'suggest', text: '12 mâin,\u0000 ', limit: 7 },
      { kind: 'suggest', text: ' ', limit: 5 },
    ]);
  });

  it('says what is wrong with a request, and spends nothing on it', async () => {
    await using front = await startSuggesting();
    const q = 'the query parameter "q" takes one text of 1 to 100 characters';
    const limit = 'the query parameter "limit" takes one whole number from 1 to 10';
    const wrong: Record<string, string> = {
      '': 'the query parameter "q" is missing: it takes one text of 1 to 100 characters',
      '?limit=5': 'the query parameter "q" is missing: it takes one text of 1 to 100 characters',
      '?q=': q,
      [`?q=${'x'.repeat(101)}`]: q,
      '?q=a&q=b': q,
      '?q=a&limit=0': limit,
      '?q=a&limit=11': limit,
      '?q=a&limit=': limit,
      '?q=a&limit=0x5': limit,
      '?q=a&limit=5.0': limit,
      '?q=a&limit=1&limit=2': limit,
      '?q=a&lang=fr': 'there is no query parameter "lang" here',
    };
    for (const [query, detail] of Object.entries(wrong)) {
      expect(await detailOf(suggest(front, query)), query).to.deep.equal([400, detail]);
    }
    expect(front.tasks).to.deep.equal([]);
    expect((await suggest(front, '?q=a')).headers.get('ratelimit')).to.contain('r=19999;');
  });

  it('needs a key that may be used from here', async () => {
    await using front = await startSuggesting();
    expect((await fetch(`${front.url}/api/suggest?q=a`)).status).to.equal(401);
    await setKey(front.store, front.keyId, { limits: { networks: ['203.0.113.0/24'] } });
    expect((await suggest(front, '?q=a')).status).to.equal(403);
  });

  it('is refused for a suspended customer', async () => {
    await using front = await startSuggesting();
    await setKey(front.store, front.keyId, { customer: 'cus_1' });
    await suspendCustomer(front.store, 'cus_1', 'a test');
    expect((await suggest(front, '?q=a')).status).to.equal(402);
  });

  it('has a limit of its own, which lookups do not touch', async () => {
    await using front = await startSuggesting({
      ofFeatures: new Map([[suggestSettings, { perHour: 2 }]]),
      rateLimitPerHour: 3,
    });
    await front.post({ address: 'x' });
    const first = await suggest(front, '?q=a');
    expect(first.headers.get('ratelimit-policy')).to.equal('"suggest";q=2;w=3600');
    expect(first.headers.get('ratelimit')).to.match(/^"suggest";r=1;t=\d+$/);
    await suggest(front, '?q=b');
    const refused = await suggest(front, '?q=c');
    expect(refused.headers.get('ratelimit')).to.match(/^"suggest";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(3590, 3600);
    expect(await detailOf(Promise.resolve(refused))).to.deep.equal([
      429,
      'this key may ask for suggestions 2 times per hour',
    ]);
    const lookup = await front.post({ address: 'x' });
    expect(lookup.status).to.equal(200);
    expect(lookup.headers.get('ratelimit')).to.match(/^"lookup";r=1;/);
  });

  it('gives the unit back when the service fails', async () => {
    await using front = await startSuggesting({
      lookup: () => Promise.reject(unavailable('TOO_LATE', 'gone')),
    });
    const response = await suggest(front, '?q=a');
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('1');
    expect(response.headers.get('ratelimit')).to.contain('r=20000;');
  });

  it('is refused before anything is read or spent while the service is full', async () => {
    await using front = await startSuggesting({ maxPending: 1, pending: () => 1 });
    expect((await suggest(front, '?limit=wrong')).status).to.equal(503);
    expect(front.tasks).to.deep.equal([]);
  });

  it('does not wait for costly lookups', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    await using front = await startSuggesting({
      lookup: async (task) => {
        if (task.kind === 'suggest') return answer;
        await ended;
        return okAnswer;
      },
    });
    const costly = [1, 2, 3].map(() => front.post({ address: 'x' }, {}, '?detail=full&geometry=near'));
    expect((await suggest(front, '?q=a')).status).to.equal(200);
    end();
    await Promise.all(costly);
  });

  it('takes GET and HEAD only, and exactly this path', async () => {
    await using front = await startSuggesting();
    const post = await suggest(front, '?q=a', { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    expect((await suggest(front, '/?q=a')).status).to.equal(404);
  });

  it('is counted and timed under its own route, and its text is in no log', async () => {
    await using front = await startSuggesting();
    await (await suggest(front, '?q=12+secret+street')).text();
    const metrics = await front.services.metrics.metrics();
    expect(metrics).to.contain('land_lookup_requests_total{route="/api/suggest",status="200",code="OK"} 1');
    expect(metrics).to.contain('land_lookup_stage_seconds_count{stage="suggest"} 1');
    expect(JSON.stringify(front.lines)).to.contain('/api/suggest').and.not.to.contain('secret');
  });
});

describe('suggestions from a snapshot whose register was imported before there were any', function () {
  this.timeout(240_000);

  it('are refused with what to do about it, while lookups work as before', async () => {
    using folder = temporaryFolder();
    serveSample(folder.path, 1);
    const { dir } = requireCurrentSnapshot(folder.path);
    const db = new Database(join(dir, 'land.gpkg'));
    for (const table of ['gazetteer_prefixes', 'gazetteer_numbers']) {
      db.exec(`DROP TABLE ${table}; DELETE FROM gpkg_contents WHERE table_name = '${table}'`);
    }
    db.close();
    const catalogue = readCatalogue(join(projectDir, 'layers'));
    await using pool = await LookupPool.start({
      threads: 1,
      deadlineMs: 120_000,
      startsLate: true,
      snapshotDir: dir,
      catalogue,
    });
    const refusal = await pool
      .lookup({ kind: 'suggest', text: '1209 conc', limit: 5 })
      .catch((cause: unknown) => cause);
    expect(refusal).to.be.instanceOf(AppError).and.to.include({
      code: 'DB_ERROR',
      message: 'the address register was imported without suggestions: run `land-lookup load-addresses`',
    });
    const address = '1209 Concession 4, Fiddlehead Corners, ON';
    const { json } = await pool.lookup({ kind: 'address', address, full: false });
    expect(json).to.contain('1209 Concession 4');
  });
});

describe('suggestions of the service on its sample', function () {
  this.timeout(240_000);

  it('are found by a lookup as they are, and are not billed', async () => {
    const service = await shareSampleService();
    const response = await suggest(service, '?q=1209+conc+4');
    const { suggestions } = (await response.json()) as { readonly suggestions: readonly Suggestion[] };
    const addresses = suggestions.filter(({ kind }) => kind === 'address');
    expect(addresses).not.to.deep.equal([]);
    for (const { text, lat, lon } of addresses) {
      const lookup = await fetch(`${service.url}/api/lookup`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ address: text }),
      });
      expect(await lookup.json()).to.include({ address: `${text}, Canada`, lat, lon });
    }
    expect(response.headers.has('lookup-id')).to.equal(false);
  });
});
