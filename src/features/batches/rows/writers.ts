import {
  type WriterOptions,
  type Column,
  type TableRow,
  tableColumns,
  tableRow,
  codeOf,
  layerColumns,
  statusOf,
} from './table.ts';
import type { AnsweredRow } from './row.ts';
import { csvLine } from '../../../core/files/csv-line.ts';
import type { Failure } from '../../../messages/outcome.ts';
import { withAttribution } from '../../../core/layers/describe-licences.ts';

/** Formats of answers. */
export const answerFormats = ['ndjson', 'csv', 'geojson'] as const;
export type AnswerFormat = (typeof answerFormats)[number];

/** Writes answered rows as one text: `head`, each row in turn, `foot`. A row's text depends on nothing but the row. */
export interface RowWriter {
  readonly head: string;
  readonly foot: string;
  readonly row: (answered: AnsweredRow) => string;
}

/** Returns the writer of a format. */
export function writerOf(format: AnswerFormat, options: WriterOptions): RowWriter {
  switch (format) {
    case 'ndjson':
      return ndjsonWriter(options.attribution);
    case 'csv':
      return csvWriter(options);
    case 'geojson':
      return geojsonWriter(options);
  }
}

/**
 * Makes a writer of CSV (RFC 4180, lines end with LF): a column for each layer, `key.member` for each member of an object. The last column,
 * `attribution`, has the statements for the whole file in its first row, and nothing in the others.
 */
function csvWriter(options: WriterOptions): RowWriter {
  const columns = tableColumns(options);
  const statements = options.attribution.join(' ');
  return {
    head: csvLine([...columns.map(({ name }) => name), 'attribution']),
    foot: '',
    row(answered) {
      const row = tableRow(answered);
      return csvLine([...columns.map(({ cell }) => cell(row)), row.row === 1 ? statements : null]);
    },
  };
}

/**
 * Makes a writer of one JSON document a line, so that line n belongs to row n: the body of the answer, or `code`, `detail` and what a
 * failure adds. The first line also has the member `attribution`, for the whole file.
 */
function ndjsonWriter(attribution: readonly string[]): RowWriter {
  return {
    head: '',
    foot: '',
    row({ row, answer }) {
      const line = `${answer.ok ? answer.value : failureLine(answer)}\n`;
      return row === 1 ? withAttribution(line, attribution) : line;
    },
  };
}

function failureLine({ code, detail, extras }: Failure): string {
  return JSON.stringify({ code, detail, ...extras });
}

/**
 * Makes a writer of a GeoJSON FeatureCollection (RFC 7946), one feature a line. A row without a place has no geometry, one of an area the point
 * inside that its answer names. Layers are properties with the names of the columns in CSV, because programs for maps show flat properties;
 * those of an area are the object `layers` of its answer. The statements are the foreign member `attribution` of the collection (RFC 7946, section 6.1).
 */
function geojsonWriter({ catalogue, attribution, withLookupIds }: WriterOptions): RowWriter {
  const columns = layerColumns(catalogue);
  const featureOf = (row: TableRow): object => ({
    type: 'Feature',
    id: row.row,
    geometry: pointOf(row),
    properties: {
      row: row.row,
      ...(row.customId === null ? {} : { custom_id: row.customId }),
      status: statusOf(row),
      code: codeOf(row),
      ...(withLookupIds ? { lookup_id: row.lookupId ?? null } : {}),
      ...ownProperties(row, columns),
    },
  });
  return {
    head: `{"type":"FeatureCollection","attribution":${JSON.stringify(attribution)},"features":[\n`,
    foot: '\n]}\n',
    row: (answered) => `${answered.row === 1 ? '' : ',\n'}${JSON.stringify(featureOf(tableRow(answered)))}`,
  };
}

function pointOf({ place, area }: TableRow): object | null {
  const at = place ?? area;
  return at && { type: 'Point', coordinates: [at.lon, at.lat] };
}

function ownProperties(row: TableRow, columns: readonly Column[]): object {
  const { answer, place, area } = row;
  if (!answer.ok) return { detail: answer.detail, ...answer.extras };
  if (area) return without(area, ['lat', 'lon']);
  const cells = Object.fromEntries(columns.map(({ name, cell }) => [name, cell(row)]));
  return { address: place!.address, ...cells, ...without(place!, ['address', 'lat', 'lon', 'layers']) };
}

function without(body: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
