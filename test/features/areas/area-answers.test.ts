/** Lookups of areas through the whole service on the bundled sample: HTTP, pool, GDAL. */
import { expect } from 'chai';
import type { AreaLookupBody } from '../../../src/messages/wire/area-lookup.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { contractBreach } from '../../support/oracles/contract.ts';
import { given } from '../../support/drivers/given.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';
import { layerKeys } from '../../support/material/layer-keys.ts';

type Position = readonly number[];

const AT = [-79.317, 44.3] as const;

/** A square with a side in degrees round a place. */
function square([lon, lat]: Position, side: number): Position[] {
  const [west, east, south, north] = [lon! - side / 2, lon! + side / 2, lat! - side / 2, lat! + side / 2];
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

const polygon = (...coordinates: readonly (readonly Position[])[]) => ({ type: 'Polygon', coordinates });
const multi = (...rings: readonly (readonly Position[])[]) => ({
  type: 'MultiPolygon',
  coordinates: rings.map((ring) => [ring]),
});

describe('a lookup of an area', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });

  const post = async (geometry: object, query = ''): Promise<Response> =>
    fetch(`${service.url}/api/lookup/area${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ geometry }),
    });
  const answer = async (geometry: object, query = ''): Promise<AreaLookupBody> => {
    const response = await post(geometry, query);
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    expect(
      contractBreach({
        ...{ method: 'POST', path: '/api/lookup/area', status: 200, text },
        ...{ contentType: 'application/json', headers: response.headers },
      }),
    ).to.equal(null);
    return JSON.parse(text) as AreaLookupBody;
  };
  const refusal = async (geometry: object): Promise<object> => {
    const response = await post(geometry);
    return { status: response.status, ...((await response.json()) as object) };
  };

  given('maps').it(
    'gives the area as it was answered where a map is asked for, repaired, and the rest as without',
    async () => {
      const [west, south, east, north] = [-79.345, 44.28, -79.295, 44.315];
      const tie = [[west, south], [east, north], [east, south], [west, north], [west, south]]; // prettier-ignore
      const { geometry, ...rest } = await answer(polygon(tie), '?geometry=map');
      expect(rest).to.deep.equal(await answer(polygon(tie)));
      expect(rest.repaired).to.equal(true);
      const { type, coordinates } = geometry!.area!;
      expect(type).to.equal('MultiPolygon');
      const [middleLon, middleLat] = [(west + east) / 2, (south + north) / 2];
      const triangles = (coordinates as number[][][][]).map(([ring]) => ring!.map(String).sort());
      const sideAt = (lon: number): string[] => {
        const middle = [middleLon, middleLat].map((one) => Number(one.toFixed(6)));
        return [middle, [lon, south], [lon, north]].map(String);
      };
      for (const lon of [west, east])
        expect(triangles.filter((triangle) => sideAt(lon).every((corner) => triangle.includes(corner)))).to.have.length(
          1,
        );
      expect(geometry!.radiusM).to.be.within(2000, 6000);
      expect(geometry!.features).not.to.be.empty;
    },
  );

  given('maps').it('gives a valid area as it was sent', async () => {
    const ring = square(AT, 0.002);
    const { geometry } = await answer(polygon(ring), '?geometry=map');
    expect(geometry!.area!.type).to.equal('Polygon');
    const rounded = ring.map((position) => position.map((one) => Number(one.toFixed(6))).join());
    expect(new Set((geometry!.area!.coordinates as number[][][])[0]!.map(String))).to.deep.equal(new Set(rounded));
    expect(geometry!.radiusM).to.equal(300);
  });

  it('gives the size on the ground, a point inside, and all layers', async () => {
    const body = await answer(polygon(square(AT, 0.002)));
    // 0.002 degrees of latitude by 0.002 degrees of longitude there, by the radii of GRS 80.
    expect(body.areaM2).to.be.closeTo(222.23 * 159.54, 30);
    expect(Math.abs(body.lon - AT[0])).to.be.below(0.001);
    expect(Math.abs(body.lat - AT[1])).to.be.below(0.001);
    expect(body).to.include({ repaired: false, insideOntarioShare: 1 });
    expect(Object.keys(body.layers)).to.deep.equal(layerKeys);
  });

  it('takes away a hole, and unites parts', async () => {
    const whole = await answer(polygon(square(AT, 0.002)));
    const ring = await answer(polygon(square(AT, 0.002), square(AT, 0.001).toReversed()));
    expect(ring.areaM2).to.be.closeTo(0.75 * whole.areaM2, 1);
    const twice = await answer(multi(square(AT, 0.002), square([AT[0] + 0.01, AT[1]], 0.002)));
    expect(twice.areaM2).to.be.closeTo(2 * whole.areaM2, 1);
  });

  it('repairs rings that cross themselves, are open, or overlap, and says so', async () => {
    const [a, b, c, d] = square(AT, 0.002) as [Position, Position, Position, Position];
    const whole = await answer(polygon([a, b, c, d, a]));
    const bow = await answer(polygon([a, b, d, c, a]));
    expect([bow.repaired, bow.areaM2 / whole.areaM2]).to.deep.equal([true, bow.areaM2 / whole.areaM2]);
    expect(bow.areaM2).to.be.closeTo(whole.areaM2 / 2, 1);
    const open = await answer(polygon([a, b, c, d]));
    expect(open).to.deep.equal({ ...whole, repaired: true });
    const overlapping = await answer(multi(square(AT, 0.002), square(AT, 0.001)));
    expect([overlapping.repaired, overlapping.areaM2]).to.deep.equal([true, whole.areaM2]);
    const holeAcross = await answer(polygon([a, b, c, d, a], square([AT[0] + 0.001, AT[1]], 0.001)));
    expect(holeAcross.repaired).to.equal(true);
    expect(holeAcross.areaM2).to.be.closeTo(whole.areaM2 * 0.875, 1);
  });

  it('does not call repeated positions, heights and clockwise rings a repair', async () => {
    const [a, b, c, d] = square(AT, 0.002) as [Position, Position, Position, Position];
    const whole = await answer(polygon([a, b, c, d, a]));
    expect(await answer(polygon([a, a, b, c, c, d, a]))).to.deep.equal(whole);
    expect(await answer(polygon([a, d, c, b, a]))).to.deep.equal(whole);
    expect(await answer(polygon([a, b, c, d, a].map((position) => [...position, 300])))).to.deep.equal(whole);
  });

  it('refuses what is too large, too small, too long, flat or a tangle, and says what to do', async () => {
    const random = seededRandom(1);
    const tangle = Array.from({ length: 400 }, () => [AT[0] + 0.01 * random(), AT[1] + 0.01 * random()]);
    const comb = Array.from({ length: 2000 }, (_, i) => [AT[0] + i * 1e-7, AT[1] + (i % 2)]);
    for (const [geometry, detail] of [
      [polygon(square(AT, 0.06)), /it may have 25 km²: ask for its parts/],
      [polygon(square(AT, 0.000005)), /it must have 1 m²: ask for the point/],
      [polygon([...comb, comb[0]!]), /km; it may have 1000 km/],
      [
        polygon([
          [-79, 44],
          [-79.001, 44.001],
          [-79.002, 44.002],
          [-79, 44],
        ]),
        /has no area: its positions lie on a line|it must have 1 m²/,
      ],
      [polygon(square(AT, 0.002), square(AT, 0.002)), /has no area: every ring of a polygon but the first is a hole/],
      [polygon(square(AT, 0.002), square(AT, 0.002).toReversed()), /and nothing is left between them/],
      [
        { type: 'MultiPolygon', coordinates: [[square(AT, 0.001)], [square(AT, 0.002), square(AT, 0.004)]] },
        /coordinates\[1\]\[1\] lies around geometry.coordinates\[1\]\[0\]/,
      ],
      // Beside it, along its edge, and in a MultiPolygon.
      [polygon(square(AT, 0.001), square([AT[0] + 0.01, AT[1]], 0.001)), /lies beside the first ring .*: send a Multi/],
      [
        polygon(square(AT, 0.001), square([AT[0] + 0.001, AT[1]], 0.001)),
        /a ring near longitude -\d+\.\d{7}, latitude \d/,
      ],
      [
        {
          type: 'MultiPolygon',
          coordinates: [[square(AT, 0.001)], [square([AT[0], AT[1] + 0.01], 0.001), square(AT, 0.001)]],
        },
        /lies beside the first ring of its polygon/,
      ],
      [polygon(square(AT, 0.001), square(AT, 0.002)), /\[1\] lies around geometry.coordinates\[0\]: the outer ring/],
      [
        polygon([...tangle, tangle[0]!]),
        /edges that cross, touch or overlap each other too often, for example near longitude -?\d+\.\d{7}, latitude \d+\.\d{7}: /,
      ],
      [
        polygon([...square(AT, 0.01), ...square(AT, 0.01)]),
        /runs more than once along the same line .* near longitude/,
      ],
    ] as const) {
      const problem = await refusal(geometry);
      expect(problem).to.include({ status: 400, code: 'BAD_REQUEST' });
      expect(problem).to.have.property('detail').that.matches(detail);
    }
  });

  it('answers 422 outside Ontario, anywhere on the globe', async () => {
    for (const at of [
      [-73.55, 45.5],
      [0, 0],
      [179.99, 0],
      [-179.99, 10],
      [12, 89.9],
      [12, -89.9],
      [-90, 30],
    ]) {
      expect(await refusal(polygon(square(at, 0.01))), at.join()).to.include({ status: 422, code: 'OUTSIDE_ONTARIO' });
    }
  });

  it('answers partly for an area that is partly outside, and knows nothing of what is outside', async () => {
    const inside = square(AT, 0.002);
    const body = await answer(multi(inside, square([-73.55, 45.5], 0.002)));
    expect(body.insideOntarioShare).to.be.closeTo(0.505, 0.006);
    const whole = await answer(polygon(inside));
    for (const [key, value] of Object.entries(body.layers)) {
      const alone = whole.layers[key]!;
      if (value === null) expect(alone, key).to.equal(null);
      else {
        const known = 1 - (value['unknownShare'] as number);
        const expected = (1 - (alone['unknownShare'] as number)) * body.insideOntarioShare;
        expect(known, key).to.be.closeTo(expected, 0.001);
      }
    }
  });

  it('sums to 1 in every layer, whatever the area', async () => {
    const random = seededRandom(2);
    for (let i = 0; i < 40; i++) {
      const at = [AT[0] + 0.1 * (random() - 0.5), AT[1] + 0.1 * (random() - 0.5)];
      const { layers } = await answer(polygon(square(at, 0.0005 + 0.03 * random() ** 3)));
      for (const [key, value] of Object.entries(layers)) {
        if (value === null) continue;
        const shares = sharesIn(value);
        const sum = shares.reduce((a, b) => a + b, value['unknownShare'] as number);
        expect(sum, `${key} ${JSON.stringify(value)}`).to.be.within(0, 1.00005);
        if ('bands' in value) expect(sum, key).to.be.closeTo(1, 1e-9);
      }
    }
  });
});

function sharesIn(value: Readonly<Record<string, unknown>>): number[] {
  if ('share' in value) return [value['share'] as number];
  if ('bands' in value) return Object.values(value['bands'] as Record<string, number>);
  return ((value['parts'] ?? []) as readonly { readonly share: number }[]).map(({ share }) => share);
}
