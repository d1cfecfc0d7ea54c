import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

export interface RegisterRow {
  readonly civic: string;
  readonly suffix: string;
  /** Name, type and direction. */
  readonly street: string;
  readonly municipality: string;
  readonly postalCode: string;
  readonly lat: number;
  readonly lon: number;
}

/** The rows of a register folder with their positions: building point, else block-face point. */
export function registerRows(folder: string): RegisterRow[] {
  const positions = new Map(
    rows(join(folder, 'Locations')).map((row) => [
      row['LOC_GUID'],
      {
        lat: Number(row['BG_LATITUDE'] || row['BF_REPPOINT_LATITUDE']),
        lon: Number(row['BG_LONGITUDE'] || row['BF_REPPOINT_LONGITUDE']),
      },
    ]),
  );
  return rows(join(folder, 'Addresses')).map((row) => ({
    civic: row['CIVIC_NO'] ?? '',
    suffix: row['CIVIC_NO_SUFFIX'] ?? '',
    street: [row['OFFICIAL_STREET_NAME'], row['OFFICIAL_STREET_TYPE'], row['OFFICIAL_STREET_DIR']]
      .filter(Boolean)
      .join(' '),
    municipality: row['MAIL_MUN_NAME'] ?? '',
    postalCode: row['MAIL_POSTAL_CODE'] ?? '',
    ...positions.get(row['LOC_GUID'])!,
  }));
}

/** The address as people write it. */
export function writtenAddress({ civic, suffix, street, municipality, postalCode }: RegisterRow): string {
  const number = /^\d/.test(suffix) ? `${civic} ${suffix}` : `${civic}${suffix}`;
  return `${number} ${street}, ${municipality}, ON ${postalCode}`.trim();
}

function rows(folder: string): Record<string, string>[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => parse<Record<string, string>>(readFileSync(join(folder, name)), { columns: true, bom: true }));
}
