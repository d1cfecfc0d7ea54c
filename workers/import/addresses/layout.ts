import type { Columns } from './files.ts';

/** Address columns in all releases (2023 has a typing error in its header). */
export const addressColumns = {
  location: ['LOC_GUID'],
  unit: ['APT_NO_LABEL'],
  civic: ['CIVIC_NO'],
  suffix: ['CIVIC_NO_SUFFIX'],
  name: ['OFFICIAL_STREET_NAME'],
  type: ['OFFICIAL_STREET_TYPE'],
  direction: ['OFFICIAL_STREET_DIR'],
  province: ['PROV_CODE'],
  csdEnglish: ['CSD_ENG_NAME'],
  csdFrench: ['CSD_FRE_NAME'],
  mailName: ['MAIL_STREET_NAME'],
  mailType: ['MAIL_STREET_TYPE'],
  mailDirection: ['MAIL_STREET_DIR', 'MAIL_STEET_DIR'],
  municipality: ['MAIL_MUN_NAME'],
  postalCode: ['MAIL_POSTAL_CODE'],
} satisfies Columns<string>;

export type AddressField = keyof typeof addressColumns;

/** Columns that every release has. */
export const requiredAddressColumns: readonly AddressField[] = [
  'location',
  'civic',
  'name',
  'type',
  'direction',
  'csdEnglish',
  'municipality',
  'postalCode',
];

/** Location columns: the building's point and, since 2026, the point of its side of the street. */
export const locationColumns = {
  location: ['LOC_GUID'],
  csd: ['CSD_CODE'],
  lat: ['BG_LATITUDE', 'REPPOINT_LATITUDE'],
  lon: ['BG_LONGITUDE', 'REPPOINT_LONGITUDE'],
  blockfaceLat: ['BF_REPPOINT_LATITUDE'],
  blockfaceLon: ['BF_REPPOINT_LONGITUDE'],
} satisfies Columns<string>;

export type LocationField = keyof typeof locationColumns;

export const requiredLocationColumns: readonly LocationField[] = ['location', 'csd', 'lat', 'lon'];
