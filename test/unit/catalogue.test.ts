import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ownChanges } from '../../src/catalogue/read/own-definitions.ts';
import { checkConfig } from '../../src/commands/check-config.ts';
import { allAnswers, type Catalogue } from '../../src/catalogue/catalogue.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { dataSetSchema } from '../../src/catalogue/definition.ts';
import type { SourcePart } from '../../src/catalogue/sources.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const layers = join(projectDir, 'layers');

/** The response's keys, in order. */
const keys = [
  ...['greenbelt', 'ormcp', 'nep', 'soil', 'caBoundary', 'watercourseProximity', 'wetlandProximity', 'floodProximity'],
  ...['lakeshoreProximity', 'greenbeltDesignation', 'specialtyCropArea', 'nepDesignation', 'lakeSimcoeWatershed'],
  ...['naturalHeritageSystem', 'airportProximity', 'municipality', 'upperTierMunicipality', 'geographicTownship'],
  ...['lotConcession', 'builtUpArea', 'sourceProtectionArea', 'watershed', 'ecoregion', 'ansi', 'woodedArea'],
  ...['provincialPark', 'conservationReserve', 'crownLandUse', 'firstNationReserve', 'aggregateSiteProximity'],
  ...['wasteSiteProximity', 'waterWells', 'petroleumWellProximity', 'constructedDrainProximity', 'tileDrainage'],
  ...['railwayProximity', 'transmissionLineProximity'],
];

const furtherKeys = ['significantWetlandProximity', 'regulatedArea', 'wellheadProtection', 'heritageDistrict'];

const areSentences = (texts: readonly string[]): boolean => texts.every((text) => /^\p{Lu}.{15,}\.$/su.test(text));

describe('the catalogue of layers', () => {
  const catalogue = readCatalogue(layers);

  it('answers exactly these keys, in their order', () => {
    expect(catalogue.answers.map(({ answer }) => answer.key)).to.deep.equal(keys);
    expect(catalogue.answers.map(({ answer }) => answer.order)).to.deep.equal(keys.map((_, i) => i + 1));
  });

  it('has these further answers, which are given to those alone who ask for them', () => {
    expect(catalogue.further.map(({ answer }) => answer.key)).to.deep.equal(furtherKeys);
    expect(catalogue.further.map(({ answer }) => answer.order)).to.deep.equal(furtherKeys.map((_, i) => i + 1));
  });

  it('has as many keys as the texts say', () => {
    for (const file of ['package.json', 'docs/api.md'])
      for (const [text, number] of readFileSync(join(projectDir, file), 'utf8').matchAll(/(\d+) (?:layers|keys)\b/g))
        expect(Number(number), `${file}: ${text}`).to.equal(keys.length);
  });

  it('has one file a data set, and the two fixed data set names', () => {
    const files = readdirSync(layers).filter((name) => name.endsWith('.json'));
    expect(catalogue.dataSets.map(({ id }) => `${id}.json`)).to.have.members(files);
    const of = (key: string): string => catalogue.answers.find(({ answer }) => answer.key === key)!.dataSet.id;
    expect([of('greenbelt'), of('greenbeltDesignation'), of('caBoundary')]).to.deep.equal([
      'greenbelt',
      'greenbelt',
      'ca_admin_areas',
    ]);
  });

  it('describes every layer in English and in French', () => {
    for (const { answer } of allAnswers(catalogue)) {
      expect(answer.description, answer.key).to.match(/^[A-Z].{40,}[.]$/s);
      expect(answer.french?.description, answer.key).to.match(/^\p{Lu}.{40,}[.]$/su);
    }
    for (const { id, french } of catalogue.dataSets) expect(french?.publisher, id).to.match(/^[\p{L} ',]+$/u);
  });

  it('says of every layer what it is to a reader; of hazards and restrictions what may follow, by which text, and what to do', () => {
    for (const { answer } of allAnswers(catalogue)) {
      const { concern, meaning, next, detailOf } = answer.reader!;
      if (concern !== 'hazard' && (concern !== 'restriction' || detailOf !== undefined)) continue;
      for (const words of [meaning, next])
        expect([words?.en, words?.fr].map(String), answer.key).to.satisfy(areSentences);
      expect(meaning!.source.url, answer.key).to.match(/^https:\/\/(www\.ontario\.ca|laws-lois\.justice\.gc\.ca)\//);
    }
  });

  it('carries an attribution for every data set, and what is not confirmed of its source', () => {
    for (const { id, licence, sources, provenance } of catalogue.dataSets) {
      expect(licence.attribution, id).to.match(/^Contains information .*\.$/);
      if (sources.every(({ confirmed }) => confirmed === null))
        expect(provenance, id).to.be.an('array').that.is.not.empty;
    }
  });

  it('describes every soil class that it serves', () => {
    const { answer } = catalogue.answers.find((one) => one.answer.key === 'soil')!;
    if (answer.kind !== 'object') throw new Error('soil is an object');
    const { cliClass, description } = answer.members;
    expect(Object.keys(cliClass!.codes!)).to.have.members(['1', '2', '3', '4', '5', '6', '7', 'O', 'W']);
    expect(Object.keys(description!.codes!)).to.deep.equal(Object.keys(cliClass!.codes!));
  });

  it('has a schema for editors that is the one which checks the files', () => {
    const written: unknown = JSON.parse(readFileSync(join(layers, 'schema', 'data-set.schema.json'), 'utf8'));
    expect(written, 'run "npm run publish-contract"').to.deep.equal(JSON.parse(JSON.stringify(dataSetSchema())));
  });

  it('changes its version with any definition', () => {
    using folder = temporaryFolder();
    cpSync(layers, folder.path, { recursive: true });
    expect(readCatalogue(folder.path).version).to.equal(catalogue.version);
    edit(folder.path, 'wetland', (text) => text.replace('"adjacent": 120', '"adjacent": 121'));
    expect(readCatalogue(folder.path).version).not.to.equal(catalogue.version);
  });
});

describe('a mistake in a layer definition', () => {
  const mistakes: readonly (readonly [
    mistake: string,
    id: string,
    from: string | RegExp,
    to: string,
    error: RegExp,
  ])[] = [
    ['no JSON', 'wetland', '{', '', /^layers\/wetland\.json: .*JSON/],
    ['an unknown member', 'wetland', '"title"', '"titel"', /^layers\/wetland\.json: /],
    ['an unknown kind of answer', 'wetland', '"proximity"', '"nearness"', /^layers\/wetland\.json: \/answers\/0\/kind/],
    [
      'an unknown field in an answer',
      'ansi',
      '"field": "ANSI_NAME"',
      '"field": "ANSI_NOM"',
      /^layers\/ansi\.json: .*"ansi".*ANSI_NOM/,
    ],
    [
      'an unknown field in "counts"',
      'ohn_watercourse',
      /"counts": \[\s*\{\s*"field": "WATERCOURSE_TYPE"/,
      '"counts": [{ "field": "KIND"',
      /^layers\/ohn_watercourse\.json: "counts".*KIND/,
    ],
    [
      'an unknown field in "ignore"',
      'ohn_waterbody',
      '"field": "WATERBODY_TYPE"',
      '"field": "KIND"',
      /^layers\/ohn_waterbody\.json: .*KIND/,
    ],
    [
      'one name for two fields',
      'ansi',
      '"alternatives": ["TYPE"]',
      '"alternatives": ["ANSI_NAME"]',
      /^layers\/ansi\.json: "fields" names "ANSI_NAME" twice/,
    ],
    [
      'a composite source beside another',
      'flood_hazard',
      '"sources": [',
      '"sources": [{ "kind": "file", "url": "https://example.org/a.zip", "confirmed": null },',
      /^layers\/flood_hazard\.json: "sources" has a composite source beside others/,
    ],
    [
      'an area that no control point is inside',
      'flood_hazard',
      '"inside": [[-79.3541, 43.6577]]',
      '"inside": []',
      /^layers\/flood_hazard\.json: the part "Toronto[^"]*" covers an area without control points/,
    ],
    [
      'a part that does not cover the province as the others do',
      'airport_official',
      '"coverage": "province",\n          "use"',
      '"coverage": "positive_only",\n          "use"',
      /^layers\/airport_official\.json: the part .* either all cover the province, or none/,
    ],
    [
      'no source',
      'flood_hazard',
      /"sources": \[.*\],\n {2}"geometry"/s,
      '"sources": [],\n  "geometry"',
      /sources must NOT/,
    ],
    [
      'a key that another file has',
      'wetland',
      '"wetlandProximity"',
      '"greenbelt"',
      /^layers\/wetland\.json: .*also defined in layers\/greenbelt\.json/,
    ],
    [
      'an order that another answer has',
      'wetland',
      '"order": 7',
      '"order": 8',
      /^layers\/wetland\.json: .*same order.*layers\/flood_hazard\.json/,
    ],
    [
      'an office that no answer names',
      'greenbelt',
      '"office": "municipality"',
      '"office": "soil"',
      /^layers\/greenbelt\.json: "reader" of "greenbelt" names the office "soil"/,
    ],
    [
      'a next step without its office in the words',
      'greenbelt',
      'Ask {office}',
      'Ask somebody',
      /^layers\/greenbelt\.json: "reader" of "greenbelt" must say "\{office\}" in both languages/,
    ],
    [
      'a detail of an answer that is not there',
      'greenbelt',
      '"detailOf": "greenbelt"',
      '"detailOf": "greenBelt"',
      /^layers\/greenbelt\.json: "reader" of "greenbeltDesignation" is a detail of "greenBelt"/,
    ],
    [
      'bands that shrink outwards',
      'wetland',
      '"regulated": 30',
      '"regulated": 130',
      /^layers\/wetland\.json: .*bands must grow/,
    ],
    [
      'a band of no width',
      'wetland',
      '"regulated": 30',
      '"regulated": 0',
      /^layers\/wetland\.json: \/answers\/0\/bands\/regulated must be > 0/,
    ],
    [
      'a part in use of a kind that does not count',
      'flood_hazard',
      '"kind": "floodplain"',
      '"kind": "regulated_area"',
      /^layers\/flood_hazard\.json: the part "Toronto.*, regulated_area" .*"accepts"/,
    ],
    [
      'a part in use without a licence',
      'flood_hazard',
      '"id": "TRCA Open Data Licence v1.0"',
      '"id": null',
      /^layers\/flood_hazard\.json: the part "Toronto.* without a licence/,
    ],
    [
      'a part that fills a field that is not kept',
      'flood_hazard',
      '"FloodPlainSource": "BASIS"',
      '"FloodPlainSource": "BASE"',
      /^layers\/flood_hazard\.json: the part "Toronto.*"BASE"/,
    ],
    [
      'a part in use that nothing finds',
      'flood_hazard',
      '"layerIdHint": 76,',
      '"layerIdHint": null,',
      /^layers\/flood_hazard\.json: the part "Lake Simcoe.* neither a name nor an id/,
    ],
    [
      'evidence of a field that is not kept',
      'flood_hazard',
      '"field": "STORM"',
      '"field": "STORMS"',
      /^layers\/flood_hazard\.json: .*STORMS/,
    ],
    [
      'a data set without file',
      'ohn_waterbody',
      '"dataSet": "ohn_shoreline"',
      '"dataSet": "ohn_shore"',
      /^layers\/ohn_waterbody\.json: .*"ohn_shore"/,
    ],
    [
      'a field that the partner lacks',
      'ohn_watercourse',
      '"field": "WATERBODY_TYPE"',
      '"field": "KIND"',
      /^layers\/ohn_watercourse\.json: .*KIND.*ohn_waterbody/,
    ],
  ];

  for (const [mistake, id, from, to, error] of mistakes) {
    it(`names the file: ${mistake}`, () => {
      using folder = temporaryFolder();
      cpSync(layers, folder.path, { recursive: true });
      edit(folder.path, id, (text) => text.replace(from, to));
      expect(() => readCatalogue(folder.path)).to.throw(error);
    });
  }
});

function edit(folder: string, id: string, change: (text: string) => string): void {
  const file = join(folder, `${id}.json`);
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`nothing to change in ${id}.json`);
  writeFileSync(file, changed);
}

describe('definitions of the operator', () => {
  const flood = JSON.parse(readFileSync(join(layers, 'flood_hazard.json'), 'utf8')) as {
    readonly sources: readonly [{ readonly kind: string; readonly parts: readonly SourcePart[] }];
  };
  /** Reads the release's definitions with files of one's own. */
  const withOwn = (files: Readonly<Record<string, unknown>>): Catalogue & { readonly changes: readonly string[] } => {
    using folder = temporaryFolder();
    for (const [name, body] of Object.entries(files))
      writeFileSync(join(folder.path, name), typeof body === 'string' ? body : JSON.stringify(body));
    const folders = { layersDir: layers, ownLayersDir: folder.path };
    return { ...readCatalogue(folders), changes: ownChanges(layers, folder.path) };
  };
  const partsOf = ({ dataSets }: Catalogue): readonly SourcePart[] => {
    const [source] = dataSets.find(({ id }) => id === 'flood_hazard')!.sources;
    return source?.kind === 'composite' ? source.parts : [];
  };
  const quiet = JSON.parse(readFileSync(join(projectDir, 'docs/examples/quiet_zone.json'), 'utf8')) as object;

  it('add layers to those of the release, or take their place by name', () => {
    const greenbelt = JSON.parse(readFileSync(join(layers, 'greenbelt.json'), 'utf8')) as object;
    const read = withOwn({ 'quiet_zone.json': quiet, 'greenbelt.json': { ...greenbelt, title: 'My greenbelt' } });
    expect(read.answers.map(({ answer }) => answer.key))
      .to.include('quietZone')
      .and.include('greenbelt');
    expect(read.dataSets.find(({ id }) => id === 'greenbelt')!.title).to.equal('My greenbelt');
    expect(read.changes).to.deep.equal(['greenbelt.json (replaces)', 'quiet_zone.json (adds)']);
    expect(read.version).not.to.equal(readCatalogue(layers).version);
    expect(withOwn({}).version).to.equal(readCatalogue(layers).version);
  });

  it('change single parts of a composite data set, and leave the others as the release has them', () => {
    const [source] = flood.sources;
    const [first, second] = source.parts as [SourcePart, SourcePart, ...SourcePart[]];
    const off = { ...second, use: { off: 'We do not trust it.' } };
    const mine = { ...first, publisher: 'Our own authority' };
    const own = {
      sources: [
        {
          kind: 'composite',
          parts: [off, mine],
        },
      ],
    };
    const read = withOwn({ 'flood_hazard.json': own });
    expect(read.changes).to.deep.equal(['flood_hazard.json (parts)']);
    expect(partsOf(read)).to.deep.equal([first, off, ...source.parts.slice(2), mine]);
  });

  it('are refused by the name of their file', () => {
    expect(() => withOwn({ 'a.json': '{' })).to.throw(/\/a\.json: /);
    expect(() => withOwn({ 'a.json': {} })).to.throw(/\/a\.json:  ?must have/);
    expect(() => readCatalogue({ layersDir: layers, ownLayersDir: '/nowhere' })).to.throw(/^LAYERS_DIR cannot be read/);
  });

  it('are shown by check-config, which checks them', () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'quiet_zone.json'), JSON.stringify(quiet));
    expect(checkConfig(null, { LAYERS_DIR: folder.path })).to.match(
      /Definitions in LAYERS_DIR: quiet_zone\.json \(adds\)$/,
    );
    writeFileSync(join(folder.path, 'quiet_zone.json'), '{}');
    expect(() => checkConfig(null, { LAYERS_DIR: folder.path })).to.throw('quiet_zone.json');
  });
});
