import { expect } from 'chai';
import type * as AreaLink from '../../../web/shared/area-link.ts';
import type * as GeojsonInput from '../../../web/shared/geojson-input.ts';
import { webModule } from './web-module.ts';
import fc from '../../support/drivers/fast-check.ts';

const { areaInText, areaText } = (await webModule('shared/area-link.ts')) as typeof AreaLink;
const { aboutM2, areaOf, parcelIn, pointsIn } = (await webModule('shared/geojson-input.ts')) as typeof GeojsonInput;

const RING = [
  [-79.3, 44.3],
  [-79.2, 44.3],
  [-79.2, 44.4],
  [-79.3, 44.3],
];
const polygon = { type: 'Polygon', coordinates: [RING] };
const read = (json: unknown) => parcelIn(JSON.stringify(json));

describe('A parcel given as GeoJSON', () => {
  it('is a polygon, a feature, or all polygons of a collection', () => {
    const feature = { type: 'Feature', properties: null, geometry: polygon };
    const one = { geometry: polygon, outlines: [{ geometry: polygon }] };
    expect(read(polygon)).to.deep.equal(one);
    expect(read(feature)).to.deep.equal(one);
    const two = { type: 'MultiPolygon', coordinates: [[RING], [RING]] };
    const each = { geometry: two, outlines: [{ geometry: polygon }, { geometry: polygon }] };
    expect(read({ type: 'FeatureCollection', features: [feature, feature] })).to.deep.equal(each);
    expect(read({ type: 'GeometryCollection', geometries: [polygon, polygon] })).to.deep.equal(each);
    expect(read(two), 'parts of one outline').to.deep.equal({ geometry: two, outlines: [{ geometry: two }] });
  });

  it('keeps what it is called and has, and points are places', () => {
    const properties = { PIN: '03600-0123', name: 'North field' };
    const named = { type: 'Feature', id: 7, properties, geometry: polygon };
    const parcel = read({ type: 'FeatureCollection', features: [named] });
    expect('outlines' in parcel && parcel.outlines).to.deep.equal([{ id: 7, properties, geometry: polygon }]);
    const at = { type: 'Point', coordinates: [-79.3, 44.3, 200] };
    const point = { type: 'Feature', properties, geometry: at };
    const points = (json: unknown) => pointsIn(JSON.stringify(json));
    expect(points({ type: 'FeatureCollection', features: [point] })).to.deep.equal([
      { properties, lat: 44.3, lon: -79.3 },
    ]);
    expect(points({ type: 'FeatureCollection', features: [point, named] }), 'mixed').to.deep.equal([]);
    expect(points({ type: 'Point', coordinates: [500_000, 4_900_000] })).to.deep.equal([]);
  });

  it('keeps all digits of a long number', () => {
    const feature = (coordinates: string, type: string): string =>
      `{"type":"Feature","id":1908054290001234567,"properties":{"ARN":1908054290001234567,"PIN":36000123},"geometry":{"type":"${type}","coordinates":${coordinates}}}`;
    const named = { id: '1908054290001234567', properties: { ARN: '1908054290001234567', PIN: 36000123 } };
    const parcel = parcelIn(feature(JSON.stringify([RING]), 'Polygon'));
    expect('outlines' in parcel && parcel.outlines).to.deep.equal([{ ...named, geometry: polygon }]);
    expect(pointsIn(feature('[-79.3,44.3]', 'Point'))).to.deep.equal([{ ...named, lat: 44.3, lon: -79.3 }]);
  });

  it('loses its heights', () => {
    const high = { type: 'Polygon', coordinates: [RING.map(([lon, lat]) => [lon, lat, 250])] };
    expect(read(high)).to.deep.equal({ geometry: polygon, outlines: [{ geometry: polygon }] });
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

  it('is refused with a reason when it is none', () => {
    const crs = (name: string) => ({ ...polygon, crs: { type: 'name', properties: { name } } });
    const many = Array.from({ length: 5001 }, (_, i) => [-79 - i / 1e5, 44]);
    const cases: readonly (readonly [unknown, string])[] = [
      [crs('urn:ogc:def:crs:EPSG::26917'), 'otherCrs'],
      [{ type: 'Point', coordinates: [1, 2] }, 'noPolygon'],
      [{ type: 'Polygon', coordinates: [] }, 'noPolygon'],
      [{ type: 'Polygon', coordinates: [RING.slice(0, 3)] }, 'noPolygon'],
      [{ type: 'Polygon', coordinates: [[...RING, ['a', 1]]] }, 'noPolygon'],
      [{ type: 'FeatureCollection', features: [null, { type: 'Feature', geometry: null }] }, 'noPolygon'],
      [null, 'noPolygon'],
      [{ type: 'Polygon', coordinates: [[...RING, [630_000, 4_900_000]]] }, 'notDegrees'],
      [{ type: 'Polygon', coordinates: [many] }, 'tooManyVertices'],
    ];
    for (const [json, fault] of cases) expect(read(json), JSON.stringify(json).slice(0, 80)).to.deep.equal({ fault });
    expect(parcelIn('{')).to.deep.equal({ fault: 'notJson' });
    expect('geometry' in read(crs('urn:ogc:def:crs:OGC:1.3:CRS84'))).to.equal(true);
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
