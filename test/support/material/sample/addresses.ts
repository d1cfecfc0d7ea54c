/** The sample's addresses in the layout of the National Address Register, release 2026-06. */
import { createHash } from 'node:crypto';
import { gdal } from '../../../../workers/geopackage/gdal.ts';
import type { LonLat } from './frame.ts';
import { streets, type Place, type Street } from './places.ts';

const addressHeader =
  'LOC_GUID,ADDR_GUID,APT_NO_LABEL,CIVIC_NO,CIVIC_NO_SUFFIX,OFFICIAL_STREET_NAME,OFFICIAL_STREET_TYPE,OFFICIAL_STREET_DIR,PROV_CODE,CSD_ENG_NAME,CSD_FRE_NAME,CSD_TYPE_ENG_CODE,CSD_TYPE_FRE_CODE,MAIL_STREET_NAME,MAIL_STREET_TYPE,MAIL_STREET_DIR,MAIL_MUN_NAME,MAIL_PROV_ABVN,MAIL_POSTAL_CODE,BG_DLS_LSD,BG_DLS_QTR,BG_DLS_SCTN,BG_DLS_TWNSHP,BG_DLS_RNG,BG_DLS_MRD,BG_X,BG_Y,BF_REPPOINT_X,BF_REPPOINT_Y,BU_N_CIVIC_ADD,BU_USE';
const locationHeader =
  'LOC_GUID,CSD_CODE,FED_CODE,FED_ENG_NAME,FED_FRE_NAME,ER_CODE,ER_ENG_NAME,ER_FRE_NAME,BG_LATITUDE,BG_LONGITUDE,BF_REPPOINT_LATITUDE,BF_REPPOINT_LONGITUDE';

/** One door: a location of the register with its units. */
interface Civic {
  readonly street: Street;
  readonly number: number;
  readonly suffix: string;
  readonly units: readonly string[];
  /** Null where the register knows the side of the street only. */
  readonly door: LonLat | null;
  readonly blockface: LonLat;
}

/** File name -> text, with byte order mark and CRLF like the register's own files. */
export function addressFiles(): Record<string, string> {
  const civics = streets.flatMap(civicsOf);
  return {
    'Addresses/Address_35.csv': csv(addressHeader, civics.flatMap(addressRows)),
    'Locations/Location_35.csv': csv(locationHeader, civics.map(locationRow)),
  };
}

function civicsOf(street: Street): Civic[] {
  const { place, from, heading, stations, setback } = street;
  return stations.map((station, i): Civic => {
    const number = street.firstCivic + 3 * i;
    const side = number % 2 === 0 ? setback : -setback;
    const along = [from[0] + heading[0] * station, from[1] + heading[1] * station] as const;
    const door = place.board.at([along[0] - heading[1] * side, along[1] + heading[0] * side]);
    return {
      street,
      number,
      suffix: street.suffixes?.[i] ?? '',
      units: street.units?.[number] ?? [''],
      door: street.blockfaceOnly === true && i % 3 === 0 ? null : door,
      blockface: place.board.at([along[0] + heading[0] * 25, along[1] + heading[1] * 25]),
    };
  });
}

function addressRows(civic: Civic): string[][] {
  const { street, number, suffix } = civic;
  const { name, type, direction = '', place } = street;
  return civic.units.map((unit) => [
    locationId(civic),
    guid(`${locationId(civic)} ${unit}`),
    unit,
    String(number),
    suffix,
    name,
    type,
    direction,
    '35',
    place.csd.name,
    place.csd.french ?? place.csd.name,
    place.csd.type,
    place.csd.type,
    name.toUpperCase(),
    type,
    direction,
    place.mail,
    'ON',
    street.withoutPostalCode === true ? '' : postalCode(place, name),
    ...['', '', '', '', '', ''],
    ...(civic.door ? lambert(civic.door) : ['', '']),
    ...lambert(civic.blockface),
    '',
    '1',
  ]);
}

function locationRow(civic: Civic): string[] {
  const [lon = '', lat = ''] = civic.door?.map((degrees) => degrees.toFixed(6)) ?? [];
  const [sideLon, sideLat] = civic.blockface.map((degrees) => degrees.toFixed(6));
  return [locationId(civic), civic.street.place.csd.code, '', '', '', '', '', '', lat, lon, sideLat!, sideLon!];
}

function locationId({ street, number, suffix }: Civic): string {
  return guid([street.place.csd.code, street.name, street.type, street.direction ?? '', number, suffix].join(' '));
}

/** A made-up local delivery unit that belongs to the street. */
function postalCode({ fsa }: Place, street: string): string {
  const hash = createHash('sha256').update(`${fsa} ${street}`).digest();
  const letters = 'ABCEGHJKLMNPRSTVWXYZ';
  return `${fsa}${hash[0]! % 10}${letters[hash[1]! % letters.length]!}${hash[2]! % 10}`;
}

/** The layout of a UUID, made from a hash. */
function guid(text: string): string {
  const hex = createHash('sha256').update(`land-lookup sample ${text}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Both sides in NAD83: the projection alone, without a datum shift that depends on the grids of a machine. */
const toLambert = new gdal.CoordinateTransformation(
  gdal.SpatialReference.fromProj4('+proj=longlat +datum=NAD83 +no_defs'),
  gdal.SpatialReference.fromEPSG(3347),
);

/** Metres in EPSG:3347, as the register gives them. */
function lambert([lon, lat]: LonLat): string[] {
  const { x, y } = toLambert.transformPoint(lon, lat);
  return [x.toFixed(2), y.toFixed(2)];
}

function csv(header: string, rows: readonly (readonly string[])[]): string {
  const quote = (cell: string): string => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return `\uFEFF${[header, ...rows.map((row) => row.map(quote).join(','))].join('\r\n')}\r\n`;
}
