import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One row of a hand-made register; what is left out is empty. */
export interface RegisterRow {
  readonly civic: number;
  readonly suffix?: string;
  readonly unit?: string;
  /** Official street name, type and direction. */
  readonly street: readonly [name: string, type?: string, direction?: string];
  readonly mailStreet?: readonly [name: string, type?: string, direction?: string];
  /** Mailing municipality. */
  readonly mail: string;
  /** Census subdivision: code, English and French name. */
  readonly csd: readonly [code: number, english: string, french?: string];
  readonly postalCode?: string;
  /** Building point; null leaves the side of the street only. */
  readonly at: readonly [lat: number, lon: number] | null;
  readonly blockface?: readonly [lat: number, lon: number];
  readonly province?: string;
}

export type RegisterLayout = '2023' | '2024' | '2026';

const addressHeader =
  'LOC_GUID,ADDR_GUID,APT_NO_LABEL,CIVIC_NO,CIVIC_NO_SUFFIX,OFFICIAL_STREET_NAME,OFFICIAL_STREET_TYPE,OFFICIAL_STREET_DIR,PROV_CODE,' +
  'CSD_ENG_NAME,CSD_FRE_NAME,MAIL_STREET_NAME,MAIL_STREET_TYPE,MAIL_STREET_DIR,MAIL_MUN_NAME,MAIL_PROV_ABVN,MAIL_POSTAL_CODE';

/** Writes rows as a National Address Register folder in the layout and encoding of a release. */
export function writeRegister(folder: string, rows: readonly RegisterRow[], layout: RegisterLayout = '2026'): void {
  const is2023 = layout === '2023';
  const header = is2023 ? addressHeader.replace('MAIL_STREET_DIR', 'MAIL_STEET_DIR') : addressHeader;
  const part = is2023 ? '' : '_part_1';
  write(folder, `Addresses/Address_35${part}.csv`, [header, ...rows.map(addressLine)], is2023);
  write(folder, `Locations/Location_35${part}.csv`, [locationHeader(layout), ...locationLines(rows, layout)], is2023);
}

function addressLine(row: RegisterRow): string {
  const [name, type = '', direction = ''] = row.street;
  const mail = row.mailStreet ?? [name.toUpperCase(), type, direction];
  const [, english, french = english] = row.csd;
  const cells = [
    ...[
      locationId(row),
      'unused',
      row.unit ?? '',
      row.civic,
      row.suffix ?? '',
      name,
      type,
      direction,
      row.province ?? '35',
    ],
    ...[english, french, mail[0], mail[1] ?? '', mail[2] ?? '', row.mail, 'ON', row.postalCode ?? ''],
  ];
  return cells.map((cell) => quoted(String(cell))).join(',');
}

function locationHeader(layout: RegisterLayout): string {
  if (layout !== '2026') return 'LOC_GUID,CSD_CODE,REPPOINT_LATITUDE,REPPOINT_LONGITUDE';
  return 'LOC_GUID,CSD_CODE,BG_LATITUDE,BG_LONGITUDE,BF_REPPOINT_LATITUDE,BF_REPPOINT_LONGITUDE';
}

function locationLines(rows: readonly RegisterRow[], layout: RegisterLayout): string[] {
  const lines = rows.map((row) => {
    const building = row.at?.join(',') ?? ',';
    const point = layout === '2026' ? `${building},${row.blockface?.join(',') ?? ','}` : building;
    return `${locationId(row)},${row.csd[0]},${point}`;
  });
  return [...new Set(lines)];
}

/** Equal points of one number are one location. */
function locationId({ civic, suffix, street, csd, at, blockface }: RegisterRow): string {
  return Buffer.from(JSON.stringify([civic, suffix, street, csd[0], at, blockface])).toString('base64url');
}

function quoted(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function write(folder: string, name: string, lines: readonly string[], latin1: boolean): void {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  const text = lines.join('\r\n') + '\r\n';
  writeFileSync(file, latin1 ? Buffer.from(text, 'latin1') : `\ufeff${text}`);
}

const toronto = [3520005, 'Toronto'] as const;
const ottawa = [3506008, 'Ottawa'] as const;
const kingston = [3510010, 'Kingston'] as const;
const owenSound = [3542059, 'Owen Sound'] as const;
const sudbury = [3553005, 'Greater Sudbury / Grand Sudbury', 'Grand Sudbury'] as const;
const saintCatharines = [3526053, 'St. Catharines'] as const;

/** A few streets of a few places, drawn by hand: real names, made-up details. */
export const smallRegister: readonly RegisterRow[] = [
  {
    civic: 100,
    street: ['Queen', 'ST', 'W'],
    mail: 'TORONTO',
    csd: toronto,
    postalCode: 'M5H2N2',
    at: [43.6534, -79.3839],
  },
  {
    civic: 100,
    street: ['Queen', 'ST', 'W'],
    mail: 'TORONTO',
    csd: toronto,
    postalCode: 'M5H2N1',
    unit: '1',
    at: [43.6534, -79.3839],
  },
  {
    civic: 330,
    street: ['Spadina', 'AVE'],
    mail: 'TORONTO',
    csd: toronto,
    postalCode: 'M5T2E7',
    at: [43.6532, -79.398],
  },
  {
    civic: 332,
    street: ['Spadina', 'RD'],
    mail: 'TORONTO',
    csd: toronto,
    postalCode: 'M5P2V9',
    at: [43.6869, -79.4124],
  },
  { civic: 28, street: ['Nelson', 'ST'], mail: 'TORONTO', csd: toronto, postalCode: 'M5V0A5', at: [43.6493, -79.3881] },
  {
    civic: 28,
    street: ['Nelson', 'ST'],
    mail: 'SCARBOROUGH',
    csd: toronto,
    postalCode: 'M1J2V3',
    at: [43.7412, -79.2318],
  },
  {
    civic: 399,
    street: ['The West', 'MALL'],
    mail: 'ETOBICOKE',
    csd: toronto,
    postalCode: 'M9C2Y2',
    at: [43.6427, -79.5668],
  },
  {
    civic: 1123,
    street: ['Leslie', 'ST'],
    mail: 'NORTH YORK',
    csd: toronto,
    postalCode: 'M3C2K5',
    at: [43.7235, -79.3497],
  },
  { civic: 12, street: ['King', 'ST', 'E'], mail: 'YORK', csd: toronto, at: [43.69, -79.49] },
  { civic: 300, street: ['Rideau', 'ST'], mail: 'OTTAWA', csd: ottawa, postalCode: 'K1N5Y4', at: [45.4295, -75.6862] },
  { civic: 50, street: ["O'Connor", 'ST'], mail: 'OTTAWA', csd: ottawa, postalCode: 'K1P6L2', at: [45.421, -75.6975] },
  { civic: 239, street: ['Temby', 'PVT'], mail: 'OTTAWA', csd: ottawa, postalCode: 'K1T0B9', at: [45.35, -75.63] },
  {
    civic: 499,
    street: ['Des Épinettes', 'AVE'],
    mail: 'ORLÉANS',
    csd: ottawa,
    postalCode: 'K1E2Z5',
    at: [45.482, -75.508],
  },
  { civic: 5432, street: ['7', 'HWY'], mail: 'OTTAWA', csd: ottawa, at: [45.21, -76.05] },
  {
    civic: 123,
    street: ['Princess', 'ST'],
    mail: 'KINGSTON',
    csd: kingston,
    postalCode: 'K7L1A1',
    unit: '2',
    at: [44.2311, -76.4826],
  },
  {
    civic: 123,
    street: ['Princess', 'ST'],
    mail: 'KINGSTON',
    csd: kingston,
    postalCode: 'K7L1A1',
    unit: 'BSMT',
    at: [44.2311, -76.4826],
  },
  {
    civic: 125,
    suffix: 'A',
    street: ['Princess', 'ST'],
    mail: 'KINGSTON',
    csd: kingston,
    postalCode: 'K7L1A1',
    at: [44.2312, -76.4828],
  },
  { civic: 12, suffix: '1/2', street: ['John', 'ST'], mail: 'KINGSTON', csd: kingston, at: [44.24, -76.5] },
  { civic: 200, street: ['Concession 4'], mail: 'KINGSTON', csd: kingston, at: [44.33, -76.6] },
  { civic: 15, street: ['5th', 'LINE'], mail: 'KINGSTON', csd: kingston, at: [44.34, -76.61] },
  { civic: 77, street: ['Lake Shore', 'BLVD'], mail: 'KINGSTON', csd: kingston, at: null, blockface: [44.22, -76.52] },
  { civic: 10, street: ['St. Clair', 'AVE', 'W'], mail: 'KINGSTON', csd: kingston, at: [44.25, -76.51] },
  {
    ...{
      civic: 123,
      street: ['9th', 'AVE', 'E'],
      mailStreet: ['9TH AVE', '', 'E'],
      mail: 'OWEN SOUND',
      csd: owenSound,
    },
    ...{ postalCode: 'N4K3E5', at: [44.5668, -80.9377] },
  },
  {
    civic: 40,
    street: ['The Queensway'],
    mailStreet: ['QUEEN', 'ST'],
    mail: 'OWEN SOUND',
    csd: owenSound,
    at: [44.57, -80.94],
  },
  { civic: 1545, street: ['Maley', 'DR'], mail: 'SUDBURY', csd: sudbury, postalCode: 'P3A4R7', at: [46.53, -80.93] },
  {
    civic: 284,
    street: ['Geneva', 'ST'],
    mail: 'ST CATHARINES',
    csd: saintCatharines,
    postalCode: 'L2N2E8',
    at: [43.18, -79.24],
  },
];
