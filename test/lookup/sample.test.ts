import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { allAnswers } from '../../src/catalogue/catalogue.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { drawSample } from '../tools/draw-sample.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { plainAnswer, type PlainAnswer, type PlainSource } from './plain-answers.ts';
import { contains } from './plain-geometry.ts';
import type { Feature, LonLat } from '../support/material/sample/frame.ts';

const layers = join(projectDir, 'layers');
const sample = join(layers, 'sample');

interface Entry {
  readonly file: string;
  readonly asOf: string;
  readonly coverage?: readonly [number, number, number, number];
}
interface Collection {
  readonly title: string;
  readonly features: readonly Feature[];
}

const read = (file: string): string => readFileSync(join(sample, file), 'utf8');
const { sample: label, ...entries } = JSON.parse(read('sources.json')) as Record<string, Entry> & { sample: unknown };
const collections = Object.fromEntries(
  Object.entries(entries).map(([id, { file }]) => [id, JSON.parse(read(file)) as Collection]),
);
const rows = (file: string): Record<string, string>[] =>
  parse(read(file), { bom: true, columns: true, record_delimiter: '\r\n' });

describe('the bundled sample', () => {
  const catalogue = readCatalogue(layers);
  const addresses = rows('addresses/Addresses/Address_35.csv');
  const locations = new Map(rows('addresses/Locations/Location_35.csv').map((row) => [row['LOC_GUID']!, row]));

  it('says of itself that it is hand-drawn', () => {
    expect(label).to.equal(true);
    for (const { title } of Object.values(collections)) expect(title).to.equal('Hand-drawn sample data, not real');
  });

  it('is what the drawing script draws', () => {
    using folder = temporaryFolder();
    drawSample(folder.path);
    for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' }))
      if (statSync(join(folder.path, name)).isFile())
        expect(readFileSync(join(folder.path, name), 'utf8'), name).to.equal(read(name));
  });

  it('has data for every data set, in the fields of its definition, inside Ontario', () => {
    expect(Object.keys(entries)).to.have.members(catalogue.dataSets.map(({ id }) => id));
    for (const { id, fields, geometry } of catalogue.dataSets) {
      const { features } = collections[id]!;
      expect(features, id).not.to.be.empty;
      expect(entries[id]!.asOf, id).to.match(/^2025-\d\d-\d\d$/);
      for (const { properties, geometry: drawn } of features) {
        expect(Object.keys(fields), id).to.include.members(Object.keys(properties));
        const required = Object.keys(fields).filter((field) => fields[field]!.required);
        expect(Object.keys(properties), id).to.include.members(required);
        expect(drawn.type, id).to.equal({ polygon: 'Polygon', line: 'LineString', point: 'Point' }[geometry]);
        expect(vertices(drawn).every(inOntariosBox), id).to.equal(true);
      }
    }
  });

  it('has about 200 addresses in four places, each with its location inside the province', () => {
    expect(addresses.length).to.be.within(180, 230);
    expect(new Set(addresses.map((row) => row['MAIL_MUN_NAME']))).to.have.lengthOf(4);
    expect(new Set(addresses.map((row) => row['ADDR_GUID']))).to.have.lengthOf(addresses.length);
    const [province] = collections['province']!.features;
    for (const row of addresses) {
      const location = locations.get(row['LOC_GUID']!);
      expect(location, row['LOC_GUID']).not.to.equal(undefined);
      if (province!.geometry.type === 'Polygon')
        expect(contains(province!.geometry.coordinates, position(location!))).to.equal(true);
    }
  });

  it('gives every layer at least two answers, every distance class, and every state', () => {
    const sources = Object.fromEntries(catalogue.dataSets.map(({ id, coverage }) => [id, source(id, coverage)]));
    const all: PlainAnswer[] = [];
    for (const entry of allAnswers(catalogue)) {
      const answers = [...locations.values()].map((row) => plainAnswer(sources, entry, position(row)));
      all.push(...answers);
      const distinct = new Set(answers.map(({ value }) => JSON.stringify(value)));
      expect(distinct.size, entry.answer.key).to.be.at.least(2);
      if (entry.answer.kind === 'boolean') expect(distinct, entry.answer.key).to.include.all.keys('true', 'false');
      if (entry.answer.kind === 'proximity')
        expect(distinct, entry.answer.key).to.include.all.keys('"regulated"', '"adjacent"', '"outside"');
      const byArea = collections[entry.dataSet.id]!.features.some(({ geometry }) => geometry.type === 'Polygon');
      if (entry.answer.kind === 'proximity' && byArea) expect(distinct, entry.answer.key).to.include('"inside"');
    }
    expect(new Set(all.map(({ state }) => state))).to.have.all.keys('present', 'absent', 'no_coverage', 'unavailable');
  });

  it('is small', () => {
    const sizes = readdirSync(sample, { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(sample, name)))
      .filter((stat) => stat.isFile());
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).to.be.below(400_000);
  });
});

function source(id: string, coverage: 'province' | 'features'): PlainSource {
  const box = entries[id]!.coverage;
  const knows = ([lon, lat]: LonLat): boolean =>
    box ? lon >= box[0] && lat >= box[1] && lon <= box[2] && lat <= box[3] : coverage === 'province';
  return { features: collections[id]!.features, knows };
}

/** The building where the register knows it, else the side of the street. */
function position(row: Readonly<Record<string, string>>): LonLat {
  const kind = row['BG_LONGITUDE'] === '' ? 'BF_REPPOINT' : 'BG';
  return [Number(row[`${kind}_LONGITUDE`]), Number(row[`${kind}_LATITUDE`])];
}

const inOntariosBox = ([lon, lat]: LonLat): boolean => lon >= -95.2 && lon <= -74.3 && lat >= 41.6 && lat <= 56.9;

function vertices(geometry: Feature['geometry']): readonly LonLat[] {
  if (geometry.type === 'Point') return [geometry.coordinates];
  return geometry.type === 'LineString' ? geometry.coordinates : geometry.coordinates.flat();
}
