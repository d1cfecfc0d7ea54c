/** Bytes are written out as the standards give them: OGC 06-103 (WKB) and OGC 12-128 (GeoPackage). */
import { expect } from 'chai';
import type { GeoJsonGeometry, Position } from '../../src/messages/import.ts';
import { outlineOf, readGeoPackageGeometry } from '../../workers/geopackage/flat-geometry.ts';
import { fromGpkgGeometry, toGpkgGeometry, wkbOf } from '../../workers/geopackage/gpkg-geometry.ts';
import { toWkb } from '../../workers/import/features/prepare-batch.ts';

/** Little-endian: byte order and type, then counts (`n`) and coordinates in turn. */
function bytes(...parts: readonly (readonly ['wkb' | 'n', number] | number)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      const isDouble = typeof part === 'number';
      const kind = isDouble ? 'double' : part[0];
      const buffer = Buffer.alloc({ double: 8, wkb: 5, n: 4 }[kind]);
      if (isDouble) buffer.writeDoubleLE(part);
      else buffer.writeUInt32LE(part[1], kind === 'wkb' ? 1 : 0);
      if (kind === 'wkb') buffer[0] = 1;
      return buffer;
    }),
  );
}

const triangle: Position[] = [
  [0, 0],
  [4, 0],
  [4, 3],
  [0, 0],
];
const triangleBytes = [['n', 4], 0, 0, 4, 0, 4, 3, 0, 0] as const;

const geometries: Readonly<Record<string, readonly [geometry: GeoJsonGeometry, wkb: Buffer]>> = {
  'a point, without its height': [{ type: 'Point', coordinates: [1, 2, 3] }, bytes(['wkb', 1], 1, 2)],
  'a line': [
    {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    bytes(['wkb', 2], ['n', 2], 1, 2, 3, 4),
  ],
  'a polygon': [{ type: 'Polygon', coordinates: [triangle] }, bytes(['wkb', 3], ['n', 1], ...triangleBytes)],
  'several points': [
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    bytes(['wkb', 4], ['n', 2], ['wkb', 1], 1, 2, ['wkb', 1], 3, 4),
  ],
  'several lines': [
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    },
    bytes(['wkb', 5], ['n', 1], ['wkb', 2], ['n', 2], 1, 2, 3, 4),
  ],
  'several polygons': [
    { type: 'MultiPolygon', coordinates: [[triangle, triangle]] },
    bytes(['wkb', 6], ['n', 1], ['wkb', 3], ['n', 2], ...triangleBytes, ...triangleBytes),
  ],
};

describe('GeoJSON as WKB', () => {
  for (const [what, [geometry, wkb]] of Object.entries(geometries)) {
    it(`writes ${what}`, () => {
      expect(toWkb(geometry).toString('hex')).to.equal(wkb.toString('hex'));
    });
  }

  it('writes nothing of nothing, and NaN of what is missing', () => {
    expect(toWkb(null)).to.have.length(0);
    expect(toWkb({ type: 'MultiPolygon', coordinates: [] })).to.have.length(0);
    expect(toWkb({ type: 'Point', coordinates: [1] as unknown as Position }).readDoubleLE(13)).to.be.NaN;
  });
});

describe('WKB as a table stores it', () => {
  it('has magic, version, flags, CRS and bounds in front, and single parts as multi ones', () => {
    const stored = toGpkgGeometry(toWkb({ type: 'Polygon', coordinates: [triangle] }))!;
    expect(stored).to.include({ vertexCount: 4, minX: 0, minY: 0, maxX: 4, maxY: 3 });
    const header = Buffer.from([0x47, 0x50, 0, 3, 3161 & 255, 3161 >> 8, 0, 0]);
    const bounds = bytes(0, 4, 0, 3);
    const multi = bytes(['wkb', 6], ['n', 1], ['wkb', 3], ['n', 1], ...triangleBytes);
    expect(stored.blob.toString('hex')).to.equal(Buffer.concat([header, bounds, multi]).toString('hex'));
    expect(wkbOf(stored.blob).equals(multi)).to.equal(true);
    expect(fromGpkgGeometry(stored.blob)).to.include({ minX: 0, minY: 0, maxX: 4, maxY: 3 });
  });

  it('has no bounds in front of a point', () => {
    const stored = toGpkgGeometry(toWkb({ type: 'Point', coordinates: [1, 2] }))!;
    expect([stored.blob.length, stored.blob[3]]).to.deep.equal([8 + 21, 1]);
    expect(fromGpkgGeometry(stored.blob)).to.include({ minX: 1, maxX: 1, minY: 2, maxY: 2 });
  });

  it('is none with a coordinate that is not finite, or without any', () => {
    for (const position of [
      [NaN, 1],
      [1, Infinity],
    ] as const)
      expect(toGpkgGeometry(toWkb({ type: 'LineString', coordinates: [[0, 0], position] }))).to.equal(null);
    expect(toGpkgGeometry(bytes(['wkb', 3], ['n', 0]))).to.equal(null);
    expect(() => toGpkgGeometry(bytes(['wkb', 4], ['n', 1], ['wkb', 1], 1, 2))).to.throw('WKB type 4 has no table');
  });
});

describe('a stored geometry in flat parts', () => {
  const read = (geometry: GeoJsonGeometry): unknown => {
    const { kind, parts } = readGeoPackageGeometry(toGpkgGeometry(toWkb(geometry))!.blob);
    return [kind, ...parts.map(({ xy }) => [...xy])];
  };

  it('has each ring without its repeated end', () => {
    const ring = [0, 0, 4, 0, 4, 3];
    expect(read({ type: 'MultiPolygon', coordinates: [[triangle, triangle], [triangle]] })).to.deep.equal([
      ...['polygon', ring, ring, ring],
    ]);
  });

  it('has lines and points as they are', () => {
    expect(read({ type: 'LineString', coordinates: triangle })).to.deep.equal(['line', [0, 0, 4, 0, 4, 3, 0, 0]]);
    expect(read({ type: 'Point', coordinates: [1, 2] })).to.deep.equal(['point', [1, 2]]);
  });

  it('knows its box, and its outline closes', () => {
    const polygon = readGeoPackageGeometry(toGpkgGeometry(toWkb({ type: 'Polygon', coordinates: [triangle] }))!.blob);
    expect(polygon.parts[0]!.box).to.deep.equal({ minX: 0, minY: 0, maxX: 4, maxY: 3 });
    const outline = outlineOf(polygon);
    expect([outline.kind, [...outline.parts[0]!.xy]]).to.deep.equal(['line', [0, 0, 4, 0, 4, 3, 0, 0]]);
  });

  it('is refused when it is of another kind', () => {
    const collection = Buffer.concat([Buffer.from([0x47, 0x50, 0, 1, 0, 0, 0, 0]), bytes(['wkb', 7], ['n', 0])]);
    expect(() => readGeoPackageGeometry(collection)).to.throw('geometry type 7 cannot be indexed');
  });
});
