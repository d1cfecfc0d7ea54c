import { Refused } from '../../core/outbound/failures.ts';
import type { LayerFacts, SourceCheck } from '../../import/source-fetcher.ts';
import { Empty, Misfit } from './match-fields.ts';
import { definitionFiles } from '../../catalogue/read/own-definitions.ts';
import type { DefinitionFolders } from '../../catalogue/read/read-definitions.ts';
import { readVersion } from '../../project/project.ts';
import { type CheckedSource, SIZED_FEATURES } from './check-sources.ts';
import type { FoundBy, LayerSurvey } from './survey-layer.ts';
import { wordsText } from '../../catalogue/known-words.ts';
import { megabytes } from '../../core/terminal/progress-display.ts';
import { textTable } from '../../core/terminal/command.ts';
import { grouped } from '../../words.ts';
import { dayOf } from '../../messages/time.ts';

const head = [
  ...['data set', 'found', 'name now', 'id', 'features', 'size', 'date', 'fields missing', 'unknown words'],
  ...['control points', 'new fields', 'source', 'an import would', 'in detail'],
];

type Row = readonly [
  ...[found: string, name: string, id: string, features: string, size: string, date: string, missing: string],
  ...[words: string, controls: string, newFields: string, source: string, action: string, detail: string],
];

/**
 * Returns a table with a row for each source, or part of one: what was found, in what it differs from its definition, and what an import would do. It
 * holds what the project needs to know about a server, and nothing of this machine. `fits` is false when a source differs from its definition or did
 * not answer.
 * @param definitions hash of the definitions.
 */
export function checkReport(
  checked: readonly CheckedSource[],
  { server, folders, definitions }: { server: string; folders: DefinitionFolders; definitions: string },
): { readonly text: string; readonly fits: boolean } {
  const used = firstUsable(checked);
  const rows = checked.map((one) => [one.definition.id, ...rowOf(one, used.has(one.source), folders)]);
  const bytes = checked.filter(({ source }) => used.has(source)).reduce((sum, one) => sum + bytesOf(one), 0);
  const text = [
    `land-lookup ${readVersion()}, definitions ${definitions.slice(0, 12)}, asked ${server} on ${new Date().toISOString()}`,
    '',
    textTable(head, rows),
    '',
    `An import would download about ${megabytes(bytes)}. The sizes of layers are estimates from ${SIZED_FEATURES} features each, and unknown words come from up to 1,000 rows.`,
    'This text holds no keys and no paths of this machine: send it to the project when a source does not fit.',
    '',
  ].join('\n');
  return { text, fits: checked.every((one) => !isFailure(one)) };
}

function isFailure({ status }: CheckedSource): boolean {
  return status === 'misfit' || status === 'no answer';
}

/** Finds the source of each data set that an import would use first. */
function firstUsable(checked: readonly CheckedSource[]): ReadonlySet<CheckedSource['source']> {
  const first = new Map<string, CheckedSource['source']>();
  for (const { definition, source } of checked) {
    const own = checked.filter((one) => one.source === source && one.status !== 'not asked');
    const isUsable = own.some((one) => !isFailure(one)) && own.every((one) => !isFailure(one) || canBeMissing(one));
    if (isUsable && !first.has(definition.id)) first.set(definition.id, source);
  }
  return new Set(first.values());
}

function canBeMissing({ part }: CheckedSource): boolean {
  return part?.canBeMissing ?? false;
}

function bytesOf(one: CheckedSource): number {
  if (one.status === 'layer') return one.inspection.bytes;
  return one.status === 'file' ? (one.version.bytes ?? 0) : 0;
}

function rowOf(one: CheckedSource, isUsed: boolean, { layersDir, ownLayersDir = null }: DefinitionFolders): Row {
  switch (one.status) {
    case 'layer':
      return layerRow(one, isUsed);
    case 'file': {
      const { bytes, lastModified } = one.version;
      const size = bytes === null ? '' : megabytes(bytes);
      const date = dateOf(lastModified === null ? null : Date.parse(lastModified));
      const action = isUsed ? 'fetch it if it has changed' : LATER;
      return ['yes', '', '', '', size, date, '', 'not read', '', '', shortened(one.url), action, ''];
    }
    case 'not asked':
      return otherRow(one, 'not asked', 'not use it', whyNotAsked(one.source));
    case 'no answer':
      return otherRow(one, 'NO ANSWER', failing(one), one.error);
    case 'misfit': {
      const file = `${one.definition.id}.json`;
      const found = definitionFiles(layersDir, ownLayersDir).find(({ name }) => name === file)!;
      // A part that is joined from two files has no line of its own.
      const line = found.own === 'parts' ? '' : `:${lineOf(found.text, one.path)}`;
      return otherRow(one, 'NO', failing(one), `${found.shownAs}${line} does not fit: ${one.error}`);
    }
  }
}

const LATER = 'use it if the sources before it fail';

const findings: Readonly<Record<FoundBy, string>> = {
  name: 'by name',
  'other name': 'by another name',
  id: 'by id alone',
  operator: 'by --layer-id',
};

const actions: Readonly<Record<LayerSurvey['state'], string>> = {
  new: 'fetch it',
  resumed: 'continue to fetch it',
  unchanged: 'fetch nothing: it is unchanged',
};

function layerRow(one: Extract<CheckedSource, { status: 'layer' }>, isUsed: boolean): Row {
  const { survey, inspection, controlPoints } = one;
  const { layer, ids, state, foundBy } = survey;
  const { sampledRows, unknownWords, newFields, bytes } = inspection;
  const words = Object.values(unknownWords).flatMap((counts) => Object.values(counts));
  const unknown = words.reduce((sum, count) => sum + count, 0);
  const details = [
    ...(one.movedTo === null ? [] : [`its server sends requests on to ${one.movedTo}`]),
    ...renamed(survey),
    ...(words.length === 0 ? [] : [`unknown words: ${wordsText(unknownWords).join(', ')}`]),
    ...(newFields.length === 0 ? [] : [`new fields: ${newFields.join(', ')}`]),
  ];
  return [
    findings[foundBy],
    layer.name,
    /\d+$/.exec(layer.url)?.[0] ?? '',
    grouped(ids.length),
    megabytes(bytes),
    dateOf(layer.editedMs),
    missing(survey).join(', ') || 'none',
    sampledRows === null ? 'has no codes' : `${grouped(unknown)} in ${grouped(sampledRows)} rows`,
    controlPoints === 0 ? '' : `${controlPoints} right`,
    grouped(newFields.length),
    shortened(layer.url),
    isUsed ? actions[state] : LATER,
    details.join('; '),
  ];
}

function otherRow({ source, part }: CheckedSource, found: string, action: string, why: string): Row {
  const detail = part === null ? why : `${part.name}: ${why}`;
  return [found, '', '', '', '', '', '', '', '', '', nameOfSource(source), action, detail];
}

function failing(one: CheckedSource): string {
  return canBeMissing(one) ? 'LEAVE IT OUT: not known in its area' : 'FAIL';
}

function whyNotAsked({ kind }: CheckedSource['source']): string {
  return kind === 'package' ? '--server without --packages asks for no packages' : 'none of its parts is in use';
}

/** Returns what a source goes by in reports. */
function nameOfSource(source: CheckedSource['source']): string {
  switch (source.kind) {
    case 'arcgis':
      return source.service;
    case 'package':
      return `package ${source.code}`;
    case 'file':
      return shortened(source.url);
    case 'composite':
      return `${source.parts.length} parts`;
  }
}

/** Returns the path of a service or the name of a file. */
function shortened(url: string): string {
  return /\/rest\/services\/(.+)$/.exec(url)?.[1] ?? url.split('/').at(-1)!;
}

function missing({ fields }: LayerSurvey): string[] {
  return [...fields].flatMap(([name, source]) => (source === null ? [name] : []));
}

/** Fields that are there under another name than the definition's first. */
function renamed({ fields }: LayerSurvey): string[] {
  const others = [...fields].flatMap(([name, source]) =>
    source === null || source === name ? [] : [`${source} for ${name}`],
  );
  return others.length === 0 ? [] : [`other names: ${others.join(', ')}`];
}

function dateOf(ms: number | null): string {
  return ms === null || Number.isNaN(ms) ? '' : dayOf(ms);
}

/** Tells what a check found to those who watch the sources, without what was not asked. */
export function sourceChecks(checked: readonly CheckedSource[]): readonly SourceCheck[] {
  return checked.filter(({ status }) => status !== 'not asked').map(sourceCheck);
}

function sourceCheck(one: CheckedSource): SourceCheck {
  const { definition, source, part, movedTo } = one;
  const area = part?.role === 'coverage' ? ', area' : '';
  return {
    dataSet: definition.id,
    source: part ? part.name + area : nameOfSource(source),
    movedTo,
    state: stateOf(one),
    error: 'error' in one ? one.error : null,
    editedOn: editedOn(one),
    layer: factsOf(one),
  };
}

function stateOf(one: CheckedSource): SourceCheck['state'] {
  if (one.status === 'no answer') return 'silent';
  if (one.status !== 'misfit') return 'answers';
  const { cause } = one;
  if (cause instanceof Misfit) return cause.isGone ? 'gone' : cause.path[0] === 'control' ? 'control' : 'names';
  if (cause instanceof Empty) return 'empty';
  // Other refusals, such as lists that do not agree, say nothing of where the data are.
  return cause instanceof Refused ? 'gone' : 'silent';
}

function editedOn(one: CheckedSource): string | null {
  const ms = one.status === 'layer' ? one.survey.changedMs : Date.parse(lastModified(one) ?? '');
  // A time that is none in the calendar says nothing.
  return ms === null || !(Math.abs(ms) < 8.64e15) ? null : dayOf(ms);
}

function lastModified(one: CheckedSource): string | null {
  return one.status === 'file' ? one.version.lastModified : null;
}

function factsOf(one: CheckedSource): LayerFacts | null {
  if (one.status !== 'layer') return null;
  const { layer, ids, fields, foundBy } = one.survey;
  return {
    id: Number(/\d+$/.exec(layer.url)?.[0] ?? NaN),
    name: layer.name,
    featureCount: ids.length,
    isNamed: foundBy !== 'id' || one.names.length === 0,
    missingFields: [...fields].flatMap(([name, found]) => (found === null ? [name] : [])),
    unknownWords: wordsText(one.inspection.unknownWords),
    list: one.inspection.list,
  };
}

/** A string (a member's name if a colon follows), a bracket, a comma, or any other value. */
const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]|[^\s{}[\],":]+/g;

/**
 * Returns the line, from 1, on which a member of a JSON document begins; if the member is missing, the line of the
 * member around it. The text must be valid JSON.
 */
export function lineOf(text: string, path: readonly (string | number)[]): number {
  let at = 0;
  for (const step of path) {
    const child = childAt(text, at, step);
    if (child === null) break;
    at = child;
  }
  return text.slice(0, at).split('\n').length;
}

/**
 * Returns where a member of an object or list begins. The object or list begins at `from`, possibly after its own name.
 */
function childAt(text: string, from: number, step: string | number): number | null {
  let depth = 0;
  let element = 0;
  for (const match of text.slice(from).matchAll(tokens)) {
    const [token] = match;
    const isEnd = '}],'.includes(token);
    if (depth === 1 && !isEnd && step === (nameIn(match) ?? element)) return from + match.index;
    if ('{['.includes(token)) depth++;
    if ('}]'.includes(token)) depth--;
    if (token === ',' && depth === 1) element++;
    // The value of the member ends here.
    if (depth === 0 && isEnd) return null;
  }
  return null;
}

function nameIn([, name, colon]: RegExpMatchArray): string | null {
  return name !== undefined && colon !== undefined ? (JSON.parse(name) as string) : null;
}
