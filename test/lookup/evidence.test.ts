import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { allAnswers, type Catalogue } from '../../src/catalogue/catalogue.ts';
import type { AnswerDefinition, DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { SnapshotManifest } from '../../src/messages/manifest.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { answerLayer } from '../../workers/engine/kinds/kinds.ts';
import { evidenceOf } from '../../workers/engine/answers/evidence.ts';
import { indexedDataSets } from '../../workers/engine/kinds/indexed-data-sets.ts';
import type { CellIndex } from '../../workers/engine/cells/open.ts';
import { cellView } from '../../workers/engine/views/cell-view.ts';
import { referenceViews } from '../../workers/engine/views/reference-view.ts';
import type { PlaceView } from '../../workers/engine/views/view.ts';
import type { ProjectedPoint } from '../../workers/geopackage/lambert.ts';
import type { Snapshot } from '../../workers/geopackage/snapshot.ts';
import { agree } from '../../workers/verify/compare.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { inputs } from '../support/drivers/inputs.ts';
import {
  openWithCells,
  writeSnapshot,
  type HandMadeDataSet,
  type HandMadeFeature,
} from '../support/material/hand-made-snapshot.ts';
import {
  plainEvidence,
  standingOf,
  type Box,
  type Boxes,
  type Standing,
  type Told,
} from '../support/oracles/plain-evidence.ts';

const [X, Y] = [1_300_000, 11_900_000];
const PLACES = inputs(2000, 250);
const PLACES_OF_A_CLUSTER = 10;
const CLUSTERS = Math.ceil(PLACES / PLACES_OF_A_CLUSTER);
/** Far enough apart for all bands but the widest. Metres. */
const BETWEEN_CLUSTERS_M = 3000;
const CLUSTERS_OF_A_ROW = 15;
/** Corners lie on multiples of this, so that features are often equally far from a place. Metres. */
const STEP_M = 50;

/** How far places are from the middle of their cluster: several features hold most of the first, bands decide at the others. */
const AROUND_M = [300, 300, 900];
const random = seededRandom(11);
const below = (count: number): number => Math.floor(random() * count);
const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;

type Answers = Catalogue['answers'];
const parts = ['distanceM', 'feature', 'others'] as const;

/** Two to five features of each data set round the middle of each cluster, which overlap there or nearby. */
function drawBoxes(dataSets: readonly DataSetDefinition[]): Boxes {
  return Object.fromEntries(
    dataSets.map((dataSet) => {
      const words = wordsOf(dataSet);
      const boxes = Array.from({ length: CLUSTERS }, (_, cluster) =>
        Array.from({ length: 2 + below(4) }, (_, i) => boxIn(dataSet, { cluster, words, name: `${cluster} ${i}` })),
      );
      return [dataSet.id, boxes.flat()];
    }),
  );
}

function middleOf(cluster: number): readonly [x: number, y: number] {
  const [column, row] = [cluster % CLUSTERS_OF_A_ROW, Math.floor(cluster / CLUSTERS_OF_A_ROW)];
  return [X + column * BETWEEN_CLUSTERS_M, Y + row * BETWEEN_CLUSTERS_M];
}

/** On a whole centimetre, as the index has it. */
function placeAround(
  [x, y]: readonly [x: number, y: number],
  mostM: number,
): { readonly x: number; readonly y: number } {
  const off = (): number => below(200 * mostM) / 100 - mostM;
  return { x: x + off(), y: y + off() };
}

interface Drawn {
  readonly cluster: number;
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly name: string;
}

function boxIn({ geometry, fields }: DataSetDefinition, { cluster, words, name }: Drawn): Box {
  const [x, y] = middleOf(cluster);
  const side = (): number => (3 + below(10)) * STEP_M;
  const back = geometry === 'polygon' ? 5 : 2;
  const [west, south] = [x - (1 + below(back)) * STEP_M, y - (1 + below(back)) * STEP_M];
  const isFlat = random() < 0.5;
  const [width, height] =
    geometry === 'polygon' ? [side(), side()] : geometry === 'point' ? [0, 0] : isFlat ? [side(), 0] : [0, side()];
  const properties = Object.fromEntries(
    Object.keys(fields).map((field) => [field, words[field] ? pick(words[field]) : `${field} ${name}`]),
  );
  return { west, south, east: west + width, north: south + height, properties };
}

/** The words that a definition knows of each field, a blank and one that it does not know. Fields with names have none. */
function wordsOf({ counts = [], answers }: DataSetDefinition): Readonly<Record<string, readonly string[]>> {
  const words: Record<string, string[]> = {};
  const add = (field: string, values: readonly string[] = []): void =>
    void (words[field] ??= ['', '?']).push(...values);
  const addRules = (rules: typeof counts): void => {
    for (const { field, yes = [], no = [], shown = [], open = [] } of rules) {
      // Most features count.
      add(field, [...yes, ...yes, ...yes, ...no, ...shown, ...open]);
    }
  };
  addRules(counts);
  for (const answer of answers) {
    for (const { field, codes } of Object.values(membersOf(answer))) if (codes) add(field, Object.keys(codes));
    if (answer.kind !== 'proximity') continue;
    const { bandsFor = [], only, ignore, precedence = [], judgedBy = [] } = answer;
    for (const filter of [...bandsFor, ...precedence, only, ignore]) if (filter) add(filter.field, filter.values);
    addRules(judgedBy);
  }
  return words;
}

function membersOf(
  answer: AnswerDefinition,
): Readonly<Record<string, { field: string; codes?: Record<string, string> }>> {
  const own = answer.kind === 'object' ? answer.members : {};
  const told = 'deciding' in answer ? answer.deciding : {};
  return { ...own, ...Object.fromEntries(Object.entries(told).map(([name, member]) => [`told ${name}`, member])) };
}

function featureOf({ geometry }: DataSetDefinition, { west, south, east, north, properties }: Box): HandMadeFeature {
  const attributes = properties as Readonly<Record<string, string>>;
  if (geometry === 'point') return { wkt: `POINT(${west} ${south})`, attributes };
  if (geometry === 'line') return { wkt: `LINESTRING(${west} ${south},${east} ${north})`, attributes };
  const corners = [`${west} ${south}`, `${east} ${south}`, `${east} ${north}`, `${west} ${north}`, `${west} ${south}`];
  return { wkt: `POLYGON((${corners.join(',')}))`, attributes };
}

function dataSetOf(dataSet: DataSetDefinition, boxes: readonly Box[]): HandMadeDataSet {
  const of = (standing: Standing): HandMadeFeature[] =>
    boxes.filter((box) => standingOf(box, dataSet) === standing).map((box) => featureOf(dataSet, box));
  return { features: of('counts'), beside: { unclear: of('unclear'), shown: of('shown') } };
}

describe('the evidence where features overlap', () => {
  const folder = temporaryFolder();
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  const answers: Answers = allAnswers(catalogue);
  const boxes = drawBoxes(catalogue.dataSets);
  let snapshot: Snapshot;
  let cells: CellIndex;

  before(async () => {
    const drawn = catalogue.dataSets.map((dataSet) => [dataSet.id, dataSetOf(dataSet, boxes[dataSet.id]!)] as const);
    writeSnapshot(folder.path, {
      ...Object.fromEntries(drawn),
      coverage: { features: [{ wkt: `POINT(${X} ${Y})`, attributes: { data_set: 'none' } }] },
    });
    const manifest = JSON.parse(readFileSync(join(folder.path, 'manifest.json'), 'utf8')) as SnapshotManifest;
    ({ snapshot, cells } = await openWithCells(folder.path, indexedDataSets(answers, manifest)));
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  function told(view: PlaceView, { dataSet, answer }: Answers[number]): Told {
    const given = answerLayer(view, dataSet, answer);
    const { distanceM, feature, others } = evidenceOf(view, { dataSet, answer, given, uncertaintyM: 0, decimals: 3 });
    return { distanceM, ...(feature === undefined ? {} : { feature }), ...(others === undefined ? {} : { others }) };
  }

  const rounded = ({ distanceM, ...rest }: Told): Told => ({
    distanceM: distanceM === null ? null : Math.round(distanceM * 1000) / 1000,
    ...rest,
  });

  interface Compared {
    readonly asked: Answers[number];
    readonly at: ProjectedPoint;
    readonly views: Readonly<Record<'index' | 'reference', PlaceView>>;
  }

  /** What is wrong, by part and path. */
  function compare({ asked, at, views }: Compared, tally: (what: string) => void): string[] {
    const right = rounded(plainEvidence(boxes, asked, [at.x, at.y]));
    tally(right.others === undefined ? 'one feature' : 'several features');
    return Object.entries(views).flatMap(([path, view]) => {
      const given = told(view, asked);
      const wrong = parts.filter((part) => JSON.stringify(given[part]) !== JSON.stringify(right[part]));
      for (const part of wrong) tally(`wrong ${part} by the ${path}`);
      const where = `${asked.answer.key} at ${at.x}, ${at.y} by the ${path}`;
      return wrong.length === 0 ? [] : [`${where}: ${JSON.stringify(given)}, not ${JSON.stringify(right)}`];
    });
  }

  it('is of one feature, the one that decides, at every place and on both read paths', () => {
    const wrong: string[] = [];
    const seen: Record<string, number> = {};
    const tally = (what: string): void => void (seen[what] = (seen[what] ?? 0) + 1);
    for (let cluster = 0; cluster < CLUSTERS; cluster++) {
      const middle = middleOf(cluster);
      const places = Array.from({ length: PLACES_OF_A_CLUSTER }, () => ({
        ...placeAround(middle, pick(AROUND_M)),
        scale: 1,
      }));
      const references = referenceViews(snapshot, places);
      for (const [i, at] of places.entries()) {
        const views = { index: cellView(snapshot, cells, at), reference: references[i]! };
        for (const asked of answers) wrong.push(...compare({ asked, at, views }, tally));
        if (i === 0)
          expect(agree(views.index, views.reference, { answers, withEvidence: true }), `${cluster}`).to.equal(true);
      }
    }
    expect(wrong, `${JSON.stringify(seen)}: ${wrong.slice(0, 5).join('; ')}`).to.have.length(0);
    expect(seen['several features']).to.be.above(PLACES * 5);
  });
});
