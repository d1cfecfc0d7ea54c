import { expect } from 'chai';
import type * as Area from '../../../web/shared/area.ts';
import type * as GeojsonInput from '../../../web/shared/geojson-input.ts';
import type * as Ground from '../../../web/shared/ground.ts';
import { webModule } from './web-module.ts';
import fc from '../../support/drivers/fast-check.ts';

const { areaInText, areaOf, areaText } = (await webModule('shared/area.ts')) as typeof Area;
const { placesIn } = (await webModule('shared/geojson-input.ts')) as typeof GeojsonInput;
const { aboutM2 } = (await webModule('shared/ground.ts')) as typeof Ground;

const RING = [
  [-79.3, 44.3],
  [-79.2, 44.3],
  [-79.2, 44.4],
  [-79.3, 44.3],
];
const polygon = { type: 'Polygon', coordinates: [RING] };
const at = (lon: number, lat: number) => ({ type: 'Point', coordinates: [lon, lat, 200] });
const feature = (geometry: unknown, more: object = {}) => ({ type: 'Feature', properties: null, geometry, ...more });
const collection = (...features: unknown[]) => ({ type: 'FeatureCollection', features });

function read(json: unknown): GeojsonInput.FilePlaces {
  const found = placesIn(JSON.stringify(json));
  if ('fault' in found) throw new Error(JSON.stringify(found));
  return found;
}

describe('A parcel given as GeoJSON', () => {
  it('is a polygon, a feature, or all polygons of a collection', () => {
    const one = [{ number: 1, geometry: polygon }];
    for (const json of [polygon, feature(polygon)])
      expect(read(json)).to.deep.include({ geometry: polygon, places: one });
    const two = { type: 'MultiPolygon', coordinates: [[RING], [RING]] };
    const each = [...one, { number: 2, geometry: polygon }];
    for (const json of [
      collection(feature(polygon), feature(polygon)),
      { type: 'GeometryCollection', geometries: [polygon, polygon] },
    ])
      expect(read(json)).to.deep.include({ geometry: two, outlines: each, places: each, leftOut: {} });
    expect(read(two), 'parts of one outline').to.deep.include({
      geometry: two,
      outlines: [{ number: 1, geometry: two }],
    });
  });

  it('keeps the order of outlines and points, what they are called and have, and counts the rest', () => {
    const properties = { PIN: '03600-0123', name: 'North field' };
    const line = { type: 'LineString', coordinates: [RING[0], RING[1]] };
    const labelled = { type: 'GeometryCollection', geometries: [at(-79.25, 44.35), polygon, line] };
    const mixed = collection(
      feature(at(-79.3, 44.3), { id: 7, properties }),
      feature(line),
      feature(polygon, { properties }),
      feature(null),
      null,
      feature({ type: 'Polygon', coordinates: [] }),
      feature({ type: 'MultiPoint', coordinates: [[-79.3, 44.3], [-79.2, 44.4]] }), // prettier-ignore
      feature({ type: 'MultiLineString', coordinates: [line.coordinates, line.coordinates] }),
      { type: 'Feature', geometry: labelled },
      feature({ type: 'CurvePolygon', geometries: [] }),
    );
    const { places, outlines, geometry, leftOut } = read(mixed);
    expect(places).to.deep.equal([
      { number: 1, id: 7, properties, lat: 44.3, lon: -79.3 },
      { number: 3, properties, geometry: polygon },
      { number: 7, lat: 44.3, lon: -79.3 },
      { number: 7, lat: 44.4, lon: -79.2 },
      { number: 9, geometry: polygon },
    ]);
    expect(outlines.map(({ number }) => number)).to.deep.equal([3, 9]);
    expect(geometry?.coordinates).to.deep.equal([[RING], [RING]]);
    expect(leftOut).to.deep.equal({ lines: 2, noGeometry: 3, besides: 2, otherShapes: 1 });
  });

  it('is also one feature a line, with a sign before each or without', () => {
    const lines = [feature(polygon), feature(at(-79.3, 44.3))].map((one) => JSON.stringify(one));
    const sequence = lines.map((line) => `\u001e${line}\n`).join('');
    for (const text of [lines.join('\n'), `\ufeff${lines.join('\r\n')}\r\n`, sequence]) {
      const found = placesIn(text);
      expect('places' in found && found.places.map(({ number }) => number), text).to.deep.equal([1, 2]);
    }
  });

  it('keeps all digits of a long number', () => {
    const long = (geometry: unknown): string =>
      `{"type":"Feature","id":1908054290001234567,"properties":{"ARN":1908054290001234567,"PIN":36000123},"geometry":${JSON.stringify(geometry)}}`;
    const named = { number: 1, id: '1908054290001234567', properties: { ARN: '1908054290001234567', PIN: 36000123 } };
    for (const [geometry, place] of [
      [polygon, { geometry: polygon }],
      [at(-79.3, 44.3), { lat: 44.3, lon: -79.3 }],
    ] as const) {
      const found = placesIn(long(geometry));
      expect('places' in found && found.places).to.deep.equal([{ ...named, ...place }]);
    }
  });

  it('loses its heights', () => {
    const high = { type: 'Polygon', coordinates: [RING.map(([lon, lat]) => [lon, lat, 250])] };
    expect(read(high).geometry).to.deep.equal(polygon);
  });

  it('may be in WGS 84 or NAD83, whatever its program calls them, and in no other system', () => {
    const named = (name: string) => ({ crs: { type: 'name', properties: { name } } });
    const fault = (json: unknown) => placesIn(JSON.stringify(json));
    for (const name of [
      ...['urn:ogc:def:crs:OGC:1.3:CRS84', 'urn:ogc:def:crs:OGC::CRS84h', 'EPSG:4326', 'urn:ogc:def:crs:EPSG::4326'],
      ...['urn:ogc:def:crs:EPSG:9.9.1:4326', 'http://www.opengis.net/def/crs/EPSG/0/4326', 'WGS84', 'epsg:4979'],
    ])
      expect(read({ ...polygon, ...named(name) }), name).to.include({ isNad83: false });
    for (const name of [
      'EPSG:4269',
      'urn:ogc:def:crs:EPSG::4269',
      'urn:ogc:def:crs:OGC:1.3:CRS83',
      'EPSG:4617',
      'NAD83',
    ])
      expect(read({ ...collection(feature(polygon)), ...named(name) }), name).to.include({ isNad83: true });
    expect(read({ ...polygon, crs: { type: 'EPSG', properties: { code: 4269 } } })).to.include({ isNad83: true });
    expect(read({ ...polygon, crs: null })).to.include({ isNad83: false });
    for (const name of [
      'urn:ogc:def:crs:EPSG::26917',
      'EPSG:3857',
      'EPSG:4267',
      'EPSG:14326',
      'EPSG:43260',
      'urn:ogc:def:crs:OGC:1.3:CRS27',
    ])
      expect(fault({ ...polygon, ...named(name) }), name).to.deep.equal({ fault: 'otherCrs', values: { crs: name } });
    const within = [
      collection(feature({ ...polygon, ...named('EPSG:3857') })),
      collection({ ...feature(polygon), crs: { type: 'EPSG', properties: { code: 3857 } } }),
      { ...polygon, crs: { type: 'link', properties: { href: 'http://example.org/crs.prj' } } },
      { ...polygon, crs: 'EPSG:26917' },
    ];
    for (const json of within) expect(fault(json)).to.deep.include({ fault: 'otherCrs' });
  });

  it('says when it is not whole, as servers of maps do', () => {
    for (const more of [
      { exceededTransferLimit: true },
      { properties: { exceededTransferLimit: true } },
      { numberMatched: 20, numberReturned: 1 },
      { totalFeatures: 2 },
      { links: [{ rel: 'self' }, { rel: 'next', href: '/items?offset=10' }] },
    ])
      expect(read({ ...collection(feature(polygon)), ...more }).isPart, JSON.stringify(more)).to.equal(true);
    const whole = {
      exceededTransferLimit: false,
      numberMatched: 1,
      totalFeatures: 'unknown',
      links: [{ rel: 'self' }],
    };
    expect(read({ ...collection(feature(polygon)), ...whole }).isPart).to.equal(false);
  });

  it('is about as large as it is on the ground, without its holes', () => {
    const square = (side: number): [number, number][] => [
      [0, 44],
      [side, 44],
      [side, 44 + side],
      [0, 44 + side],
      [0, 44],
    ];
    // A degree is 111.1 km, and there from west to east 80.2 km.
    expect(aboutM2({ type: 'Polygon', coordinates: [square(0.01)] })).to.be.closeTo(1111 * 802, 1000);
    const withHole = aboutM2({ type: 'Polygon', coordinates: [square(0.01), square(0.005)] });
    expect(withHole).to.be.closeTo(1111 * 802 * 0.75, 1000);
  });

  it('is refused with the true reason when it is none', () => {
    const many = Array.from({ length: 5001 }, (_, i) => [-79 - i / 1e5, 44]);
    const swapped = { type: 'Polygon', coordinates: [RING.map(([lon, lat]) => [lat, lon])] };
    const outline = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings });
    const second = (geometry: unknown) => collection(feature(polygon), feature(geometry));
    const cases: readonly (readonly [unknown, string, object?])[] = [
      [collection(), 'noFeatures'],
      [second(outline(RING.slice(0, 3))), 'brokenOutline', { number: 2 }],
      [second(outline(RING, [])), 'brokenOutline', { number: 2 }],
      [second({ type: 'Polygon' }), 'brokenOutline', { number: 2 }],
      [outline([...RING, ['a', 1]]), 'notNumbers', { number: 1 }],
      [outline(RING.map((one) => one.map(String))), 'notNumbers', { number: 1 }],
      [second({ type: 'Point', coordinates: [-79.3] }), 'notNumbers', { number: 2 }],
      [second(outline([...RING, [630_000, 4_900_000]])), 'notDegrees', { number: 2 }],
      [at(630_000, 4_900_000), 'notDegrees', { number: 1 }],
      [swapped, 'exchanged'],
      [collection(feature(at(44.3, -79.3)), feature(swapped)), 'exchanged'],
      [at(49.8, -94.5), 'exchanged'],
      [second(outline(many)), 'tooManyVertices', { number: 2 }],
      [null, 'notGeojson'],
      [[polygon], 'notGeojson'],
      [{ type: 'Topology', objects: {} }, 'notGeojson'],
      [{ type: 'FeatureCollection' }, 'notGeojson'],
      [{ geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 4269 }, features: [] }, 'esri'],
      [{ error: { code: 499, message: 'Token Required' } }, 'serverError', { detail: '499 Token Required' }],
    ];
    for (const [json, fault, values] of cases)
      expect(placesIn(JSON.stringify(json)), JSON.stringify(json).slice(0, 80)).to.deep.equal({
        fault,
        ...(values ? { values } : {}),
      });
    expect(placesIn('no JSON')).to.deep.equal({ fault: 'notJson' });
    expect(placesIn(JSON.stringify(collection(feature(polygon))).slice(0, -20))).to.deep.equal({ fault: 'cutOff' });
    expect(placesIn('{"address":"1 Main St"}\n{"address":"2 Main St"}')).to.deep.equal({ fault: 'cutOff' });
  });

  it('may have outlines that are too much for one question together', () => {
    const half = [...Array.from({ length: 2600 }, (_, i) => [-79 - i / 1e5, 44]), [-79, 44]];
    const found = read(collection(...[1, 2].map(() => feature({ type: 'Polygon', coordinates: [half] }))));
    expect(found.outlines).to.have.length(2);
  });

  it('comes back from its link to a millionth of a degree', () => {
    const degree = (least: number, most: number) =>
      fc.integer({ min: least * 1e6, max: most * 1e6 }).map((value) => value / 1e6);
    const corner = fc.tuple(degree(-95, -74), degree(41, 57));
    const ring = fc
      .array(corner, { minLength: 3, maxLength: 20 })
      .map((corners): [number, number][] => [...corners, corners[0]!]);
    const polygons = fc.array(fc.array(ring, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(polygons, (coordinates) => {
        const geometry = areaOf(coordinates);
        const text = areaText(geometry)!;
        expect(encodeURIComponent(text)).to.equal(text);
        expect(areaInText(text)).to.deep.equal(geometry);
      }),
    );
  });

  it('is no link when it has too many corners, or the text is none', () => {
    const corners = Array.from({ length: 3000 }, (_, i): [number, number] => [-79 - Math.sin(i) / 10, 44 + i / 1e4]);
    expect(areaText(areaOf([[[...corners, corners[0]!]]]))).to.equal(null);
    for (const text of ['', 'x', '1.2!3.4', '1.2!3.4!', '1!2!3!4', '~*']) expect(areaInText(text), text).to.equal(null);
  });
});
