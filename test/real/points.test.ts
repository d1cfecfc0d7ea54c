/** PLACES (1,000) places: a lookup of a point answers what a lookup of the address there answers, and names an address that is found again. */
import { join } from 'node:path';
import { expect } from 'chai';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { LookupPool } from '../../src/core/pool/lookup-pool.ts';
import { AppError } from '../../src/messages/problems.ts';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';
import type { FullPointLookupBody } from '../../src/messages/wire/point-lookup.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { realDataDir } from '../support/material/real-data.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';
import { registerRows, writtenAddress } from './register.ts';

const PLACES = Number(process.env['PLACES'] ?? 1000);

describe('lookups of points', function () {
  this.timeout(1_800_000);
  it(`answer ${PLACES} places as lookups of their addresses do`, async function () {
    const data = realDataOrSkip(this);
    const catalogue = readCatalogue(join(projectDir, 'layers'));
    const snapshotDir = requireCurrentSnapshot(realDataDir(data)).dir;
    await using pool = await LookupPool.start({
      threads: 1,
      deadlineMs: 60_000,
      startsLate: true,
      snapshotDir,
      catalogue,
    });
    const full = async (address: string): Promise<FullLookupBody> =>
      JSON.parse((await pool.lookup({ kind: 'address', address, full: true })).json) as FullLookupBody;

    const rows = registerRows(join(data, 'nar'));
    const counts = { refused: 0, sameAddress: 0, otherAddress: 0 };
    for (let i = 0, places = 0; places < PLACES; i++) {
      const row = rows[(i * 7919) % rows.length]!;
      const byAddress = await full(writtenAddress(row)).catch(refusal);
      if (byAddress === null) {
        counts.refused++;
        continue;
      }
      places++;
      const { geocode, address: named, ...expected } = byAddress;
      const { lat, lon, uncertaintyM } = geocode;
      const { json } = await pool.lookup({ kind: 'point', full: true, lat, lon, uncertaintyM });
      const { geocode: place, address, ...answered } = JSON.parse(json) as FullPointLookupBody;
      expect(answered, json).to.deep.equal(expected);
      if (geocode.accuracy === 'building')
        expect(place, json).to.include({ addressState: 'present', addressDistanceM: 0 });
      if (address !== null) expect((await full(address)).address).to.equal(address);
      if (address === named) counts.sameAddress++;
      else counts.otherAddress++;
    }
    console.log(`        ${JSON.stringify(counts)}`);
    expect(counts.sameAddress).to.be.above(PLACES * 0.95);
  });
});

/** A register has rows that are refused: their positions contradict their neighbours. */
function refusal(cause: unknown): null {
  if (cause instanceof AppError && cause.status < 500) return null;
  throw cause;
}
