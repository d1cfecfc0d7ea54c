/**
 * Words of an address that say nothing about its place. Each is left out for a reason of its own: a label, a number's
 * label, a building's name, a remark. A word that fits nowhere is not noise; the reading then fails.
 */
import { direction } from './directions.ts';
import { isNumberedRoadType, streetType } from './street-types.ts';

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words before a civic number that say what it is: "Civic # 636", "House No. 12". */
const numberLabels = set('CIVIC HOUSE NO NUMBER NUM NUMERO ADDRESS #');

/** Words that number things which are no civic addresses: "Hangar 5", "Fire Station No. 5", "Pt Lt 12". */
const countingWords = set(`
  BAY BERTH BLK BLOCK BRANCH BUILDING BLDG CABIN CAMP CHALET CON CONC CONCESSION COTTAGE DEPOT DOCK DOOR ENTRANCE EXIT FIRE FLOOR GATE HALL HANGAR HOLE
  KM LANDING LEGION LEVEL LOCAL LOCK LOCKER LOT LOTS LT MILE PAD PARCEL PART PAVILION PHASE PIER PLAN PLATFORM PORTABLE POLE PT PUMP RANGE ROOM SCHOOL SECTION
  SHED SITE SLIP SQUADRON STALL STATION STOP STORE SUITE TERMINAL TOWER TRACT TRAILER UNIT WARD WELL WHARF ZONE`);

/** Last words of the names of buildings, companies and offices. Behind a street, only this list tells one from a misspelt town, which must count. */
const buildingWords = set(`
  ACADEMY AIRPORT APARTMENTS APTS ARENA BANK BAR BUILD BUILDING BLDG CAFE CENTER CENTRE CTR CHURCH CLINIC CLUB COLLEGE COMPLEX CONDOMINIUM CONDOMINIUMS CONDOS CORP
  CORPORATION COURTHOUSE DAYCARE DOOR ENTRANCE FARM FARMS GALLERY GARAGE GRILL HALL HOME HOMES HOSPITAL HOTEL HOUSE INC INN LEGION LIBRARY LIMITED LODGE LTD MALL
  MANOR MARINA MARKET MOTEL MUSEUM OFFICE OFFICES PHARMACY PLAZA PUB RESIDENCE RESTAURANT SCHOOL SHOP STADIUM STATION STORE SYNAGOGUE TEMPLE TERMINAL THEATRE
  TOWER TOWERS UNIVERSITY VILLAS WAREHOUSE`);

/** First words of a remark: "(near King St)", "c/o Grace Baptist", "across from the park", "(vacant lot)", "and adjacent lands". */
const remark =
  /^(?:BACK$|VACANT|PROPOSED|AND (?:THE )?ADJ[A-Z]*|AT|CORNER|COIN|NEAR|BESIDE|BEHIND|OPPOSITE|ACROSS|BETWEEN|OFF|FORMERLY|AKA|ATTN|ATTENTION|CARE|C O|ENTRANCE|PARKING|BUZZER|BUZZ)\b/;

/** What a part of a town is called by that has no name: "Old East", "Downtown", "City Centre", "Ward 3". */
const partsOfTowns = set('CENTRAL CENTRE CENTER CORE DOWNTOWN UPTOWN MIDTOWN OLD END INNER OUTER WARD CITY TOWN');

/** Says whether words name a part of a town by its side or its age. A side alone may be that of the street. */
export function isPartOfTown(part: readonly string[]): boolean {
  const isOne = (word: string, i: number): boolean =>
    partsOfTowns.has(word) || direction(word) !== null || (/^\d{1,2}$/.test(word) && part[i - 1] === 'WARD');
  return part.every(isOne) && part.some((word) => partsOfTowns.has(word));
}

/** Types that make a part of an address a street and nothing else: "Queen St, 100 Bay St" names two. */
const streetsOnly = set('ST AVE RD DR BLVD CRES HWY LANE PKY SIDERD CONC RTE RUE CH');

/**
 * Counts the label words before a number: "CIVIC # 636 ..." has two. None when no number follows, and none in
 * "# 5 - 123 ...", where the sign is that of a unit.
 */
export function labelLength(words: readonly string[]): number {
  let at = 0;
  while (numberLabels.has(words[at] ?? '')) at++;
  if (at === 1 && words[0] === '#' && !/^\p{L}/u.test(words[2] ?? '')) return 0;
  return /^\d/.test(words[at] ?? '') ? at : 0;
}

export function isCountingWord(word: string): boolean {
  return countingWords.has(word);
}

/** Says whether each number of some words is that of a thing: "FIRE STATION NO 5". */
function numbersAreLabelled(words: readonly string[]): boolean {
  return words.every((word, i) => {
    if (!/\d/.test(word)) return true;
    let before = i - 1;
    while (numberLabels.has(words[before] ?? '')) before--;
    return isCountingWord(words[before] ?? '');
  });
}

/** Says whether a part in front of the civic number, ended by a comma, is a name of a building, or of somebody, whatever it holds. */
export function isNameInFront(part: readonly string[]): boolean {
  if (remark.test(part.join(' '))) return true;
  const type = part.length > 1 ? streetType(part.at(-1)!) : null;
  return !namesStreet(part) && (type === null || !streetsOnly.has(type));
}

/** "London Rd 453", "Queen St W", "Hwy 7": a street and nothing else, perhaps with its number. */
function namesStreet(part: readonly string[]): boolean {
  return part.some((word, at) => {
    const type = streetType(word);
    const next = part[at + 1] ?? '0';
    if (type === null || !(/^\d/.test(next) || direction(next) !== null)) return false;
    // "8th Line".
    if (at === 1 && part.length === 2 && /^\d/.test(part[0]!) && isNumberedRoadType(type)) return true;
    return at === 0 ? part.length === 2 && isNumberedRoadType(type) : streetsOnly.has(type);
  });
}

/** Words between two numbers: "845 to 847", "12 et 14". The last is the French "à". Any other word between numbers belongs to a name. */
export const joiningWords = set('TO THROUGH THRU AND ET A OR OU');

/** Says whether a part that begins with a number may be a name, when a whole address follows: "7-Eleven, 619 …". "845 to, 847 …" goes on. */
export function mayBeNumberedName(part: readonly string[]): boolean {
  return (
    part.length > 1 &&
    part.some((word) => /^\p{L}{2}/u.test(word) && !joiningWords.has(word)) &&
    isNameInFront(part) &&
    !namesStreet(part.slice(1))
  );
}

/** Says whether words end in a street's type that is no word for a building: "226 Alwington Pl", "17 Elm Court S". */
export function endsAsStreet(part: readonly string[]): boolean {
  const last = direction(part.at(-1)!) === null ? part.length - 1 : part.length - 2;
  return last > 1 && streetType(part[last]!) !== null && !buildingWords.has(part[last]!);
}

/** "1234567 Ontario Inc." is a company with a number for a name. */
export function isCompany(part: readonly string[]): boolean {
  return part.length > 1 && /^(?:INC|LTD|LIMITED|LTEE|CORP|CORPORATION)$/.test(part.at(-1)!);
}

/** Says whether words directly before a civic number are the name of a building: "City Hall 100 ...". */
export function endsAsBuilding(words: readonly string[]): boolean {
  return buildingWords.has(words.at(-1) ?? '') && !words.some((word) => /\d/.test(word));
}

/** "Pavilion 3", "Hangar 5". "Concession 5" is a road. */
function isNumberedThing([word = '', number = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && /^\d/.test(number) && isCountingWord(word) && streetType(word) === null;
}

/** Says whether a part behind the street is the name of a building, or a remark. */
export function isRemark(part: readonly string[]): boolean {
  if (remark.test(part.join(' ')) || isNumberedThing(part)) return true;
  return buildingWords.has(part.at(-1)!) && !namesStreet(part) && (!/^\d/.test(part[0]!) || numbersAreLabelled(part));
}
