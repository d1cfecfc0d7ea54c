import { join } from 'node:path';
import { registerRows, writtenAddress } from '../../real/register.ts';
import { cliOrThrow } from '../../support/drivers/cli.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { sharedData } from '../../support/material/shared-data.ts';

/** At most so many addresses, spread over the register. */
const ADDRESSES = 2000;

export interface LoadData extends Disposable {
  readonly folder: { readonly path: string };
  readonly addresses: readonly string[];
}

/**
 * A data folder with the real extracts and addresses in them; where they are absent the sample, whose lookups cost less. DATA_DIR names a folder
 * that has the extracts already, which saves their import.
 */
export function realDataOrSample(): LoadData {
  const folder = sharedData === null ? ownSampleFolder() : importedExtracts(sharedData);
  const addresses = sharedData === null ? [SAMPLE_ADDRESS.address] : someAddresses(join(sharedData, 'nar'));
  console.log(sharedData === null ? 'the sample: no real data' : `${addresses.length} addresses of the real extracts`);
  return {
    folder,
    addresses,
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]();
    },
  };
}

function importedExtracts(data: string): Disposable & { readonly path: string } {
  const kept = process.env['DATA_DIR'];
  if (kept !== undefined) return { path: kept, [Symbol.dispose]: () => undefined };
  const imported = temporaryFolder();
  cliOrThrow(imported.path, 'load-layers', '--from', join(data, 'sources'));
  cliOrThrow(imported.path, 'load-addresses', '--from', join(data, 'nar'));
  return imported;
}

function someAddresses(register: string): string[] {
  const rows = registerRows(register);
  const step = Math.max(1, Math.floor(rows.length / ADDRESSES));
  return rows.filter((_, i) => i % step === 0).map(writtenAddress);
}
