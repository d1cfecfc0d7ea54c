/** Every rule of the release against a second implementation, at places and parcels that are drawn around each limit. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { readRules } from '../../../src/features/rules/read-rules.ts';
import type { LookupTask } from '../../../src/messages/lookup.ts';
import type { Rule, RuleCondition, RuleJudgement } from '../../../src/features/rules/messages/wire.ts';
import { projectDir } from '../../../src/project/project.ts';
import { answerArea } from '../../../workers/areas/feature.ts';
import { LookupWriter } from '../../../workers/engine/answers/lookup-writer.ts';
import { placeHandlers } from '../../../workers/engine/answers/place-lookups.ts';
import type { Answered, AnsweredLayer, ServedSnapshot } from '../../../workers/engine/feature.ts';
import { LayerAnswer } from '../../../workers/engine/kinds/kind.ts';
import { openServed, prepareSnapshot } from '../../../workers/engine/served-snapshot.ts';
import { fromLambert } from '../../../workers/geopackage/lambert.ts';
import { rules as rulesInThreads, JudgedRules } from '../../../workers/rules/feature.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { inputs } from '../../support/drivers/inputs.ts';
import { drawWorld, PARCEL, usedDataSets, writeWorld, type Site, type World } from './drawn-world.ts';
import { plainOutcomes, ruleIds, type Lacking } from './plain-rules.ts';

const SEED = 20261127;
const catalogue = readCatalogue(join(projectDir, 'layers'));
const rules = readRules({ ownDir: null, unverified: ruleIds }, catalogue);
const members = { rules: { json: JSON.stringify(rules) } };

type Judged = Readonly<Record<string, RuleJudgement>>;

function degreesOf(x: number, y: number): readonly [number, number] {
  const { lat, lon } = fromLambert(x, y);
  return [lon, lat];
}

const askers = {
  place: ({ x, y, uncertaintyM }: Site): LookupTask => {
    const [lon, lat] = degreesOf(x, y);
    return { kind: 'point', lat, lon, uncertaintyM, full: false, members };
  },
  parcel: ({ x, y, scale }: Site): LookupTask => {
    const [w, h] = [PARCEL.width * scale, (PARCEL.height / 2) * scale];
    const corners = [degreesOf(x - w, y - h), degreesOf(x, y - h), degreesOf(x, y + h), degreesOf(x - w, y + h)];
    return { kind: 'area', polygons: [[corners.flat()]], isClosed: true, members };
  },
};

function judgedOf(served: ServedSnapshot, task: LookupTask, from: Catalogue = catalogue): Judged {
  const handlers = placeHandlers(served, new LookupWriter(from));
  const handle = handlers[task.kind] as ((task: LookupTask) => ReturnType<typeof answerArea>) | undefined;
  const outcome = task.kind === 'area' ? answerArea(served, task, from) : handle!(task);
  if (!outcome.ok) throw new Error(outcome.detail);
  return (JSON.parse(outcome.value.json) as { readonly rules: Judged }).rules;
}

function judgeRule(rule: Rule, answered: Answered): RuleJudgement {
  return (JSON.parse(new JudgedRules([rule]).json(answered)) as Judged)[rule.id]!;
}

/** Outcome and layers, as the second implementation writes them. */
function inWords({ outcome, because, missing }: RuleJudgement): string {
  const layers = [...new Set([...because.map(({ layer }) => layer), ...missing])].sort();
  return layers.length === 0 ? outcome : `${outcome}: ${layers.join(' ')}`;
}

function open(folder: string): ServedSnapshot {
  return openServed({ ...prepareSnapshot(folder, false), opening: 1 }, catalogue, [rulesInThreads]);
}

describe('the rules of the release', function () {
  this.timeout(1_800_000);
  const folder = temporaryFolder();
  let world: World;
  let served: ServedSnapshot;
  before(async () => {
    world = drawWorld(inputs(2000, 200), inputs(500, 60), seededRandom(SEED));
    await writeWorld(folder.path, world, { catalogue });
    served = open(folder.path);
  });
  after(() => {
    served.snapshot.close();
    folder[Symbol.dispose]();
  });

  /** Compares all sites, and returns the outcomes that were seen of each rule. */
  const compare = (
    from: ServedSnapshot,
    what: keyof typeof askers,
    sites: readonly Site[],
    lacking: Lacking = {},
  ): ReadonlyMap<string, ReadonlySet<string>> => {
    const seen = new Map(ruleIds.map((id) => [id, new Set<string>()]));
    const differences: unknown[] = [];
    for (const [i, site] of sites.entries()) {
      const judged = judgedOf(from, askers[what](site));
      const plain = plainOutcomes(site, what === 'parcel', lacking);
      for (const id of ruleIds) {
        seen.get(id)!.add(judged[id]!.outcome);
        const given = inWords(judged[id]!);
        if (given !== plain[id]) differences.push({ i, id, given, plain: plain[id], site });
      }
    }
    expect(differences.slice(0, 2), `${differences.length} differ`).to.deep.equal([]);
    return seen;
  };
  const allOutcomes = ['excluded', 'not_excluded_by_mapped_data', 'not_known'];

  it('are judged as the second implementation judges them, at places that may be off by metres', () => {
    for (const [id, seen] of compare(served, 'place', world.places)) expect([...seen], id).to.have.members(allOutcomes);
  });

  it('are judged so of parcels', () => {
    const seen = compare(served, 'parcel', world.parcels);
    // Whether a building of a parcel is near enough depends on where it stands.
    for (const id of ['setback_90', 'site_plan_prescribed_area', 'd4_waste_500m'])
      expect([...seen.get(id)!], id).to.include.members(
        allOutcomes.filter((one) => one !== 'not_known' || id !== 'd4_waste_500m'),
      );
  });

  it('are judged so without the index', () => {
    const without = { ...served, cells: null };
    compare(without, 'place', world.places.slice(0, 30));
    compare(without, 'parcel', world.parcels.slice(0, 10));
  });

  it('know nothing of a layer that is not loaded, whichever it is', async () => {
    for (const without of usedDataSets) {
      using here = temporaryFolder();
      await writeWorld(here.path, world, { catalogue, without });
      const lacking = open(here.path);
      try {
        compare(lacking, 'place', world.places.slice(0, inputs(2000, 40)), { dataSet: without });
        compare(lacking, 'parcel', world.parcels.slice(0, inputs(500, 12)), { dataSet: without });
      } finally {
        lacking.snapshot.close();
      }
    }
  });

  it('know nothing of distances that an index of before does not have', async () => {
    using here = temporaryFolder();
    await writeWorld(here.path, world, {
      catalogue,
      indexed: (sets) => sets.map((set) => ({ ...set, reachM: set.neededM ?? set.reachM })),
    });
    const old = open(here.path);
    try {
      compare(old, 'place', world.places.slice(0, 60), { isOldIndex: true });
      compare(old, 'parcel', world.parcels.slice(0, 20), { isOldIndex: true });
    } finally {
      old.snapshot.close();
    }
  });

  it('give reasons with their distance and section, and never speak of a permission', () => {
    const seen = world.places.map((site) => judgedOf(served, askers.place(site)));
    const reasons = seen.flatMap((judged) => Object.values(judged).flatMap(({ because }) => because));
    expect(reasons.filter(({ distanceM }) => distanceM !== null && distanceM > 0)).to.have.length.above(20);
    for (const { distanceM, text } of reasons) {
      expect(distanceM).to.be.a('number');
      expect(text).to.match(/s\. \d|section/);
    }
    expect(JSON.stringify(seen)).to.not.match(/\ballowed\b|permitted/i);
    const undecided = seen.map((judged) => judged['setback_90']!).filter(({ outcome }) => outcome !== 'excluded');
    for (const { check } of undecided) {
      expect(check[0]).to.contain('parcel of urban residential land');
      expect(check.at(-1)).to.contain('the rest of the parcel');
    }
  });
});

describe('conditions', () => {
  /** 0 false, 1 not known, 2 true, and what a layer says then. */
  const given = [
    new LayerAnswer(false, 'absent', null),
    new LayerAnswer(null, 'unavailable', null),
    new LayerAnswer(true, 'present', 0),
  ];
  const outcomes = ['not_excluded_by_mapped_data', 'not_known', 'excluded'];
  const random = seededRandom(SEED);
  const pick = (most: number): number => Math.floor(random() * most);

  /** A condition of any depth with its value, by the table of Kleene. */
  function draw(depth: number, values: readonly number[]): readonly [RuleCondition, number] {
    const kind = depth === 0 ? 'fact' : ['fact', 'any', 'all', 'not'][pick(4)]!;
    if (kind === 'fact') {
      const i = pick(values.length);
      return [{ layer: `layer${i}`, is: true, text: { en: `s. ${i}`, fr: `art. ${i}` } }, values[i]!];
    }
    if (kind === 'not') {
      const [not, value] = draw(depth - 1, values);
      return [{ not }, 2 - value];
    }
    const parts = Array.from({ length: 1 + pick(3) }, () => draw(depth - 1, values));
    const [all, worth] = [parts.map(([one]) => one), parts.map(([, value]) => value)];
    return kind === 'any' ? [{ any: all }, Math.max(...worth)] : [{ all }, Math.min(...worth)];
  }

  it('are joined by any, all and not in three values, and a reason or a lack is always named', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 2000; i++) {
      const values = [pick(3), pick(3), pick(3)];
      const [excludedBy, value] = draw(4, values);
      const layer = (key: string): AnsweredLayer =>
        ({ given: given[values[Number(key.at(-1))]!], evidence: { nearBoundary: false } }) as unknown as AnsweredLayer;
      const place = { kind: 'place', answers: [], uncertaintyM: 0, lookupId: '', layer, nearest: () => null } as const;
      const judged = judgeRule({ ...rules[0]!, excludedBy }, place);
      expect(judged.outcome, JSON.stringify([excludedBy, values])).to.equal(outcomes[value]);
      expect(judged.because.length > 0).to.equal(value === 2);
      expect(judged.missing.length > 0).to.equal(value === 1);
      for (const key of judged.missing) expect(values[Number(key.at(-1))]).to.equal(1);
      seen.add(judged.outcome);
    }
    expect(seen.size).to.equal(3);
  });

  it('are beyond doubt where enough of them are: one of any, and each of all', () => {
    const fact = (layer: 'yes' | 'no', doubt?: string): RuleCondition => ({
      ...{ layer, is: true, text: { en: 's. 1', fr: 'art. 1' } },
      ...(doubt === undefined ? {} : { check: { en: doubt, fr: doubt } }),
    });
    const [sure, doubtful, other] = [fact('yes'), fact('yes', 'a'), fact('yes', 'b')];
    const [off, doubtfullyOff] = [fact('no'), fact('no', 'c')];
    const cases: readonly (readonly [RuleCondition, readonly string[]])[] = [
      [sure, []],
      [doubtful, ['a']],
      [{ any: [sure, doubtful] }, []],
      [{ any: [doubtful, other, off] }, ['a', 'b']],
      [{ all: [sure, doubtful] }, ['a']],
      [{ all: [doubtful, other] }, ['a', 'b']],
      [{ all: [sure, { any: [doubtful, other] }] }, ['a', 'b']],
      [{ all: [sure, { any: [doubtful, sure] }] }, []],
      [{ any: [{ all: [sure, doubtful] }, { all: [sure, other] }] }, ['a', 'b']],
      [{ any: [{ all: [sure, doubtful] }, sure] }, []],
      [{ not: { any: [off, doubtfullyOff] } }, ['c']],
      [{ not: { all: [off, doubtfullyOff] } }, []],
    ];
    const layer = (key: string): AnsweredLayer =>
      ({ given: given[key === 'yes' ? 2 : 0]!, evidence: { nearBoundary: false } }) as unknown as AnsweredLayer;
    const place = { kind: 'place', answers: [], uncertaintyM: 0, lookupId: '', layer, nearest: () => null } as const;
    for (const [excludedBy, doubts] of cases) {
      const { outcome, check } = judgeRule({ ...rules[0]!, exceptions: [], excludedBy }, place);
      expect([outcome, check], JSON.stringify(excludedBy)).to.deep.equal(['excluded', doubts]);
      const exceptions = [{ en: 'but', fr: 'mais' }];
      expect(judgeRule({ ...rules[0]!, exceptions, excludedBy }, place).check).to.deep.equal([...doubts, 'but']);
    }
  });
});

describe('the texts of the rules', () => {
  const sentences = (value: unknown): readonly Readonly<Record<'en' | 'fr', string>>[] => {
    if (typeof value !== 'object' || value === null) return [];
    if ('en' in value && 'fr' in value) return [value as Readonly<Record<'en' | 'fr', string>>];
    return Object.values(value).flatMap(sentences);
  };
  for (const rule of rules) {
    it(`name their section in both languages: ${rule.id}`, () => {
      const { text, limits, exceptions, excludedBy } = rule satisfies Rule;
      const all = sentences([text, limits, exceptions, excludedBy]);
      expect(all).to.have.length.above(2);
      for (const { en, fr } of all) {
        expect(en).to.match(/\bs\. \d|section/);
        expect(fr).to.match(/\b(par|art)\. \d|alinéa \d|article/);
        expect(en + fr).to.not.match(/\ballowed\b|\bpermi(s|tted)\b(?! de construire)/i);
      }
    });
  }
});
