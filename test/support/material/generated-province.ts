/**
 * Made-up data in the schema of each definition's source, and what each layer must answer where. Every data set has a row of
 * latitude and every case a cell of it, farther from the next than the widest band.
 */
import type { AnswerDefinition, DataSetDefinition, FieldFilter } from '../../../src/catalogue/definition.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { LayerState } from '../../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import type { DownloadedFeature, GeoJsonGeometry } from '../../../src/messages/import.ts';
import { province } from '../doubles/province/catalogue.ts';
import { square } from './sources.ts';

/** What a layer must answer at a place. */
export interface Case {
  readonly key: string;
  readonly what: string;
  readonly at: Coordinate;
  readonly value: LayerValue;
  readonly state: LayerState;
}

export interface GeneratedProvince {
  readonly features: ReadonlyMap<string, readonly DownloadedFeature[]>;
  readonly cases: readonly Case[];
}

const SOUTH = 42.6;
const WEST = -89;
const ROW_DEGREES = 0.05;
const CELL_DEGREES = 0.1;

/** Side of a polygon, or length of a line. */
const SIZE_DEGREES = 0.01;

/** Of a degree of latitude in the middle of the province. */
const METRES_PER_DEGREE = 111_200;

/** Where nothing is, but the province has data: beyond the last cell. */
export const nowhere: Coordinate = { lat: 44.003, lon: -87.003 };

type Attributes = Readonly<Record<string, string | number | null>>;

export function generateProvince({ dataSets, answers }: Catalogue): GeneratedProvince {
  const features = new Map<string, DownloadedFeature[]>(dataSets.map(({ id }) => [id, []]));
  const cases: Case[] = [];
  const definitions = new Map(dataSets.map((dataSet) => [dataSet.id, dataSet]));
  answers.forEach(({ dataSet, answer }, row) => {
    let column = 0;
    const cell = (): Coordinate => ({ lat: SOUTH + row * ROW_DEGREES, lon: WEST + column++ * CELL_DEGREES });
    const draw = (id: string, corner: Coordinate, attributes: Attributes) => {
      const definition = definitions.get(id)!;
      features.get(id)!.push({
        attributes: {
          ...dates(features.get(id)!.length),
          ...filled(definition),
          ...attributes,
        },
        geometry: shape(definition.geometry, corner),
      });
    };
    const expectAt = (what: string, at: Coordinate, value: LayerValue, state: LayerState) => {
      cases.push({ key: answer.key, what, at, value, state });
    };
    drawAnswer(dataSet, answer, { cell, draw, expectAt });
    if (answer.kind !== 'count') drawUncounted(dataSet, answer, { cell, draw, expectAt });
    expectAt('nothing there', nowhere, ...nothingOf(dataSet, answer));
  });
  drawUnasked(dataSets, features);
  return { features, cases };
}

/** The catalogue without the fields that the province's services do not have: its features have none of them either. */
export function catalogueAsServed({ dataSets, answers, further, version }: Catalogue): Catalogue {
  const pruned = new Map(dataSets.map((dataSet) => [dataSet.id, { ...dataSet, fields: servedFields(dataSet) }]));
  const asServed = ({ dataSet, answer }: Catalogue['answers'][number]) => ({
    dataSet: pruned.get(dataSet.id)!,
    answer,
  });
  return {
    dataSets: [...pruned.values()],
    answers: answers.map(asServed),
    further: further.map(asServed),
    version,
  };
}

function servedFields({ id, fields }: DataSetDefinition): DataSetDefinition['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in province[id]!.fields));
}

type Proximity = Extract<AnswerDefinition, { kind: 'proximity' }>;

interface Pen {
  readonly cell: () => Coordinate;
  readonly draw: (dataSet: string, corner: Coordinate, attributes: Attributes) => void;
  readonly expectAt: (what: string, at: Coordinate, value: LayerValue, state: LayerState) => void;
}

function drawAnswer(dataSet: DataSetDefinition, answer: AnswerDefinition, pen: Pen): void {
  const { cell, draw, expectAt } = pen;
  const place = (attributes: Attributes, what: string, value: LayerValue, state: LayerState = 'present') => {
    const corner = cell();
    draw(dataSet.id, corner, attributes);
    expectAt(what, inside(corner), value, state);
  };
  switch (answer.kind) {
    case 'boolean':
      place({}, 'inside', true);
      return;
    case 'value':
      for (const [code, value] of Object.entries(
        answer.codes ?? { 'One Area': 'One Area', 'Autre Région': 'Autre Région' },
      ))
        place({ [answer.field]: code }, code, value);
      place({ [answer.field]: ' ' }, 'blank', null, 'unavailable');
      if (answer.codes) place({ [answer.field]: 'Not Listed' }, 'unknown code', null, 'unavailable');
      return;
    case 'object':
      drawObject(dataSet, answer, place);
      return;
    case 'count':
      drawCount(dataSet, answer, pen);
      return;
    case 'proximity':
      drawProximity(dataSet, answer, pen);
      return;
    default:
      // The compiler refuses this line while a kind is not drawn.
      answer satisfies never;
  }
}

type Place = (attributes: Attributes, what: string, value: LayerValue, state?: LayerState) => void;

function drawObject(
  dataSet: DataSetDefinition,
  answer: Extract<AnswerDefinition, { kind: 'object' }>,
  place: Place,
): void {
  const members = Object.entries(answer.members);
  const valueOf = (attributes: Attributes): LayerValue =>
    Object.fromEntries(
      members.map(([name, { field, as, codes, otherwise }]) => {
        const raw = attributes[field] ?? (otherwise && !otherwise.codes ? attributes[otherwise.field] : null) ?? null;
        if (raw === null) return [name, null];
        return [name, codes ? codes[String(raw)]! : as === 'number' ? Number(raw) : String(raw)];
      }),
    );
  const codes = members.flatMap(([, member]) => (member.codes ? [member] : []))[0];
  const codesToDraw = codes ? Object.keys(codes.codes!) : ['A'];
  for (const code of codesToDraw) {
    const attributes = { ...filled(dataSet), ...(codes ? { [codes.field]: code } : {}) };
    place(attributes, `code ${code}`, valueOf(attributes));
  }
  const isRuled = (field: string): boolean => dataSet.counts?.some((rule) => rule.field === field) ?? false;
  const optional = members
    .filter(([, { required, field }]) => required !== true && !isRuled(field))
    .map(([, { field }]) => field);
  if (optional.length > 0) {
    const attributes = { ...filled(dataSet), ...Object.fromEntries(optional.map((field) => [field, null])) };
    place(attributes, 'optional members missing', valueOf(attributes));
  }
  const required = members.find(([, member]) => member.required === true)?.[1];
  if (required) {
    const fields = [required.field, ...(required.otherwise ? [required.otherwise.field] : [])];
    const missing = Object.fromEntries(fields.map((field) => [field, null]));
    place(missing, 'required member missing', null, 'unavailable');
    if (required.otherwise) {
      const attributes = { ...filled(dataSet), [required.field]: null, [required.otherwise.field]: 'Another Name' };
      place(attributes, 'another field in its place', valueOf(attributes));
    }
  }
  if (codes) place({ [codes.field]: '?' }, 'unknown code', null, 'unavailable');
}

function drawCount(dataSet: DataSetDefinition, answer: Extract<AnswerDefinition, { kind: 'count' }>, pen: Pen): void {
  const corner = pen.cell();
  const { count, nearestDistanceM } = answer.members;
  const idField = Object.values(answer.nearest)[0]!.field;
  [0, answer.radiusM * 0.5, answer.radiusM * 3].forEach((metres, i) => {
    pen.draw(dataSet.id, northOf(corner, metres), { ...filled(dataSet), [idField]: `near ${i}` });
  });
  const nearest = Object.entries(answer.nearest).map(([name, { field }]) => [
    name,
    field === idField ? 'near 0' : filled(dataSet)[field],
  ]);
  const value = { [count]: 2, [nearestDistanceM]: 0, ...(Object.fromEntries(nearest) as object) };
  pen.expectAt('two within the radius', corner, value, 'present');
}

function drawProximity(dataSet: DataSetDefinition, answer: Proximity, pen: Pen): void {
  drawBands(dataSet, answer, pen);
  drawExceptions(dataSet, answer, pen);
}

function drawBands(dataSet: DataSetDefinition, answer: Proximity, { cell, draw, expectAt }: Pen): void {
  const { regulated = 0, adjacent = 0 } = answer.bands;
  const counting = countingAttributes(answer);
  const corner = cell();
  draw(dataSet.id, corner, counting);
  const isArea = dataSet.geometry === 'polygon';
  const edge = northOf(corner, isArea ? SIZE_DEGREES * METRES_PER_DEGREE : 0);
  // Points and lines have no inside, but a distance of 0.
  expectAt('inside', isArea ? inside(corner) : corner, 'inside', 'present');
  expectAt('regulated', northOf(edge, regulated * 0.6), 'regulated', 'present');
  if (adjacent > 0) expectAt('adjacent', northOf(edge, (regulated + adjacent) / 2), 'adjacent', 'present');
  expectAt('beyond', northOf(edge, Math.max(regulated, adjacent) * 1.4), ...nothingOf(dataSet, answer));
}

/** Other bands, features that do not count, and features of other data sets that do. */
function drawExceptions(dataSet: DataSetDefinition, answer: Proximity, { cell, draw, expectAt }: Pen): void {
  const counting = countingAttributes(answer);
  for (const { field, values, bands } of answer.bandsFor ?? []) {
    for (const value of values) {
      const corner = cell();
      draw(dataSet.id, corner, { ...counting, [field]: value });
      const edge = northOf(corner, SIZE_DEGREES * METRES_PER_DEGREE);
      const { regulated = 0, adjacent = 0 } = { ...answer.bands, ...bands };
      expectAt(`${value}, other band`, northOf(edge, (regulated + adjacent) / 2), 'adjacent', 'present');
    }
  }
  for (const { dataSet: id, only } of answer.with ?? []) {
    const corner = cell();
    draw(id, corner, matching(only));
    expectAt(`${id} counts too`, corner, 'inside', 'present');
  }
  drawIgnored(dataSet, answer, { cell, draw, expectAt });
}

/** Features that are there and do not count for the answer. */
function drawIgnored(dataSet: DataSetDefinition, answer: Proximity, { cell, draw, expectAt }: Pen): void {
  for (const value of answer.ignore?.values ?? []) {
    const corner = cell();
    draw(dataSet.id, corner, { [answer.ignore!.field]: value });
    expectAt(`${value} is ignored`, inside(corner), ...nothingOf(dataSet, answer));
  }
}

/** Features that do not count for any answer of the data set, and one of which nobody knows it. */
function drawUncounted(dataSet: DataSetDefinition, answer: AnswerDefinition, { cell, draw, expectAt }: Pen): void {
  const rules = dataSet.counts ?? [];
  const blank = Object.fromEntries(rules.map(({ field }) => [field, null]));
  const at = (corner: Coordinate): Coordinate => (dataSet.geometry === 'polygon' ? inside(corner) : corner);
  for (const { field, no = [], shown = [] } of rules) {
    for (const value of [...no, ...shown]) {
      const corner = cell();
      draw(dataSet.id, corner, { ...blank, [field]: numberOr(dataSet, field, value) });
      expectAt(`${value} does not count`, at(corner), ...nothingOf(dataSet, answer));
    }
  }
  if (rules.at(-1)?.others !== undefined || rules.length === 0) return;
  const corner = cell();
  draw(dataSet.id, corner, blank);
  expectAt('of unknown kind', at(corner), null, 'unavailable');
}

/** Attributes with which a feature counts. */
function counting({ counts = [], ...dataSet }: DataSetDefinition): Attributes {
  // A part fills some fields with constants.
  const rule = counts.find(({ field, yes }) => yes !== undefined && field in dataSet.fields);
  return rule ? { [rule.field]: numberOr(dataSet, rule.field, rule.yes![0]!) } : {};
}

function numberOr({ fields }: Pick<DataSetDefinition, 'fields'>, field: string, word: string): string | number {
  return fields[field]!.type === 'string' ? word : Number(word);
}

function countingAttributes({ only, ignore }: Proximity): Attributes {
  return { ...(ignore ? { [ignore.field]: 'Other' } : {}), ...matching(only) };
}

function matching(filter: FieldFilter | undefined): Attributes {
  return filter ? { [filter.field]: filter.values[0]! } : {};
}

/** The answer where no feature is. */
function nothingOf({ coverage }: DataSetDefinition, answer: AnswerDefinition): [LayerValue, LayerState] {
  if (coverage === 'features') return [null, 'no_coverage'];
  switch (answer.kind) {
    case 'boolean':
      return [false, 'absent'];
    case 'value':
    case 'object':
      return [null, 'absent'];
    case 'proximity':
      return ['outside', 'absent'];
    case 'count': {
      const nearest = Object.keys(answer.nearest).map((name) => [name, null]);
      const { count, nearestDistanceM } = answer.members;
      return [{ [count]: 0, [nearestDistanceM]: null, ...(Object.fromEntries(nearest) as object) }, 'absent'];
    }
  }
}

/** Data sets that answer no key of their own, or only help others, have a feature too, and each part of one in several parts. */
function drawUnasked(dataSets: readonly DataSetDefinition[], features: Map<string, DownloadedFeature[]>): void {
  const inParts = Object.values(province).map(({ partOf }) => partOf);
  for (const dataSet of dataSets) {
    const isAsked = dataSet.answers.some(({ further = false }) => !further);
    if (isAsked && !inParts.includes(dataSet.id)) continue;
    const corner = { lat: 45, lon: -88 };
    const geometry = shape(dataSet.geometry, corner);
    features
      .get(dataSet.id)!
      .push({ attributes: { ...dates(0), ...filled(dataSet), ...constantsOf(dataSet) }, geometry });
  }
}

/** What the first part of a composite source fills in for every feature: a file has it, too. */
function constantsOf({ sources: [source] }: DataSetDefinition): Attributes {
  return source?.kind === 'composite' ? (source.parts[0]?.constants ?? {}) : {};
}

/** A value in every field, so that the feature counts. */
function filled(dataSet: DataSetDefinition): Attributes {
  const values = Object.entries(dataSet.fields).map(([name, { type }], i) => [
    name,
    type === 'string' ? `${name.toLowerCase()} é ${i}` : type === 'integer' ? 100 + i : 10.5 + i,
  ]);
  return { ...(Object.fromEntries(values) as Attributes), ...counting(dataSet) };
}

/** The columns that every layer of the province has. */
function dates(index: number): Attributes {
  return {
    OGF_ID: 81_000_000 + index,
    EFFECTIVE_DATETIME: Date.UTC(2024, 4, 1 + (index % 20)),
    SYSTEM_DATETIME: Date.UTC(2025, 0, 1, 0, 0, index),
  };
}

function shape(family: DataSetDefinition['geometry'], { lat, lon }: Coordinate): GeoJsonGeometry {
  switch (family) {
    case 'polygon':
      return { type: 'Polygon', coordinates: [square(lon, lat, SIZE_DEGREES)] };
    case 'line':
      return {
        type: 'LineString',
        coordinates: [
          [lon - SIZE_DEGREES, lat],
          [lon, lat],
          [lon + SIZE_DEGREES, lat],
        ],
      };
    case 'point':
      return { type: 'Point', coordinates: [lon, lat] };
  }
}

function inside({ lat, lon }: Coordinate): Coordinate {
  return { lat: lat + SIZE_DEGREES / 2, lon: lon + SIZE_DEGREES / 2 };
}

function northOf({ lat, lon }: Coordinate, metres: number): Coordinate {
  return { lat: lat + metres / METRES_PER_DEGREE, lon };
}
