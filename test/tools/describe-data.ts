/** `npm run describe-data` writes `docs/data.md`: what the definitions say of each data set, in a table. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DataSetDefinition, SourceDefinition, SourcePart } from '../../src/catalogue/definition.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { allAnswers, type Catalogue } from '../../src/catalogue/catalogue.ts';
import { projectDir } from '../../src/project/project.ts';
import { packageUrl, provincePackages, provinceServer } from '../../src/features/download/data-set-sources.ts';
import { province } from '../support/doubles/province/catalogue.ts';

/** Said of a data set only where it differs. */
const USUAL = {
  publisher: 'Ontario Ministry of Natural Resources',
  licence: 'OGL-ON-1.0',
  confirmed: 'listed by other projects under the same name and id',
  package: 'the code is quoted by its users, the class is inferred',
};

/** More of what is usual: how many projects list a source. */
const LISTED = /^listed by \w+ projects$/;

const intro = `# The data

Where each layer's data comes from, and what is not known about it; \`npm run describe-data\` makes this page from
\`layers/\`. Unless a row says otherwise, the publisher is the ${USUAL.publisher}, the licence is
[${USUAL.licence}](https://www.ontario.ca/page/open-government-licence-ontario), the source is ${USUAL.confirmed}, and of a package ${USUAL.package};
"inferred": no project is known to use it under this name. Others have counted the features. Services are below
<${provinceServer}>, packages below <${provincePackages}>. Answers are null where a data set is not loaded or does not
cover the place; with \\* also outside its own area. Authorities are named by their areas; why
a part is off, the definition says in full.
`;

/** The page's text. */
export function dataPage(catalogue: Catalogue): string {
  const { dataSets } = catalogue;
  const answers = allAnswers(catalogue);
  const head = ['data set', 'layers', 'source, in order of preference', 'features', 'known gaps'];
  const rows = dataSets.map((dataSet) => [
    `\`${dataSet.id}\``,
    keysOf(dataSet, answers) + (dataSet.coverage === 'features' ? ' \\*' : ''),
    [...originOf(dataSet), ...dataSet.sources.map((source) => addressOf(source, dataSet))].join('<br>'),
    countOf(dataSet.id),
    gapsOf(dataSet).join(' '),
  ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`);
  return `${intro}\n${lines.join('\n')}\n`;
}

/** Publisher and licence, where they are not the usual ones and no part has its own. */
function originOf({ publisher, licence, sources }: DataSetDefinition): string[] {
  const named = licence.url === null ? licence.id : `[${licence.id}](${licence.url})`;
  const isUsual = licence.id === USUAL.licence || sources.every(({ kind }) => kind === 'composite');
  return [...(publisher === USUAL.publisher ? [] : [publisher]), ...(isUsual ? [] : [named])];
}

function gapsOf(dataSet: DataSetDefinition): string[] {
  const { limits = [], announced = [], provenance = [], sourceUntil } = dataSet;
  return [
    ...(sourceUntil ? [`**Until ${sourceUntil.day}.** ${sourceUntil.stated}`] : []),
    ...limits.map(({ en }) => en).filter((limit) => !isSaidIn(provenance.join(' '), limit)),
    ...announced.map(({ from, url }) => `A change is [announced](${url})${from === null ? '' : ` for ${from}`}.`),
    ...provenance,
  ];
}

/** Whether operators are told in other words what clients are: at most a quarter of its longer words is missing. */
function isSaidIn(text: string, limit: string): boolean {
  const words = limit.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const missing = words.filter((word) => !text.toLowerCase().includes(word));
  return missing.length * 4 <= words.length;
}

/** All parts of the data set together. */
function countOf(id: string): string {
  const counts = [province[id], ...Object.values(province).filter(({ partOf }) => partOf === id)].map(
    (layer) => layer?.count,
  );
  return counts.includes(undefined)
    ? ''
    : counts.reduce<number>((sum, count) => sum + count!, 0).toLocaleString('en-CA');
}

function keysOf({ id }: DataSetDefinition, answers: Catalogue['answers']): string {
  const own = answers.flatMap(({ dataSet, answer }) =>
    dataSet.id === id ? [`\`${answer.key}\`${answer.further ? ' (further)' : ''}`] : [],
  );
  const helped = answers.flatMap(({ answer }) =>
    answer.kind === 'proximity' && answer.with?.some((part) => part.dataSet === id)
      ? [`\`${answer.key}\` (in part)`]
      : [],
  );
  return [...own, ...helped].join(', ') || 'none: the border of the province';
}

function addressOf(source: SourceDefinition, { publisher }: DataSetDefinition): string {
  const usual = source.kind === 'package' ? USUAL.package : USUAL.confirmed;
  const isUsual = source.confirmed === usual || LISTED.test(source.confirmed ?? '');
  const confirmed = isUsual ? '' : ` (${source.confirmed ?? 'inferred'})`;
  switch (source.kind) {
    case 'arcgis':
      return `${source.service}${source.layerIdHint === null ? '' : `/${source.layerIdHint}`} "${source.names[0]}"${confirmed}`;
    case 'package':
      return `[package ${source.code}](${packageUrl(source.code, provincePackages)})${confirmed}`;
    case 'file':
      return `<${source.url}>${confirmed}`;
    case 'composite':
      return `${[...source.parts.flatMap((part) => partOf(part, publisher)), ...partsOff(source.parts)].join('<br>')}${confirmed}`;
  }
}

function partOf({ publisher, kind, server, service, layerIdHint, licence, use }: SourcePart, of: string): string[] {
  if (use !== true) return [];
  const address = server === undefined ? service : `${server}/${service}`;
  const named = `${address}${layerIdHint === null ? '' : `/${layerIdHint}`}`;
  const from = publisher === of ? '' : `${shortened(publisher)}, `;
  return [`${from}${kind}: ${named}${licence.id === USUAL.licence ? '' : ` (${licence.id})`}`];
}

/** Parts that are not used, together where the first sentence of the reason is the same. */
function partsOff(parts: readonly SourcePart[]): string[] {
  const publishers = new Map<string, string[]>();
  for (const { publisher, use } of parts)
    if (use !== true) {
      const [reason] = use.off.split(/(?<=\.) /) as [string];
      publishers.set(reason, [...(publishers.get(reason) ?? []), shortened(publisher)]);
    }
  return [...publishers].map(([reason, names]) => `Off: ${names.join(', ')}. ${reason}`);
}

/** Of an authority, the name of its area: what the rows have parts of are authorities. */
function shortened(publisher: string): string {
  return publisher.replace(/ Conservation Authority$/, '');
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|');
}

/** `docs/data.md` of this project. */
export const pageFile = join(projectDir, 'docs', 'data.md');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(pageFile, dataPage(readCatalogue(join(projectDir, 'layers'))));
