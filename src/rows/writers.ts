import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { RowWriter } from './row-writer.ts';
import { csvWriter } from './write-csv.ts';
import { geojsonWriter } from './write-geojson.ts';
import { ndjsonWriter } from './write-ndjson.ts';

/** Formats of answers. */
export const answerFormats = ['ndjson', 'csv', 'geojson'] as const;
export type AnswerFormat = (typeof answerFormats)[number];

/** Returns the writer of a format. */
export function writerOf(format: AnswerFormat, catalogue: Pick<Catalogue, 'answers'>): RowWriter {
  switch (format) {
    case 'ndjson':
      return ndjsonWriter;
    case 'csv':
      return csvWriter(catalogue);
    case 'geojson':
      return geojsonWriter(catalogue);
  }
}
