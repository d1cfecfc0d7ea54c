import { municipalityKey } from './municipality-name.ts';
import { tokenise } from './tokens.ts';

/**
 * Counties, regions and districts with the municipalities in them, including those that are separated from their
 * county's government. Source: the list of Ontario's municipalities (Association of Municipalities of Ontario, 2026).
 * For the northern districts it has the cities and towns but not the smaller townships, so a missing name may still be
 * a municipality.
 */
const upperTierMunicipalities: Readonly<Record<string, string>> = {
  ALGOMA: 'Elliot Lake, Sault Ste. Marie, Huron Shores, Blind River, Bruce Mines, Thessalon',
  BRANT: 'Brant, Brantford',
  BRUCE:
    'Arran-Elderslie, Brockton, Kincardine, Northern Bruce Peninsula, South Bruce, Saugeen Shores, South Bruce Peninsula, ' +
    'Huron-Kinloss',
  COCHRANE: 'Timmins, Cochrane, Hearst, Iroquois Falls, Kapuskasing, Moosonee, Smooth Rock Falls',
  DUFFERIN: 'Grand Valley, Mono, Orangeville, Shelburne, Amaranth, East Garafraxa, Melancthon, Mulmur',
  DURHAM: 'Oshawa, Pickering, Clarington, Ajax, Whitby, Brock, Scugog, Uxbridge',
  ELGIN: 'St. Thomas, Bayham, Central Elgin, Dutton/Dunwich, West Elgin, Aylmer, Malahide, Southwold',
  ESSEX: 'Windsor, Leamington, Amherstburg, Essex, Kingsville, Lakeshore, LaSalle, Tecumseh, Pelee',
  FRONTENAC: 'Kingston, Central Frontenac, Frontenac Islands, North Frontenac, South Frontenac',
  GREY:
    'Owen Sound, The Blue Mountains, Hanover, Meaford, Chatsworth, Georgian Bluffs, Grey Highlands, Southgate, ' +
    'West Grey',
  HALDIMAND: 'Haldimand County',
  HALIBURTON: 'Algonquin Highlands, Dysart et al, Highlands East, Minden Hills',
  HALTON: 'Burlington, Halton Hills, Milton, Oakville',
  HASTINGS:
    'Belleville, Quinte West, Centre Hastings, Hastings Highlands, Marmora and Lake, Tweed, Bancroft, Deseronto, ' +
    'Carlow/Mayo, Faraday, Limerick, Madoc, Stirling-Rawdon, Tudor and Cashel, Tyendinaga, Wollaston',
  HURON:
    'Bluewater, Central Huron, Huron East, Morris-Turnberry, South Huron, Goderich, Ashfield-Colborne-Wawanosh, Howick, ' +
    'North Huron',
  KENORA: 'Dryden, Kenora, Red Lake, Sioux Lookout',
  KENT: 'Chatham-Kent',
  LAMBTON:
    'Sarnia, Lambton Shores, Petrolia, Brooke-Alvinston, Dawn-Euphemia, Enniskillen, Plympton-Wyoming, St. Clair, ' +
    'Warwick, Oil Springs, Point Edward',
  LANARK:
    'Smiths Falls, Mississippi Mills, Carleton Place, Perth, Beckwith, Drummond/North Elmsley, Lanark Highlands, ' +
    'Montague, Tay Valley',
  'LEEDS AND GRENVILLE':
    'Brockville, Gananoque, Prescott, North Grenville, Athens, Augusta, Edwardsburgh/Cardinal, Elizabethtown-Kitley, ' +
    'Leeds and the Thousand Islands, Front of Yonge, Rideau Lakes, Merrickville-Wolford, Westport',
  'LENNOX AND ADDINGTON': 'Greater Napanee, Addington Highlands, Loyalist, Stone Mills',
  MANITOULIN: 'Gore Bay, Northeastern Manitoulin and the Islands',
  MIDDLESEX:
    'London, North Middlesex, Southwest Middlesex, Thames Centre, Adelaide Metcalfe, Lucan Biddulph, Middlesex Centre, ' +
    'Strathroy-Caradoc, Newbury',
  MUSKOKA: 'Bracebridge, Gravenhurst, Huntsville, Georgian Bay, Lake of Bays, Muskoka Lakes',
  NIAGARA:
    'Niagara Falls, Port Colborne, St. Catharines, Thorold, Welland, Fort Erie, Grimsby, Lincoln, Niagara-on-the-Lake, ' +
    'Pelham, Wainfleet, West Lincoln',
  NIPISSING: 'North Bay, Temagami, West Nipissing, Mattawa',
  NORFOLK: 'Norfolk County',
  NORTHUMBERLAND: 'Brighton, Cobourg, Port Hope, Trent Hills, Alnwick/Haldimand, Cramahe, Hamilton Township',
  OXFORD:
    'Woodstock, Ingersoll, Tillsonburg, Blandford-Blenheim, East Zorra-Tavistock, Norwich, South-West Oxford, Zorra',
  'PARRY SOUND': 'Callander, Magnetawan, Powassan, Whitestone, Kearney, Parry Sound',
  PEEL: 'Brampton, Mississauga, Caledon',
  PERTH: 'Stratford, North Perth, St. Marys, Perth East, Perth South, West Perth',
  PETERBOROUGH:
    'Peterborough, Asphodel-Norwood, Cavan Monaghan, Douro-Dummer, Havelock-Belmont-Methuen, North Kawartha, ' +
    'Otonabee-South Monaghan, Selwyn, Trent Lakes',
  'PRESCOTT AND RUSSELL':
    'Clarence-Rockland, Casselman, The Nation, Hawkesbury, Alfred and Plantagenet, Champlain, East Hawkesbury, Russell',
  'PRINCE EDWARD': 'Prince Edward County',
  'RAINY RIVER': 'Fort Frances, Rainy River',
  RENFREW:
    'Pembroke, Arnprior, Deep River, Laurentian Hills, Petawawa, Renfrew, Admaston/Bromley, Bonnechere Valley, ' +
    'Brudenell Lyndoch and Raglan, Greater Madawaska, Horton, Killaloe Hagarty and Richards, Laurentian Valley, ' +
    'Madawaska Valley, McNab/Braeside, North Algona Wilberforce, Whitewater Region, Head Clara and Maria',
  SIMCOE:
    'Barrie, Orillia, Bradford West Gwillimbury, Collingwood, Innisfil, Midland, New Tecumseth, Penetanguishene, ' +
    'Wasaga Beach, Adjala-Tosorontio, Clearview, Essa, Oro-Medonte, Ramara, Severn, Springwater, Tay, Tiny',
  'STORMONT DUNDAS AND GLENGARRY':
    'Cornwall, South Dundas, North Dundas, North Glengarry, North Stormont, South Glengarry, South Stormont',
  // Greater Sudbury is a separate division, but some services put it in the surrounding district.
  SUDBURY: 'Greater Sudbury, Espanola, French River, Killarney, Markstay-Warren, St. Charles',
  'THUNDER BAY': 'Thunder Bay, Greenstone, Neebing, Oliver Paipoonge, Marathon',
  TIMISKAMING: 'Temiskaming Shores, Kirkland Lake, Cobalt, Englehart, Latchford',
  VICTORIA: 'Kawartha Lakes',
  WATERLOO: 'Cambridge, Kitchener, Waterloo, North Dumfries, Wellesley, Wilmot, Woolwich',
  WELLINGTON: 'Guelph, Erin, Minto, Centre Wellington, Guelph/Eramosa, Mapleton, Puslinch, Wellington North',
  YORK: 'Markham, Richmond Hill, Vaughan, Aurora, East Gwillimbury, Georgina, Newmarket, Whitchurch-Stouffville, King',
};

/** Census divisions without a county or region: they are one municipality, or were until 2001. */
const singleTierDivisions: Readonly<Record<string, string>> = {
  TORONTO: 'Toronto',
  'METROPOLITAN TORONTO': 'Toronto',
  HAMILTON: 'Hamilton',
  'HAMILTON WENTWORTH': 'Hamilton',
  OTTAWA: 'Ottawa',
  'OTTAWA CARLETON': 'Ottawa',
  'GREATER SUDBURY': 'Greater Sudbury',
  'CHATHAM KENT': 'Chatham-Kent',
  'KAWARTHA LAKES': 'Kawartha Lakes',
  'HALDIMAND NORFOLK': 'Haldimand County, Norfolk County',
};

/** Name of a county, region or census division, in upper case -> the municipalities in it. */
const divisions: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ ...upperTierMunicipalities, ...singleTierDivisions }).map(([name, list]) => [
    name,
    list.split(', '),
  ]),
);

/** Key of a municipality -> the divisions that it is in. */
const divisionsByKey = new Map<string, Set<string>>();
for (const [division, municipalities] of divisions) {
  for (const name of municipalities) {
    const key = municipalityKey(tokenise(name));
    divisionsByKey.set(key, (divisionsByKey.get(key) ?? new Set()).add(division));
  }
}

/**
 * "York Region", "Regional Municipality of Waterloo", "Toronto Division" and the names alone: returns the division's
 * name; null for anything else.
 */
export function divisionOf(name: string): string | null {
  const text = tokenise(name).join(' ');
  const bare = text
    .replace(/^(?:CITY|REGION|COUNTY|DISTRICT|(?:(?:REGIONAL|DISTRICT) )?MUNICIPALITY|UNITED COUNTIES) OF /, '')
    .replace(/ (?:REGION|COUNTY|DISTRICT|DIVISION|(?:REGIONAL|DISTRICT) MUNICIPALITY|UNITED COUNTIES)$/, '');
  return divisions.has(bare) ? bare : null;
}

/**
 * Returns the municipality of a division that is one municipality; null for a division with several, such as every
 * county and region with its own council.
 */
export function municipalityOfDivision(division: string): string | null {
  const [only = null, ...others] = divisions.get(division) ?? [];
  return others.length === 0 ? only : null;
}

/** Returns the divisions that have a municipality of this name; null when no municipality of this name is known. */
export function divisionsOfMunicipality(key: string): ReadonlySet<string> | null {
  return divisionsByKey.get(key) ?? null;
}
