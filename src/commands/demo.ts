import type { Command } from 'commander';
import { issueKey, revokeKey } from '../core/keys/keys.ts';
import { openKeyStore } from '../core/keys/open-key-store.ts';
import { readConfig } from '../config.ts';
import type { Config } from '../core/settings/config.ts';
import { currentSnapshot, missingLayers } from '../core/snapshots/current.ts';
import { loadAddresses } from '../import/load-addresses.ts';
import { loadLayers } from '../import/load-layers.ts';
import { serveUntilSignal } from './serve.ts';

/** Only this command makes keys of this name. They are valid until its next run. */
const DEMO_KEY_NAME = 'demonstration';

/** Rows of batches per day for the demonstration key. */
const DEMO_BATCH_ROWS = 10_000;

/** An address of the bundled sample. */
const DEMO_ADDRESS = '12 Main St W, Sampleton, ON';

export function register(program: Command): void {
  program
    .command('demo')
    .description('serve with a demonstration key; import the bundled sample first if there is no data yet')
    .action(demo);
}

async function demo(): Promise<void> {
  const config = readConfig();
  await importMissingSample(config);
  const key = await renewDemoKey(config);
  await serveUntilSignal((url) => {
    process.stderr.write(`\nTry it:\n\n${curlCommand(url, key)}\n\n`);
  });
}

/** Imports what a run before has not, because it was interrupted. Real data are left alone. */
async function importMissingSample(config: Config): Promise<void> {
  const current = currentSnapshot(config.dataDir)?.manifest;
  if (current?.sample === false) return;
  const hasLayers = current !== undefined && missingLayers(current) === null;
  const isComplete =
    (hasLayers || (await loadLayers(config, { sample: true })) === 0) &&
    (current?.gazetteer || (await loadAddresses(config, { sample: true })) === 0);
  if (!isComplete) throw new Error('the bundled sample could not be imported');
}

/** Revokes the key of the previous run and makes a new one, because a key cannot be shown twice. */
async function renewDemoKey(config: Config): Promise<string> {
  await using store = await openKeyStore(config);
  for (const { id, name, revokedAt } of await store.list()) {
    if (name === DEMO_KEY_NAME && revokedAt === null) await revokeKey(store, id);
  }
  return (await issueKey(store, { name: DEMO_KEY_NAME, limits: { batchRowsPerDay: DEMO_BATCH_ROWS } })).key;
}

/** Returns a request that works as printed. */
function curlCommand(url: string, key: string): string {
  return [
    `curl -s ${url}/api/lookup`,
    `-H 'Authorization: Bearer ${key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify({ address: DEMO_ADDRESS })}'`,
  ].join(' \\\n  ');
}
