/** 500 addresses of the register, written as people write them, must come back as their own civic point. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { cliOrThrow } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { realDataDir } from '../support/material/real-data.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';
import { registerRows, writtenAddress, type RegisterRow } from './register.ts';

const COUNT = 500;

describe('the register', function () {
  this.timeout(600_000);
  const folder = temporaryFolder();
  after(() => {
    folder[Symbol.dispose]();
  });

  it(`resolves ${COUNT} of its addresses to their own civic point`, function () {
    const data = realDataOrSkip(this);
    const dataDir = realDataDir(data);
    const all = registerRows(join(data, 'nar'));
    const chosen = Array.from({ length: COUNT }, (_, i) => all[Math.floor((i * all.length) / COUNT)]!);
    const file = join(folder.path, 'addresses.csv');
    writeFileSync(file, `address\n${chosen.map((row) => `"${writtenAddress(row)}"\n`).join('')}`);
    const lines = cliOrThrow(dataDir, 'lookup', '--file', file).trim().split('\n');
    expect(lines).to.have.length(COUNT);

    const pointsOf = new Map<string, RegisterRow[]>();
    for (const row of all) pointsOf.set(civicKey(row), [...(pointsOf.get(civicKey(row)) ?? []), row]);
    const wrong = chosen.flatMap((row, i) => {
      const answer = JSON.parse(lines[i]!) as { lat?: number; lon?: number; detail?: string };
      const isOwn = pointsOf.get(civicKey(row))!.some(({ lat, lon }) => lat === answer.lat && lon === answer.lon);
      return isOwn ? [] : [`${writtenAddress(row)}: ${answer.detail ?? `${answer.lat},${answer.lon}`}`];
    });
    expect(wrong).to.deep.equal([]);
  });
});

const ORDINALS = 'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH'.split(' ');

/** One key for one civic address: the register has some streets twice, as "5 ST" and as "Fifth ST". */
function civicKey({ civic, suffix, street, municipality }: RegisterRow): string {
  const words = street.toUpperCase().split(' ');
  const name = words.map((word) => (ORDINALS.includes(word) ? String(ORDINALS.indexOf(word) + 1) : word)).join(' ');
  return [civic, suffix, name, municipality.toUpperCase()].join('|');
}
