import { municipalityKey } from './municipality-name.ts';
import { tokenise } from './tokens.ts';

/**
 * Former municipalities, communities and everyday names by the census subdivision they belong to today, beside the mailing names
 * that the register itself attests. Sources: the amalgamations of 1970 to 2001 and the reference list of mailing places.
 */
export const formerMunicipalities: Readonly<Record<string, readonly string[]>> = {
  Toronto: [
    ...[
      'Old Toronto',
      'North York',
      'Scarborough',
      'Etobicoke',
      'York',
      'East York',
      'Weston',
      'Leaside',
      'Mimico',
      'Swansea',
      'Rexdale',
    ],
    ...['Agincourt', 'Downsview', 'Willowdale', 'Don Mills', 'Islington', 'New Toronto', 'Long Branch', 'West Hill'],
  ],
  Ottawa: [
    ...['Nepean', 'Orleans', 'Gloucester', 'Kanata', 'Stittsville', 'Vanier', 'Manotick', 'Greely', 'Carp', 'Richmond'],
    ...['Woodlawn', 'Cumberland', 'Rockcliffe', 'Rockcliffe Park', 'Osgoode', 'Metcalfe', 'Navan', 'Vars', 'Sarsfield'],
    ...[
      'Carlsbad Springs',
      'Edwards',
      'Kenmore',
      'Vernon',
      'Kars',
      'North Gower',
      'Munster',
      'Ashton',
      'Dunrobin',
      'Kinburn',
    ],
    ...['Fitzroy Harbour', 'West Carleton', 'Goulbourn', 'Rideau', 'Constance Bay'],
  ],
  Hamilton: [
    ...[
      'Stoney Creek',
      'Ancaster',
      'Dundas',
      'Waterdown',
      'Binbrook',
      'Mount Hope',
      'Hannon',
      'Flamborough',
      'Glanbrook',
    ],
    ...[
      'Carlisle',
      'Freelton',
      'Lynden',
      'Millgrove',
      'Rockton',
      'Troy',
      'Copetown',
      'Jerseyville',
      'Sheffield',
      'Greensville',
    ],
    ...['Winona', 'Fruitland'],
  ],
  'Greater Sudbury': [
    ...[
      'Sudbury',
      'Hanmer',
      'Chelmsford',
      'Garson',
      'Lively',
      'Val Caron',
      'Azilda',
      'Capreol',
      'Coniston',
      'Copper Cliff',
    ],
    ...[
      'Val Therese',
      'Blezard Valley',
      'Dowling',
      'Levack',
      'Onaping',
      'Naughton',
      'Whitefish',
      'Wahnapitae',
      'Skead',
    ],
    ...['Falconbridge', 'Nickel Centre', 'Onaping Falls', 'Rayside-Balfour', 'Valley East', 'Walden'],
  ],
  'Chatham-Kent': [
    ...['Chatham', 'Wallaceburg', 'Blenheim', 'Tilbury', 'Wheatley', 'Ridgetown', 'Dresden', 'Thamesville', 'Bothwell'],
    ...['Merlin', 'Pain Court'],
  ],
  'Kawartha Lakes': ['Lindsay', 'Fenelon Falls', 'Bobcaygeon', 'Kirkfield', 'Omemee', 'Little Britain'],
  'Norfolk County': ['Simcoe', 'Port Dover', 'Delhi', 'Waterford', 'Port Rowan'],
  'Haldimand County': ['Caledonia', 'Dunnville', 'Hagersville', 'Cayuga', 'Jarvis'],
  'Prince Edward County': ['Prince Edward', 'Picton', 'Wellington', 'Bloomfield'],
  'Quinte West': ['Trenton', 'Frankford'],
  'Greater Napanee': ['Napanee'],
  Brant: ['Paris', 'St. George', 'Burford', 'Brant County', 'County of Brant'],
  Clarington: ['Bowmanville', 'Courtice', 'Newcastle', 'Orono'],
  Vaughan: ['Woodbridge', 'Maple', 'Concord', 'Kleinburg', 'Thornhill'],
  Markham: ['Unionville', 'Thornhill', 'Milliken'],
  'Richmond Hill': ['Oak Ridges'],
  King: ['King City', 'Nobleton', 'Schomberg'],
  'East Gwillimbury': ['Holland Landing', 'Mount Albert', 'Sharon', 'Queensville'],
  Georgina: ['Keswick', 'Sutton', 'Sutton West', 'Pefferlaw'],
  'Whitchurch-Stouffville': ['Stouffville'],
  'Bradford West Gwillimbury': ['Bradford'],
  'New Tecumseth': ['Alliston', 'Tottenham', 'Beeton'],
  'Halton Hills': ['Georgetown', 'Acton'],
  Caledon: ['Bolton', 'Caledon East'],
  Mississauga: ['Streetsville', 'Port Credit', 'Malton'],
  Oakville: ['Bronte'],
  Cambridge: ['Galt', 'Preston', 'Hespeler'],
  Woolwich: ['Elmira', 'Breslau', 'St. Jacobs'],
  Wilmot: ['New Hamburg', 'Baden'],
  'Centre Wellington': ['Fergus', 'Elora'],
  Lincoln: ['Beamsville', 'Vineland'],
  Pelham: ['Fonthill', 'Fenwick'],
  'Fort Erie': ['Ridgeway', 'Stevensville', 'Crystal Beach'],
  Scugog: ['Port Perry'],
  Essa: ['Angus'],
  Lakeshore: ['Belle River'],
  'Strathroy-Caradoc': ['Strathroy', 'Mount Brydges'],
  'North Perth': ['Listowel'],
  'Saugeen Shores': ['Port Elgin', 'Southampton'],
  'North Grenville': ['Kemptville'],
  'Mississippi Mills': ['Almonte'],
  'Clarence-Rockland': ['Rockland', 'Clarence Creek'],
  'Trent Hills': ['Campbellford'],
  'Temiskaming Shores': ['New Liskeard', 'Haileybury'],
  'West Nipissing': ['Sturgeon Falls'],
  'Thunder Bay': ['Port Arthur', 'Fort William'],
  Kingston: ['Kingston Township', 'Pittsburgh Township'],
};

/** Key of a former municipality or community -> the municipalities it may be in: there is a Thornhill in Vaughan and in Markham. */
const citiesByPart = new Map<string, string[]>();
for (const [city, parts] of Object.entries(formerMunicipalities)) {
  for (const part of parts) {
    const key = municipalityKey(tokenise(part));
    citiesByPart.set(key, [...(citiesByPart.get(key) ?? []), city]);
  }
}

/** The municipalities of today that have a part of this name; none when the name is not known. */
export function citiesWithPart(key: string): readonly string[] {
  return citiesByPart.get(key) ?? [];
}
