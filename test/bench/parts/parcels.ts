/** Parcels of 300 m² to 1 km² on a province, and our answer for one, as a costly lookup gives it. */
import { areaOf } from '../../../src/features/areas/area-request.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { answerArea } from '../../../workers/areas/feature.ts';
import type { openServed } from '../../../workers/engine/served-snapshot.ts';
import { anchorsOf } from '../../support/material/area-anchors.ts';
import { areaShapes, randomArea, type Anchor, type RandomArea } from '../../support/material/random-areas.ts';

type Served = ReturnType<typeof openServed>;

/** Draws the same parcels of every shape each time, and more anchors for other areas. */
export function drawParcels(
  snapshot: Served['snapshot'],
  count: number,
): { readonly parcels: readonly RandomArea['geometry'][]; readonly anchor: () => Anchor } {
  const random = seededRandom(20261122);
  const anchor = anchorsOf(snapshot, random);
  const parcels = Array.from(
    { length: count },
    (_, i) => randomArea(areaShapes[i % areaShapes.length]!, random, anchor()).geometry,
  );
  return { parcels, anchor };
}

/** Repairs, projects and answers an area. Null: outside Ontario. @throws Error for any other refusal. */
export function askArea(served: Served, geometry: object, answers: Catalogue['answers']): string | null {
  const outcome = answerArea(served, { kind: 'area', ...areaOf({ geometry }) }, { answers, further: [] });
  if (outcome.ok) return outcome.value.json;
  if (outcome.code !== 'OUTSIDE_ONTARIO') throw new Error(outcome.detail);
  return null;
}
