/** A batch that an earlier version was answering when it was killed, and what must become of it. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { projectDir } from '../../../src/project/project.ts';
import type { KeptBatch } from '../../tools/keep-batch.ts';
import { BatchClient } from '../drivers/batch-client.ts';
import { temporaryFolder } from '../drivers/folder.ts';
import { ServiceHere } from '../drivers/service-here.ts';

const kept = join(projectDir, 'test', 'kept-data', 'batches');

/** The versions of which there is one, oldest first. */
export const keptVersions: readonly string[] = readdirSync(kept)
  .map((name) => name.replace('.tar.gz', ''))
  .sort();

/** A data folder as the version left it. `bucket`: of several machines that shared batches, which 0.2.0 alone did. */
export function unpackBatch(version: string, store: 'machine' | 'bucket'): Disposable & { readonly path: string } {
  const folder = temporaryFolder();
  const archive = join(kept, `${version}.tar.gz`);
  execFileSync('tar', ['-C', folder.path, '--strip-components=2', '-xzf', archive, `./${store}`]);
  return folder;
}

/** What is known of the batch of a folder. */
export function keptBatch(dataDir: string): KeptBatch {
  return JSON.parse(readFileSync(join(dataDir, 'expected.json'), 'utf8')) as KeptBatch;
}

interface Row {
  readonly row: number;
  readonly status: number;
  readonly lookupId: string | null;
}

/** Starts a service on the folder, which must answer and bill each row of the batch once. */
export async function expectGoesOn(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { key, batch, rows, done } = keptBatch(dataDir);
  const before = billedIn(dataDir);
  expect([before.length, done]).to.satisfy(([billed, answered]: [number, number]) => billed > 0 && answered < rows);
  // Nothing expires, whenever this runs.
  const service = { USAGE_RETENTION_DAYS: '36500', BATCH_RETENTION_DAYS: '365', ...env };
  await using running = await ServiceHere.start(dataDir, service);
  const client = new BatchClient(() => running.url, key);
  const ended = await client.ended(batch);
  expect([ended.state, ended.error]).to.deep.equal(['completed', null]);
  expect(ended.rows).to.deep.include({ total: rows, done: rows, found: (rows * 9) / 10 });
  let text = '';
  await client.download(batch, (part) => (text += part));
  const answered = text.split('\n').flatMap((line) => (line.startsWith('{"row"') ? [JSON.parse(line) as Row] : []));
  expect(answered.map(({ row }) => row)).to.deep.equal(Array.from({ length: rows }, (_, i) => i + 1));
  const lookups = answered.flatMap(({ lookupId }) => lookupId ?? []).sort();
  expect(lookups).to.have.lengthOf((rows * 9) / 10);
  const billed = billedIn(dataDir);
  expect(billed).to.deep.equal(lookups);
  expect(billed).to.include.members(before);
}

/** Ids of the lookups in the journal. */
function billedIn(dataDir: string): readonly string[] {
  const db = new Database(join(dataDir, 'usage.sqlite'), { readonly: true });
  try {
    return db.prepare<[], string>('SELECT id FROM usage ORDER BY id').pluck().all();
  } finally {
    db.close();
  }
}
