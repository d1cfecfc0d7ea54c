/** Where a rule must not say that nothing mapped excludes a place or parcel: each with a world in which it may say so. */
import { join } from 'node:path';
import { expect } from 'chai';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import type { LookupTask } from '../../../src/messages/lookup.ts';
import type { Rule, RuleCondition, RuleJudgement } from '../../../src/features/rules/messages/wire.ts';
import { projectDir } from '../../../src/project/project.ts';
import { answerArea } from '../../../workers/areas/feature.ts';
import { LookupWriter } from '../../../workers/engine/answers/lookup-writer.ts';
import { placeHandlers } from '../../../workers/engine/answers/place-lookups.ts';
import type { AnsweredArea, Nearest, ServedSnapshot } from '../../../workers/engine/feature.ts';
import { openServed, prepareSnapshot } from '../../../workers/engine/served-snapshot.ts';
import { fromLambert } from '../../../workers/geopackage/lambert.ts';
import { JudgedRules, rules as rulesInThreads } from '../../../workers/rules/feature.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import type { HandMadeDataSet, HandMadeFeature } from '../../support/material/hand-made-snapshot.ts';
import { writeIndexed } from './drawn-world.ts';

const catalogue = readCatalogue(join(projectDir, 'layers'));
const [X, Y] = [1_300_000, 11_900_000];
const { scale } = fromLambert(X, Y);

/** A ring through ground metres from the middle. */
type Ring = readonly (readonly [number, number])[];
const wkt = (ring: Ring): string => {
  const places = [...ring, ring[0]!].map(([dx, dy]) => `${X + dx * scale} ${Y + dy * scale}`);
  return `POLYGON((${places.join(',')}))`;
};
const square = (west: number, east: number, half: number): Ring => [
  [west, -half],
  [east, -half],
  [east, half],
  [west, half],
];
const drawn = (ring: Ring, attributes: HandMadeFeature['attributes'] = {}): HandMadeFeature => ({
  wkt: wkt(ring),
  attributes,
});

const words = { en: 's. 1', fr: 'art. 1' };
const fact = (about: object): RuleCondition => ({ text: words, ...about }) as RuleCondition;
const inGreenbelt = fact({ layer: 'greenbelt', is: true });
const inCountryside = fact({ layer: 'greenbeltDesignation', is: 'protected_countryside' });
const nearWetland = fact({ layer: 'wetlandProximity', withinM: 120 });

function taskFor(at: number | Ring, excludedBy: RuleCondition): LookupTask {
  const rule = { id: 'one', title: words, text: words, limits: [], applies: 'parcel', excludedBy };
  const members = { rules: { json: JSON.stringify([rule]) } };
  if (typeof at === 'number') {
    const { lat, lon } = fromLambert(X, Y);
    return { kind: 'point', lat, lon, uncertaintyM: at, full: false, members };
  }
  const ring = at.flatMap(([dx, dy]) => {
    const { lat, lon } = fromLambert(X + dx * scale, Y + dy * scale);
    return [lon, lat];
  });
  return { kind: 'area', polygons: [[ring]], isClosed: true, members };
}

function outcomeOf(served: ServedSnapshot, task: LookupTask): string {
  const handlers = placeHandlers(served, new LookupWriter(catalogue));
  const handle = handlers[task.kind] as ((task: LookupTask) => ReturnType<typeof answerArea>) | undefined;
  const outcome = task.kind === 'area' ? answerArea(served, task, catalogue) : handle!(task);
  if (!outcome.ok) throw new Error(outcome.detail);
  const { rules } = JSON.parse(outcome.value.json) as { readonly rules: Readonly<Record<string, RuleJudgement>> };
  return rules['one']!.outcome;
}

interface Drawn {
  readonly ids: Readonly<Record<string, Partial<HandMadeDataSet>>>;
  /** What data sets know, by data set. */
  readonly known?: Readonly<Record<string, Ring>>;
  /** A parcel, or the uncertainty of the middle. */
  readonly at: number | Ring;
  readonly rule: RuleCondition;
}

/** Returns the outcomes by the index and without it. */
async function outcomes({ ids, known = {}, at, rule }: Drawn): Promise<readonly string[]> {
  using folder = temporaryFolder();
  const far = square(-40_000, -39_000, 500);
  const said: Readonly<Record<string, HandMadeFeature['attributes']>> = {
    wetland: { WETLAND_TYPE: 'Swamp' },
    greenbelt: { DESIGNATION: 'Urban River Valley' },
  };
  const dataSets: Record<string, HandMadeDataSet> = {
    province: { features: [drawn(square(-60_000, 60_000, 60_000))] },
    coverage: {
      features: Object.entries(known).map(([id, ring]) => drawn(ring, { data_set: id })),
    },
  };
  for (const [id, { features = [], ...rest }] of Object.entries(ids))
    dataSets[id] = {
      // Each table has a feature with all its fields, unless it is to be empty.
      features: [...features, ...(id === 'orm_land_use' ? [] : [drawn(far, said[id])])],
      coverage: known[id] ? 'area' : 'province',
      ...rest,
    };
  await writeIndexed(folder.path, dataSets, { catalogue });
  const served = openServed({ ...prepareSnapshot(folder.path, false), opening: 1 }, catalogue, [rulesInThreads]);
  try {
    const task = taskFor(at, rule);
    return [outcomeOf(served, task), outcomeOf({ ...served, cells: null }, task)];
  } finally {
    served.snapshot.close();
  }
}

const [NOT_KNOWN, NOTHING, EXCLUDED] = ['not_known', 'not_excluded_by_mapped_data', 'excluded'] as const;

const parcel = square(-500, 500, 500);
/** A corner of the parcel with so many metres along each side: 2 m are 0.0002 % of it. */
const corner = (sideM: number): Ring => [
  [500, 500],
  [500 - sideM, 500],
  [500, 500 - sideM],
];
/** All land west and south of a line across the corner, at a distance from it: beyond that line nothing is known. */
const knownUpTo = (fromCornerM: number): Ring => {
  const along = fromCornerM * Math.SQRT2;
  return [
    [-5000, -5000],
    [6000 + along, -5000],
    [-5000, 6000 + along],
  ];
};
const valley = drawn(square(-600, 600, 600), { DESIGNATION: 'Urban River Valley' });
const countryside = (ring: Ring) => drawn(ring, { DESIGNATION: 'Protected Countryside' });

const cases: Readonly<Record<string, readonly (readonly [outcome: string, world: Drawn])[]>> = {
  'an edge that is nearer than the uncertainty by less than its rounding': [29.96, 30.06].map((edge) => [
    edge < 30 ? NOT_KNOWN : NOTHING,
    { ids: { greenbelt: { features: [drawn(square(edge, 300, 300))] } }, at: 29.98, rule: inGreenbelt },
  ]),
  'a feature at the limit, with the uncertainty and without': (
    [
      // Stored coordinates are rounded to centimetres.
      [119.98, 0, EXCLUDED],
      [120.02, 0, NOTHING],
      [89.98, 30, EXCLUDED],
      [90.02, 30, NOT_KNOWN],
      [149.98, 30, NOT_KNOWN],
      [150.02, 30, NOTHING],
    ] as const
  ).map(([west, at, outcome]) => [
    outcome,
    { ids: { wetland: { features: [drawn(square(west, west + 100, 100))] } }, at, rule: nearWetland },
  ]),
  'data that end a little within the distance of one corner of a large parcel': [118, 121].map((endM) => [
    endM < 120 ? NOT_KNOWN : NOTHING,
    { ids: { wetland: {} }, known: { wetland: knownUpTo(endM) }, at: parcel, rule: nearWetland },
  ]),
  'data that leave a corner of the parcel open': [-1, 1].map((endM) => [
    endM < 0 ? NOT_KNOWN : NOTHING,
    { ids: { greenbelt: {} }, known: { greenbelt: knownUpTo(endM) }, at: parcel, rule: inGreenbelt },
  ]),
  'a feature on a corner of the parcel that is less than any share, beside another that is on all of it': (
    [
      [countryside(corner(2)), NOT_KNOWN],
      [countryside(corner(2).map(([x, y]) => [x + 2, y + 2] as const)), NOTHING],
      [countryside(square(500, 600, 300)), NOT_KNOWN],
      [countryside(corner(40)), EXCLUDED],
      [drawn(corner(2), { DESIGNATION: 'a new word' }), NOT_KNOWN],
    ] as const
  ).map(([feature, outcome]) => [
    outcome,
    { ids: { greenbelt: { features: [feature, valley] } }, at: parcel, rule: inCountryside },
  ]),
  'a data set without a feature, and one that is not there': [
    [NOTHING, { ids: { greenbelt: {}, nep_boundary: {} }, at: 0, rule: fact({ layer: 'nep', is: true }) }],
    [NOT_KNOWN, { ids: { greenbelt: {} }, at: 0, rule: fact({ layer: 'nep', is: true }) }],
    [NOT_KNOWN, { ids: { greenbelt: {} }, at: parcel, rule: fact({ layer: 'nep', is: true }) }],
    [NOTHING, { ids: { orm_land_use: {} }, at: 30, rule: fact({ layer: 'ormcp', is: true }) }],
    [NOTHING, { ids: { orm_land_use: {} }, at: parcel, rule: fact({ layer: 'ormcp', is: true }) }],
  ],
  'a data set that knows nothing but where it has features': [
    [NOT_KNOWN, { ids: { wetland: { coverage: 'features' } }, at: 0, rule: nearWetland }],
    [NOT_KNOWN, { ids: { wetland: { coverage: 'features' } }, at: parcel, rule: nearWetland }],
    [NOTHING, { ids: { greenbelt: { coverage: 'features', features: [valley] } }, at: parcel, rule: inCountryside }],
  ],
  'one data set of two that are asked together': [
    [NOT_KNOWN, { ids: { ohn_waterbody: {} }, at: 0, rule: fact({ layer: 'lakeshoreProximity', withinM: 30 }) }],
    [NOT_KNOWN, { ids: { ohn_waterbody: {} }, at: parcel, rule: fact({ layer: 'lakeshoreProximity', withinM: 30 }) }],
  ],
};

describe('facts of rules', function () {
  this.timeout(120_000);
  for (const [what, all] of Object.entries(cases)) {
    it(`are as well known as the data are: ${what}`, async () => {
      for (const [i, [outcome, world]] of all.entries())
        expect(await outcomes(world), String(i)).to.deep.equal([outcome, outcome]);
    });
  }

  it('are not known where a distance is no number', () => {
    const rule = { id: 'one', title: words, text: words, limits: [], applies: 'parcel', excludedBy: nearWetland };
    const judged = (nearest: Nearest): string => {
      const area: AnsweredArea = { kind: 'area', answers: [], lookupId: '', values: {}, nearest: () => nearest };
      const json = new JudgedRules([rule as unknown as Rule]).json(area);
      return (JSON.parse(json) as Readonly<Record<string, RuleJudgement>>)['one']!.outcome;
    };
    expect(judged({ countingM: Infinity, unclearM: Infinity, isKnown: true })).to.equal(NOTHING);
    expect(judged({ countingM: NaN, unclearM: Infinity, isKnown: true })).to.equal(NOT_KNOWN);
    expect(judged({ countingM: Infinity, unclearM: NaN, isKnown: true })).to.equal(NOT_KNOWN);
  });
});
