import { expect } from 'chai';
import fc from '../support/drivers/fast-check.ts';
import { areaOf, areaShape } from '../../src/features/areas/area-request.ts';
import { MOST_VERTICES } from '../../src/messages/area-limits.ts';
import { beyondShape, type JsonShape } from '../../src/core/lookup/json-shape.ts';
import { refusedBodies } from '../support/material/refused-bodies.ts';

/** Counts what a value has, as `JsonShape` says it. */
function shapeOf(value: unknown): JsonShape {
  const nothing = { levels: 0, objectsAndArrays: 0, values: 0, texts: 0, digits: 0 };
  if (typeof value === 'string') return { ...nothing, texts: 1 };
  if (typeof value === 'number') return { ...nothing, digits: JSON.stringify(value).replace(/\D/g, '').length };
  if (typeof value !== 'object' || value === null) return nothing;
  const inner = Object.values(value).map(shapeOf);
  const names = Array.isArray(value) ? 0 : inner.length;
  const sum = (bound: keyof JsonShape): number => inner.reduce((all, shape) => all + shape[bound], 0);
  return {
    levels: 1 + Math.max(0, ...inner.map(({ levels }) => levels)),
    objectsAndArrays: 1 + sum('objectsAndArrays'),
    values: Math.max(0, inner.length - 1) + sum('values'),
    texts: names + sum('texts'),
    digits: sum('digits'),
  };
}

/** A polygon of rings of three positions that are not closed, each with the vertices that count. */
function manyRings(rings: number): string {
  const ring = '[[-78.6,44.1],[-78.5,44.1],[-78.5,44.2]]';
  const polygons = Array.from({ length: rings }, () => `[${ring}]`).join(',');
  return `{"geometry":{"type":"MultiPolygon","coordinates":[${polygons}]}}`;
}

describe('The shape of a JSON text', () => {
  const odd = fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ']', '}', ',', ':', 'é', '😀', '\n', 'a') });
  it('is counted as parsing would count it, whatever its texts hold', () => {
    const json = fc.jsonValue({ stringUnit: 'grapheme' });
    const texts = fc.array(fc.dictionary(odd, odd));
    fc.assert(
      fc.property(fc.oneof(json, texts), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const shape = shapeOf(JSON.parse(text));
        expect(beyondShape(Buffer.from(text), shape)).to.equal(null);
        for (const bound of ['levels', 'objectsAndArrays', 'values', 'texts', 'digits'] as const) {
          if (shape[bound] > 0)
            expect(beyondShape(Buffer.from(text), { ...shape, [bound]: shape[bound] - 1 }), bound).to.equal(bound);
        }
      }),
      { seed: 20_261_126, numRuns: 400 },
    );
  });

  it('is that of an area for every area that may be asked for', () => {
    const text = manyRings(MOST_VERTICES / 2);
    expect(areaOf(JSON.parse(text)).polygons).to.have.lengthOf(MOST_VERTICES / 2);
    expect(beyondShape(Buffer.from(text), areaShape.most)).to.equal(null);
    const long = `[${Array.from({ length: MOST_VERTICES + 1 }, (_, i) => `[-78.${i},44.1,200.5,1]`).join()}]`;
    const body = Buffer.from(`{"geometry":{"type":"Polygon","coordinates":[${long}]}}`);
    expect(beyondShape(body, areaShape.most)).to.equal(null);
    const exact = '[-78.123456789012345,44.123456789012345,200.12345678901234]';
    const full = `{"geometry":{"type":"Polygon","coordinates":[[${Array(MOST_VERTICES).fill(exact).join()}]]}}`;
    expect(beyondShape(Buffer.from(full), areaShape.most)).to.equal(null);
    expect(beyondShape(Buffer.from(full.replace('-78.', '-78.1')), areaShape.most)).to.equal('digits');
  });

  it('stops the counting as soon as there is too much', () => {
    const most: JsonShape = { levels: 8, objectsAndArrays: 100, values: 100, texts: 10, digits: 1000 };
    // A text that fails when a byte beyond the first two thousand is looked at.
    const watched = (text: string): Buffer =>
      new Proxy(Buffer.from(text), {
        get: (bytes, name) => {
          if (typeof name === 'string' && Number(name) > 2000) throw new Error(`it looked at ${name}`);
          const value: unknown = Reflect.get(bytes, name, bytes);
          return typeof value === 'function' ? (value.bind(bytes) as unknown) : value;
        },
      });
    for (const [part, beyond] of [
      ['[', 'levels'],
      ['[],', 'objectsAndArrays'],
      ['1,', 'values'],
      ['"a":1,', 'texts'],
      [`${'1'.repeat(40)},`, 'digits'],
    ] as const) {
      expect(beyondShape(watched(`{${part.repeat(100_000)}`), most)).to.equal(beyond);
    }
  });

  it('refuses the worst bodies of areas before they are parsed', () => {
    const counted = ['members', 'short texts', 'empty', 'nested', 'beyond', 'numbers in one', 'of 28 digits'];
    const areas = refusedBodies.filter(
      ({ path, what, headers }) =>
        path === '/api/lookup/area' &&
        headers['content-encoding'] === undefined &&
        counted.some((word) => what.includes(word)),
    );
    expect(areas.length).to.be.at.least(7);
    for (const { what, body } of areas) {
      const text = body.toString(what.includes('UTF-16') ? 'utf16le' : 'utf8');
      expect(beyondShape(Buffer.from(text), areaShape.most), what).not.to.equal(null);
    }
  });
});
