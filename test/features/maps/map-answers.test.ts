/** What `geometry=map` adds to an answer, through the whole service on the bundled sample. */
import { expect } from 'chai';
import type { FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import { signedArea } from '../../../workers/geometry/ring.ts';
import { distanceM } from '../../lookup/plain-geometry.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';

const TOWN = '12 Main St W, Sampleton, ON';
/** Where no flood hazard mapping reaches. */
const COUNTRY = '1209 Concession 4, Fiddlehead Corners, ON';

describe('what a map of an answer shows', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });

  const ask = async (address: string, geometry: string): Promise<FullLookupBody> => {
    const response = await fetch(`${service.url}/api/lookup?detail=full&geometry=${geometry}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ address }),
    });
    expect(response.status).to.equal(200);
    return (await response.json()) as FullLookupBody;
  };

  it('is what is near, with the house numbers around, nearest first, and the rest as without', async () => {
    const { geometry, ...rest } = await ask(TOWN, 'map');
    const { geometry: near, ...without } = await ask(TOWN, 'near');
    expect(rest).to.deep.equal(without);
    const { addresses, notReached, ...same } = geometry!;
    expect(same, 'geometry=near is as before').to.deep.equal(near);
    expect(notReached).to.deep.equal([]);
    expect(addresses![0]).to.deep.include({ number: '12', street: 'Main St W', lat: rest.lat, lon: rest.lon });
    const away = addresses!.map(({ lat, lon }) =>
      distanceM({ type: 'Point', coordinates: [lon, lat] }, [rest.lon, rest.lat]),
    );
    expect(away).to.deep.equal([...away].sort((a, b) => a - b));
    expect(Math.max(...away)).to.be.below(251);
    const names = addresses!.map(({ number, street }) => `${number} ${street}`);
    expect(new Set(names).size).to.equal(names.length);
    expect(names.length).to.be.above(1);
  });

  it('says where the data of a hazard do not reach, and of no other layer', async () => {
    const { geometry, evidence } = await ask(COUNTRY, 'map');
    expect(evidence['floodProximity']!.state).to.equal('no_coverage');
    expect(geometry!.notReached!.map(({ properties }) => properties.dataSet)).to.deep.equal(['flood_hazard']);
  });

  it('has the rings of all polygons in the direction of RFC 7946', async () => {
    const { features, notReached } = (await ask(COUNTRY, 'map')).geometry!;
    const polygons = [...features, ...notReached!].flatMap(({ geometry: { type, coordinates } }) =>
      type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : [],
    ) as number[][][][];
    expect(polygons.length).to.be.above(1);
    for (const rings of polygons)
      for (const [place, ring] of rings.entries()) expect(signedArea(ring.flat()) > 0).to.equal(place === 0);
  });
});
