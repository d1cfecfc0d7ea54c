import type { RowWriter, WriterOptions } from './row-writer.ts';
import { codeOf, layerColumns, statusOf, tableRow, type Column, type TableRow } from './table.ts';

/**
 * Makes a writer of a GeoJSON FeatureCollection (RFC 7946), one feature a line. A row without a place has no geometry, one of an area the point
 * inside that its answer names. Layers are properties with the names of the columns in CSV, because programs for maps show flat properties;
 * those of an area are the object `layers` of its answer. The statements are the foreign member `attribution` of the collection (RFC 7946, section 6.1).
 */
export function geojsonWriter({ catalogue, attribution, withLookupIds }: WriterOptions): RowWriter {
  const columns = layerColumns(catalogue);
  const featureOf = (row: TableRow): object => ({
    ...{ type: 'Feature', id: row.row, geometry: pointOf(row) },
    properties: {
      row: row.row,
      ...(row.customId === null ? {} : { custom_id: row.customId }),
      ...{ status: statusOf(row), code: codeOf(row) },
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
