/** A real extract in which no wetland was evaluated, through an ArcGIS-compatible server that is not this project's. */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { startKoop, type KoopLayer } from '../support/doubles/koop-server.ts';
import { Miniature } from '../support/material/miniature.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';

interface Collection {
  readonly features: KoopLayer['features'];
}

const PLACES = 500;
/** The extract's box, longitude first. */
const [WEST, SOUTH, EAST, NORTH] = [-78.705, 45.075, -78.348, 45.305] as const;

describe('wetlands of which none was evaluated', function () {
  this.timeout(300_000);

  it(`are never "outside" of a significant one, at ${PLACES} places`, async function () {
    const file = join(realDataOrSkip(this), 'further', 'wetland_haliburton.geojson');
    if (!existsSync(file)) {
      console.log('skipped: no real data');
      this.skip();
    }
    const { features } = JSON.parse(readFileSync(file, 'utf8')) as Collection;
    await using server = await startKoop([
      {
        service: 'LIO_OPEN_DATA/LIO_Open01/MapServer',
        metadata: { id: 15, name: 'Wetland With Significance', idField: 'OBJECTID', geometryType: 'MultiPolygon' },
        features: features.map((feature, i) => ({
          ...feature,
          properties: { ...feature.properties, OBJECTID: i + 1 },
        })),
      },
    ]);
    using miniature = await Miniature.served(server.url, ['wetland']);
    expect(miniature.record('wetland').featureCount).to.equal(features.length);
    const random = seededRandom(20261124);
    const seen = new Map<string, number>();
    for (let asked = 0; asked < PLACES; asked++) {
      // Half of them beside wetlands.
      const near = asked % 2 === 0 ? cornerOf(features[Math.floor(random() * features.length)]!) : null;
      const [lon, lat] = near ?? [WEST + random() * (EAST - WEST), SOUTH + random() * (NORTH - SOUTH)];
      const at = [lon + (random() - 0.5) * 0.002, lat + (random() - 0.5) * 0.002] as const;
      const { value, state } = miniature.ask('significantWetlandProximity', at);
      expect(value, at.join()).to.equal(null);
      const any = miniature.ask('wetlandProximity', at).value;
      expect(state, at.join()).to.equal(any === 'outside' ? 'no_coverage' : 'unavailable');
      seen.set(state, (seen.get(state) ?? 0) + 1);
    }
    console.log(`        ${[...seen].map(([state, count]) => `${state}: ${count}`).join(', ')}`);
    expect([...seen.keys()]).to.have.members(['unavailable', 'no_coverage']);
  });
});

/** The first position of a feature. */
function cornerOf({ geometry }: KoopLayer['features'][number]): readonly [number, number] | null {
  const { coordinates }: { readonly coordinates?: unknown } = geometry ?? {};
  let at = coordinates;
  while (Array.isArray(at) && Array.isArray(at[0])) at = at[0];
  return (at as readonly [number, number] | undefined) ?? null;
}
