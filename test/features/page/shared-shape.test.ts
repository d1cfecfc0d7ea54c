/** What the page takes for an answer from a link. */
import { join } from 'node:path';
import { expect } from 'chai';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import type { LayersBody } from '../../../src/messages/wire/layers.ts';
import { projectDir } from '../../../src/project/project.ts';
import type * as SharedShape from '../../../web/answers/shared-shape.ts';
import { webModule } from './web-module.ts';

const { isSharedAnswer } = (await webModule('answers/shared-shape.ts')) as typeof SharedShape;
const { answers, further } = readCatalogue(join(projectDir, 'layers'));
const layers = [...answers, ...further].map(({ answer: { key, kind } }, i) => ({
  key,
  kind,
  further: i >= answers.length,
}));
const known = { layers } as unknown as LayersBody;
const { fullLookup, fullPointLookup, area, areaLookup } = readExamples();

const address = { kind: 'address', address: 'x' } as const;
const point = { kind: 'point', lat: 44, lon: -79, uncertaintyM: 0 } as const;
const parcel = { kind: 'area', geometry: area.geometry } as const;
type Json = Record<string, unknown>;

/** The answer with the value at a path replaced; undefined: without it. */
function changed(body: object, path: string, value: unknown): object {
  const copy = structuredClone(body) as Json;
  const names = path.split('.');
  const last = names.pop()!;
  const holder = names.reduce((at, name) => at[name] as Json, copy);
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
  return copy;
}

describe('An answer from a link', () => {
  it('is one when it is an answer of the service', () => {
    expect(isSharedAnswer(address, fullLookup, known)).to.equal(true);
    expect(isSharedAnswer(point, fullPointLookup, known)).to.equal(true);
    expect(isSharedAnswer(parcel as never, areaLookup, known)).to.equal(true);
  });

  for (const value of [undefined, 7, [], ['x'], { a: {} }, 'zzz'] as const)
    it(`is none when something that the page shows is ${value === undefined ? 'missing' : JSON.stringify(value)}`, () => {
      const paths = [
        ...['lat', 'lon', 'layers', 'evidence', 'geocode', 'dataAsOf', 'layers.greenbelt', 'layers.waterWells'],
        ...['layers.municipality', 'evidence.greenbelt', 'evidence.soil.state', 'evidence.wetlandProximity.distanceM'],
        ...['geocode.accuracy', 'geocode.uncertaintyM', 'geocode.faults'],
      ];
      for (const path of paths) {
        // What is of the right kind there.
        const isRight =
          (value === 7 && /lat|lon|distanceM|uncertaintyM/.test(path)) ||
          (Array.isArray(value) && value.length === 0 && path === 'geocode.faults');
        expect(isSharedAnswer(address, changed(fullLookup, path, value), known), path).to.equal(isRight);
      }
      for (const path of [
        'areaM2',
        'insideOntarioShare',
        'layers',
        'layers.soil.unknownShare',
        'layers.wetlandProximity.bands',
      ]) {
        const isRight = (value === 7 && /M2|Share/.test(path)) || (value === undefined && path.endsWith('bands'));
        expect(isSharedAnswer(parcel as never, changed(areaLookup, path, value), known), path).to.equal(isRight);
      }
    });

  it('is none without a layer that the service always answers, and may lack a further one', () => {
    for (const body of [changed(fullLookup, 'layers', {}), changed(fullLookup, 'layers.floodProximity', undefined)])
      expect(isSharedAnswer(address, body, known)).to.equal(false);
    expect(isSharedAnswer(parcel as never, changed(areaLookup, 'layers', {}), known)).to.equal(false);
    expect(further).to.have.length.above(0);
  });

  it('is none where its evidence says something else than its value', () => {
    expect(isSharedAnswer(address, changed(fullLookup, 'layers.greenbelt', false), known)).to.equal(false);
    expect(isSharedAnswer(address, changed(fullLookup, 'evidence.greenbelt.state', 'absent'), known)).to.equal(false);
  });

  it('is none with rules that the page cannot show', () => {
    const rule = { outcome: 'excluded', because: [{ text: 'x', distanceM: 7 }], missing: [], check: ['y'] };
    expect(isSharedAnswer(address, { ...fullLookup, rules: { rule } }, known)).to.equal(true);
    for (const wrong of [7, [], { outcome: 'allowed' }, { because: [7] }, { missing: 'x' }, { check: undefined }]) {
      const rules = { rule: typeof wrong === 'object' && !Array.isArray(wrong) ? { ...rule, ...wrong } : wrong };
      expect(isSharedAnswer(address, { ...fullLookup, rules }, known), JSON.stringify(wrong)).to.equal(false);
    }
  });

  it('is none with a question that nobody can ask', () => {
    expect(isSharedAnswer({ ...point, uncertaintyM: 1e9 }, fullPointLookup, known)).to.equal(false);
    expect(isSharedAnswer({ ...address, address: 3 as never }, fullLookup, known)).to.equal(false);
    expect(
      isSharedAnswer({ kind: 'area', geometry: { type: 'Polygon', coordinates: [] } }, areaLookup, known),
    ).to.equal(false);
  });
});
