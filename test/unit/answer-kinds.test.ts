import { expect } from 'chai';
import { describeLayers } from '../../src/core/layers/describe-layers.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { areaLayerSchema } from '../../src/features/areas/feature.ts';
import { layerSchema } from '../../src/core/openapi/lookup-schemas.ts';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { answerSchema, type CatalogueKind } from '../../src/catalogue/kinds/kind.ts';
import { catalogueKinds } from '../../src/catalogue/kinds/kinds.ts';
import type { Described } from '../../src/schema.ts';
import { openSnapshot } from '../../workers/geopackage/snapshot.ts';
import { LayersWriter } from '../../workers/engine/answers/lookup-writer.ts';
import { answerPlace } from '../support/oracles/answer-place.ts';
import { decidingAtPlace, nearestEdgeM, readingAtPlace } from '../../workers/engine/kinds/at-place.ts';
import { LayerAnswer, nothingFound, absent, type AnswerKind } from '../../workers/engine/kinds/kind.ts';
import { nearGeometry } from '../../workers/maps/feature.ts';
import { indexedDataSets } from '../../workers/engine/kinds/indexed-data-sets.ts';
import { answerKinds } from '../../workers/engine/kinds/kinds.ts';
import { referenceView } from '../../workers/engine/views/reference-view.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { writeSnapshot } from '../support/material/hand-made-snapshot.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { Type } from 'typebox';

/** A made-up kind: the names of all features at a place. */
const definition = answerSchema('names', { field: Type.String(), most: Type.Integer({ minimum: 1 }) }, 'All names.');
type NamesAnswer = Described<typeof definition>;

const inCatalogue: CatalogueKind<NamesAnswer> = {
  definition,
  fieldsUsed: ({ field }) => [field],
  problem: ({ most }) => (most === 13 ? 'thirteen is too many' : null),
  valueSchema: ({ most }) => ({ type: ['string', 'null'], 'x-most': most }),
  areaMembers: ({ most }) => ({ names: { type: 'array', items: {}, maxItems: most } }),
  isNullWhereNone: true,
  describe: ({ field }) => ({ members: { [field]: 'joined' } }),
};

const inLookup: AnswerKind<NamesAnswer> = {
  answer: (view, dataSet, { field, most }) => {
    const names = view.near(dataSet, 0).map((hit) => String(hit.attributes[field]));
    if (names.length === 0) return nothingFound(view, dataSet, absent(null));
    return new LayerAnswer(names.slice(0, most).join(' + '), 'present', 0);
  },
  nearestChangeM: nearestEdgeM,
  alwaysNeedsCoverage: false,
  knownAroundM: () => 0,
  readings: (dataSet, { field }) => [readingAtPlace(dataSet, [field])],
  deciding: (view, tables, { given }) => decidingAtPlace(view, tables, { given }),
  labelField: ({ field }) => field,
};

describe('a kind of answer that is added', () => {
  const forCatalogue = { ...catalogueKinds, names: inCatalogue };
  const forLookup = { ...answerKinds, names: inLookup };

  function catalogueWith(change: object = {}): Catalogue {
    using folder = temporaryFolder();
    const zones = definitionOf({
      geometry: 'polygon',
      fields: { WORD: { type: 'string', required: true } },
      answers: [
        {
          ...{ order: 1, key: 'zoneNames', title: 'Zones', description: 'The names of zones.', group: 'nature' },
          ...{ kind: 'names', field: 'WORD', most: 2, ...change },
        } as never,
      ],
    });
    return readCatalogue(writeDefinitions(folder.path, { zone: zones }), forCatalogue);
  }

  it('is read and checked by its definition', () => {
    expect(catalogueWith().answers.map(({ answer }) => answer.key)).to.deep.equal(['zoneNames']);
    expect(() => catalogueWith({ most: 0 })).to.throw(/^layers\/zone\.json: \/answers\/0\/most must be >= 1/);
    expect(() => catalogueWith({ most: 13 })).to.throw(/"zoneNames": thirteen is too many/);
    expect(() => catalogueWith({ field: 'NOUN' })).to.throw(/uses the field "NOUN"/);
    expect(() => catalogueWith({ kind: 'nouns' })).to.throw(/^layers\/zone\.json: \/answers\/0\/kind/);
  });

  it('is documented and listed', () => {
    const catalogue = catalogueWith();
    const [{ answer }] = catalogue.answers as [Catalogue['answers'][number]];
    expect(layerSchema(answer, {}, forCatalogue)).to.include({ title: 'Zones', 'x-most': 2, 'x-group': 'nature' });
    const manifest = { id: 'a', createdAt: '', sample: false, dataSets: {}, gazetteer: null } as never;
    expect(areaLayerSchema(answer, forCatalogue))
      .to.have.property('required')
      .that.deep.equals(['names', 'unknownShare']);
    const [layer] = describeLayers(catalogue, manifest, forCatalogue).layers;
    expect(layer).to.deep.include({ kind: 'names', members: { WORD: 'joined' }, values: null, radiusM: null });
  });

  it('is answered with its evidence, indexed and drawn', () => {
    const { answers } = catalogueWith();
    using folder = temporaryFolder();
    const square = 'POLYGON((0 0, 100 0, 100 100, 0 100, 0 0))';
    writeSnapshot(folder.path, {
      zone: { features: ['One', 'Two', 'Three'].map((WORD) => ({ wkt: square, attributes: { WORD } })) },
    });
    const snapshot = openSnapshot(folder.path);
    try {
      const at = { x: 90, y: 50, scale: 1 };
      const view = referenceView(snapshot, at);
      expect(new LayersWriter(answers, forLookup).plain(view)).to.equal('{"zoneNames":"One + Two"}');
      const { evidence } = answerPlace(view, answers, 20, forLookup);
      const expected = {
        state: 'present',
        distanceM: 0,
        searchedM: 0,
        boundaryDistanceM: 10,
        nearBoundary: true,
        dataSets: ['zone'],
        others: 2,
      };
      expect(evidence['zoneNames']).to.deep.equal(expected);
      const [zone] = indexedDataSets(answers, snapshot.manifest, forLookup);
      expect(zone).to.deep.equal({
        id: 'zone',
        reachM: 0,
        nearestOnly: false,
        fields: ['WORD'],
        inline: false,
        outlined: { choices: [{}], labelField: 'WORD' },
      });
      const { features } = nearGeometry(snapshot, at, answers, forLookup);
      expect(features.map(({ properties }) => properties.label)).to.deep.equal(['One', 'Two', 'Three']);
    } finally {
      snapshot.close();
    }
  });
});
