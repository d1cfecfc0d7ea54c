import { problems } from '../shared/problems.ts';
import type { FullLookupBody } from '../shared/wire/full-lookup.ts';
import { cellOf, layerColumns } from './layer-columns.ts';
import type { AnsweredRow } from './row.ts';
import type { RowWriter, WriterOptions } from './row-writer.ts';

type Body = Omit<FullLookupBody, 'geocode' | 'evidence' | 'snapshot'> &
  Partial<Pick<FullLookupBody, 'geocode' | 'evidence' | 'snapshot'>>;

/**
 * Makes a writer of a GeoJSON FeatureCollection (RFC 7946), one feature a line. A row without a place has no geometry. Layers are
 * properties with the names of the columns in CSV, because programs for maps show flat properties. The statements
 * are the foreign member `attribution` of the collection (RFC 7946, section 6.1).
 */
export function geojsonWriter({ catalogue, attribution }: WriterOptions): RowWriter {
  const columns = layerColumns(catalogue);
  const featureOf = ({ row, customId, answer }: AnsweredRow): object => {
    const name = customId === null ? { row } : { row, custom_id: customId };
    if (!answer.ok) {
      const { code, detail, extras } = answer;
      const properties = { ...name, status: problems[code].status, code, detail, ...extras };
      return { type: 'Feature', id: row, geometry: null, properties };
    }
    const { lat, lon, address, layers, ...rest } = JSON.parse(answer.value) as Body;
    const cells = Object.fromEntries(columns.map((column) => [column.name, cellOf(layers, column)]));
    const properties = { ...name, status: 200, code: null, address, ...cells, ...rest };
    return { type: 'Feature', id: row, geometry: { type: 'Point', coordinates: [lon, lat] }, properties };
  };
  return {
    head: `{"type":"FeatureCollection","attribution":${JSON.stringify(attribution)},"features":[\n`,
    foot: '\n]}\n',
    row: (answered) => `${answered.row === 1 ? '' : ',\n'}${JSON.stringify(featureOf(answered))}`,
  };
}
