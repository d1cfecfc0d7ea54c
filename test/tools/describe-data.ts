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

const intro = `# The data

This page says where each layer's data comes from and what is not known about it. \`npm run describe-data\` makes the table from the
definitions in \`layers/\`. Others have counted the features at the services. Services are below <${provinceServer}>, and packages below
<${provincePackages}>. "Inferred" means that no project is known to use the source under this name. Where a data set is not loaded or does
not cover a place, its answers are null. Null is then correct, and not a fault.
`;

/** The page's text. */
export function dataPage(catalogue: Catalogue): string {
  const { dataSets } = catalogue;
  const answers = allAnswers(catalogue);
  const head = [
    'data set',
    'layers',
    'publisher',
    'source, in order of preference',
    'licence',
    'features',
    'confirmed',
    'until, as the source says',
    'known gaps',
  ];
  const rows = dataSets.map((dataSet) => {
    const {
      id,
      publisher,
      licence,
      sources,
      limits = [],
      announced = [],
      provenance = [],
      coverage,
      sourceUntil,
    } = dataSet;
    const gaps = [
      ...(coverage === 'features' ? ['Knows the answer only inside its own area: null elsewhere.'] : []),
      ...limits.map(({ en }) => en),
      ...announced.map(({ from, en, url }) => `Announced (${from ?? 'the day is not known'}): ${en} [More](${url}).`),
      ...provenance,
    ];
    return [
      `\`${id}\``,
      keysOf(dataSet, answers),
      publisher,
      sources.map(addressOf).join('<br>'),
      licence.url === null ? licence.id : `[${licence.id}](${licence.url})`,
      countOf(id),
      sources.map(({ confirmed }) => confirmed ?? 'inferred').join('<br>'),
      sourceUntil ? `${sourceUntil.day}. ${sourceUntil.stated}` : 'not stated',
      gaps.join(' ') || 'none known',
    ];
  });
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`);
  return `${intro}\n${lines.join('\n')}\n`;
}

/** All parts of the data set together. */
function countOf(id: string): string {
  const counts = [province[id], ...Object.values(province).filter(({ partOf }) => partOf === id)].map(
    (layer) => layer?.count,
  );
  return counts.includes(undefined)
    ? 'not counted'
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

function addressOf(source: SourceDefinition): string {
  switch (source.kind) {
    case 'arcgis':
      return `${source.service}${source.layerIdHint === null ? '' : `/${source.layerIdHint}`} "${source.names[0]}"`;
    case 'package':
      return `[package ${source.code}](${packageUrl(source.code, provincePackages)})`;
    case 'file':
      return `<${source.url}>`;
    case 'composite':
      return source.parts.map(partOf).join('<br>');
  }
}

function partOf({ publisher, kind, server, service, layerIdHint, licence, use }: SourcePart): string {
  const state = use === true ? `in use, ${licence.id}` : `off: ${use.off}`;
  const address = server === undefined ? service : `${server}/${service}`;
  return `${publisher}, ${kind}: ${address}${layerIdHint === null ? '' : `/${layerIdHint}`} (${state})`;
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|');
}

/** `docs/data.md` of this project. */
export const pageFile = join(projectDir, 'docs', 'data.md');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(pageFile, dataPage(readCatalogue(join(projectDir, 'layers'))));
