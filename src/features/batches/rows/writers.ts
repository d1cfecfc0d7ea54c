import type { RowWriter, WriterOptions } from './row-writer.ts';
import { csvWriter } from './write-csv.ts';
import { geojsonWriter } from './write-geojson.ts';
import { ndjsonWriter } from './write-ndjson.ts';

/** Formats of answers. */
export const answerFormats = ['ndjson', 'csv', 'geojson'] as const;
export type AnswerFormat = (typeof answerFormats)[number];

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
