import { expect } from 'chai';
import type { Gazetteer } from '../../workers/engine/gazetteer/open.ts';
import type { GeocodeResult } from '../../src/messages/lookup.ts';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import { imported, type ImportedRegister } from '../support/material/small-gazetteer.ts';
import { smallRegister, type RegisterRow } from '../support/material/small-register.ts';

describe('the gazetteer', () => {
  let register: ImportedRegister;
  let gazetteer: Gazetteer;
  before(async () => {
    register = await imported(smallRegister);
    gazetteer = openGazetteer(register.dataset);
  });
  after(() => {
    register[Symbol.dispose]();
  });

  const said = (result: GeocodeResult): string => ('found' in result ? result.found.address : result.refused.reason);

  const princessStreet = '123 Princess St, Kingston, ON K7L 1A1, Canada';
  const queenStreet = '100 Queen St W, Toronto, ON M5H 2N2, Canada';

  const spellings: Record<string, string> = {
    '100 Queen St W, Toronto': queenStreet,
    '100 QUEEN STREET WEST TORONTO ONTARIO CANADA': queenStreet,
    '100 queen st. w., toronto, ont. m5h2n2': queenStreet,
    '100 Queen West, Toronto M5H-2N2': queenStreet,
    '100, rue Queen Ouest, Toronto (Ontario)': queenStreet,
    '100 Queen St W, City of Toronto, ON': queenStreet,
    '100 Queen St W, Toronto, Ontario, ON M5H 2N1': '100 Queen St W, Toronto, ON M5H 2N1, Canada',
    '100 Queen St W, Toronto M5H 2NI': '100 Queen St W, Toronto, ON M5H 2N1, Canada',
    'Suite 800-100 Queen St W, Toronto': '800-100 Queen St W, Toronto, ON M5H 2N2, Canada',
    'Apt 1, 100 Queen St W, Toronto': '1-100 Queen St W, Toronto, ON M5H 2N1, Canada',
    '100 Queen St W #1, Toronto': '1-100 Queen St W, Toronto, ON M5H 2N1, Canada',
    'bsmt-123 Princess, Kingston': 'BSMT-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '2-123 Princess St., Kingston': '2-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '2 - 123 Princess St Kingston': '2-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '125a Princess St, Kingston': '125A Princess St, Kingston, ON K7L 1A1, Canada',
    '12½ John St, Kingston': '12 1/2 John St, Kingston, ON, Canada',
    '100 Queen St W, Old Toronto': queenStreet,
    '28 Nelson St, Scarborough': '28 Nelson St, Scarborough, ON M1J 2V3, Canada',
    '28 Nelson St, Toronto M1J 2V3': '28 Nelson St, Scarborough, ON M1J 2V3, Canada',
    '1123 Leslie St, Toronto': '1123 Leslie St, North York, ON M3C 2K5, Canada',
    '399 West Mall, Etobicoke': '399 The West Mall, Etobicoke, ON M9C 2Y2, Canada',
    '12 King St East, York': '12 King St E, York, ON, Canada',
    '300 rue Rideau, Ottawa': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '50 OConnor, Ottawa': "50 O'Connor St, Ottawa, ON K1P 6L2, Canada",
    '239 Temby Private Ottawa': '239 Temby Pvt, Ottawa, ON K1T 0B9, Canada',
    '5432 Hwy #7, Ottawa': '5432 Highway 7, Ottawa, ON, Canada',
    "5432 King's Highway 7, Ottawa": '5432 Highway 7, Ottawa, ON, Canada',
    '200 Conc 4, Kingston': '200 Concession 4, Kingston, ON, Canada',
    '200 Concession Road 4, Kingston': '200 Concession 4, Kingston, ON, Canada',
    '15 Fifth Line, Kingston': '15 5th Line, Kingston, ON, Canada',
    '15 Line 5, Kingston': '15 5th Line, Kingston, ON, Canada',
    '77 Lakeshore Boulevard, Kingston': '77 Lake Shore Blvd, Kingston, ON, Canada',
    '10 Saint Clair Ave W, Kingston': '10 St. Clair Ave W, Kingston, ON, Canada',
    '123 Ninth Avenue East, Owen Sound': '123 9th Ave E, Owen Sound, ON N4K 3E5, Canada',
    '40 Queensway, Owen Sound': '40 The Queensway, Owen Sound, ON, Canada',
    '40 Queen St, Owen Sound': '40 The Queensway, Owen Sound, ON, Canada',
    '1545 Maley Dr, Grand Sudbury': '1545 Maley Dr, Sudbury, ON P3A 4R7, Canada',
    '284 Geneva Street, Unit 5, St. Catharines, Ont. L2N2E8': '5-284 Geneva St, St. Catharines, ON L2N 2E8, Canada',
    'R.R.#4 RR 4 300 Rideau St, Ottawa': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '300 Rideau St PO Box 70, Ottawa': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '121/2 John St, Kingston': '12 1/2 John St, Kingston, ON, Canada',
    '123.0 Princess St, Kingston': '123 Princess St, Kingston, ON K7L 1A1, Canada',
    '300 rue Rideau, 2e étage, Ottawa': 'FL 2-300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '2e étage, 300 rue Rideau, Ottawa': 'FL 2-300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '300 Rideau St, Ottawa, ON - 2nd Fl': 'FL 2-300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '123 Princess St, sous-sol, Kingston': 'BSMT-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '300 Rideau St, Lower Unit, Ottawa': 'LOWER-300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '300 Rideau St, Ottawa, ON K1N 5Y4, Canada K1N 5Y4': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '123 Princess St, Kingston (Old East), ON': princessStreet,
    '123 Princess St, Kingston (Downtown)': princessStreet,
    '123 Princess St, Kingston, Ward 3, ON': princessStreet,
    '123 Princess St in Kingston, Ontario': princessStreet,
    'Kingston, ON - 123 Princess St': princessStreet,
    'Fire No. 123 Princess St, Kingston': princessStreet,
    'N° 123 Princess St, Kingston': princessStreet,
    'Emergency # 123 Princess St, Kingston': princessStreet,
    'Located at 123 Princess St, Kingston': princessStreet,
    'The subject property at 123 Princess St, Kingston': princessStreet,
    '123 Princess St, Kingston, Postal Code: K7L 1A1': princessStreet,
    '123 Princess St, Kingston, ON K 7 L 1 A 1': princessStreet,
    '123 Princess St<br>Kingston, ON': princessStreet,
    '123%20Princess%20St,%20Kingston': princessStreet,
    'File B-12/24: 123 Princess St, Kingston': princessStreet,
    '123 Princess St, Kingston (File No. D12-003)': princessStreet,
    '123 Princess St, Plan 13M-123 Lots 1-5, Kingston': princessStreet,
    'Part Lot 5, Registered Plan 1234, 123 Princess St, Kingston': princessStreet,
    '123 Princess St (vacant lot), Kingston': princessStreet,
    '123 Princess St, Kingston (and adjacent lands)': princessStreet,
    'Rear of 123 Princess St, Kingston': 'REAR-123 Princess St, Kingston, ON K7L 1A1, Canada',
    'R/O No. 123 Princess St, Kingston': 'REAR-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '123 Princess St, Units A & B, Kingston': 'A-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '123 Princess St Units 5 and 6, Kingston': '5-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '123 Princess St, Suite 100-200, Kingston': '100-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '123 Princess St U5, Kingston': '5-123 Princess St, Kingston, ON K7L 1A1, Canada',
    '5432 Highway Seven, Ottawa': '5432 Highway 7, Ottawa, ON, Canada',
    '5432 Hiwy 7, Ottawa': '5432 Highway 7, Ottawa, ON, Canada',
    '5432 Highwy 7, Ottawa': '5432 Highway 7, Ottawa, ON, Canada',
    '5432 Hwy.7, Ottawa': '5432 Highway 7, Ottawa, ON, Canada',
    '5432 ON 7, Ottawa': '5432 Highway 7, Ottawa, ON, Canada',
    '5432 Ont. Hwy. 7, Ottawa': '5432 Highway 7, Ottawa, ON, Canada',
    '5432 Secondary Highway 7, Ottawa': '5432 Highway 7, Ottawa, ON, Canada',
    '200 Concession Four, Kingston': '200 Concession 4, Kingston, ON, Canada',
    '15 Line Five, Kingston': '15 5th Line, Kingston, ON, Canada',
    'Situé au 300, rue Rideau, Ottawa': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    'au 300, rue Rideau, Ottawa': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    "À l'arrière du 300, rue Rideau, Ottawa": 'REAR-300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '300, rue Rideau (coin Sussex), Ottawa': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '300 rue Rideau / Rideau St, Ottawa': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
    '300 Rideau St, rue Rideau, Ottawa': '300 Rideau St, Ottawa, ON K1N 5Y4, Canada',
  };
  for (const [written, canonical] of Object.entries(spellings)) {
    it(`reads "${written}"`, () => {
      expect(said(gazetteer.geocode(written))).to.equal(canonical);
    });
  }

  const refusals: Record<string, string> = {
    '330 Spadina Rd, Toronto': 'CIVIC_NOT_ON_STREET',
    '28 Nelson St, Toronto': 'AMBIGUOUS',
    '123 Princess St, Stormont Dundas and Glengarry': 'MUNICIPALITY_NOT_FOUND',
    'Toronto, Ontario, 99 Queen St W': 'CIVIC_NOT_ON_STREET',
    '101 Queen St W, Toronto': 'CIVIC_NOT_ON_STREET',
    // The letter may be the digit of 1000 and 1001.
    '100O Queen St W, Toronto': 'CIVIC_NOT_ON_STREET',
    '100I Queen St W, Toronto': 'CIVIC_NOT_ON_STREET',
    '100 Queen St W, Toronto, ON M5H 2N2, M5V 3L9': 'LOW_CONFIDENCE',
    '100 Kwizzelford St, Toronto': 'STREET_NOT_FOUND',
    '300 Rideau St, Kingston': 'STREET_NOT_FOUND',
    '100 Queen St W': 'MUNICIPALITY_REQUIRED',
    'Queen St W, Toronto': 'CIVIC_NUMBER_REQUIRED',
    Toronto: 'CIVIC_NUMBER_REQUIRED',
    'M5H 2N2': 'CIVIC_NUMBER_REQUIRED',
    ',,,': 'CIVIC_NUMBER_REQUIRED',
    'PO Box 40, Toronto': 'NON_CIVIC_ADDRESS',
    'CP 2339, Ottawa': 'NON_CIVIC_ADDRESS',
    'RR 2 Site 12 Comp 4, Kingston, ON': 'NON_CIVIC_ADDRESS',
    'GD, Kingston, ON': 'NON_CIVIC_ADDRESS',
    'Queen St W & Bay St, Toronto': 'INTERSECTION',
    'corner of Rideau St and Sussex Dr, Ottawa': 'INTERSECTION',
    // What lies beside a house is another place.
    'Behind 123 Princess St, Kingston': 'LOW_CONFIDENCE',
    'Next to 123 Princess St, Kingston': 'LOW_CONFIDENCE',
    'Vacant lot beside 123 Princess St, Kingston': 'LOW_CONFIDENCE',
    // The east may be the street's.
    '100 Queen St, Toronto (Old East)': 'LOW_CONFIDENCE',
    '123 Princess St, Kingston (East)': 'LOW_CONFIDENCE',
    '8th Line, 123 Princess St, Kingston': 'CIVIC_NUMBER_REQUIRED',
    '300 Rideau St / Sussex Dr, Ottawa': 'LOW_CONFIDENCE',
    '300 Rideau St, Rideau Rd, Ottawa': 'LOW_CONFIDENCE',
    'Coin Rideau et Sussex, Ottawa': 'INTERSECTION',
    'Lot 5 Plan 1234, Kingston': 'NON_CIVIC_ADDRESS',
    '123 Princess St <Ottawa>': 'STREET_NOT_FOUND',
    '100 Queen St W, Montréal': 'OUT_OF_AREA',
    '33 Hunters Gate Okotoks AB T1S2A4': 'OUT_OF_AREA',
    '2 Woodward Ave, Detroit, MI 48226': 'OUT_OF_AREA',
    '100 Queen St W, Toronto, ON H2X 1A1': 'OUT_OF_AREA',
  };
  for (const [written, reason] of Object.entries(refusals)) {
    it(`refuses "${written}": ${reason}`, () => {
      expect(said(gazetteer.geocode(written))).to.equal(reason);
    });
  }

  it('says what differs and what it costs', () => {
    const result = gazetteer.geocode('1123 Leslie, Toronto, ON M3C 9Z9');
    expect(result).to.have.nested.property('found.score', 0.94);
    expect('found' in result && result.found.faults.map(({ code }) => code)).to.deep.equal([
      'MUNICIPALITY_TODAY',
      'TYPE_MISSING',
      'POSTAL_CODE_DIFFERS',
    ]);
  });

  it('shows how else the words could be read', () => {
    const result = gazetteer.geocode('123 to 125 Princess St, Kingston');
    expect('found' in result && result.found.readings).to.deep.equal([
      { read: 'number 123, PRINCESS ST, KINGSTON', address: '123 Princess St, Kingston, ON K7L 1A1, Canada' },
      { read: 'number 125, PRINCESS ST, KINGSTON', address: '125A Princess St, Kingston, ON K7L 1A1, Canada' },
    ]);
    expect(gazetteer.geocode('100 Queen St W, Toronto')).not.to.have.nested.property('found.readings');
  });

  it('reads labels as people paste them', () => {
    for (const written of [
      '100 Queen St W\nToronto ON\tM5H 2N2',
      'Civic # 100 Queen St W, Toronto, CAN',
      '100 Queen St W (near Bay St), Toronto, tel. 416-555-0199',
      'Toronto, 100 Queen St W',
      '100 Queen\u200b St\u00ad W, Toronto',
      '\u0661\u0660\u0660 Queen St W, Toronto',
      '100 Queen St W, 100 Queen St W, Toronto',
      '100 Queen St W, Toronto, (416) 555-0199 ext. 12, clerk@city.example, www.city.example/clerk',
      'Premises municipally known as 100 Queen Street West, in the City of Toronto, in the Province of Ontario',
      '100, rue Queen Ouest, dans la ville de Toronto, province de l’Ontario',
      '100 Queen St W, Toronto (ROLL# 1904062470001000000)',
      'Roll No. 19 04 062 470 00100 0000, 100 Queen St W, Toronto, ON',
      '190406247000100 100 Queen St W, Toronto',
      'ARN 1904-062-470-00100-0000 100 Queen St W, Toronto',
      '100 Queen St W, Toronto, PIN 21402-0123 (LT)',
      '100 Queen St W, Toronto, ON - MLS® #C1234567',
      'NaN, 100 Queen St W, N/A, Toronto, null, ON',
      'City Hall, 100 Queen St W, Toronto',
      'Fire Station No. 5, 100 Queen St W, Toronto',
    ]) {
      expect(said(gazetteer.geocode(written)), written).to.match(/^100 Queen St W, Toronto, ON M5H 2N[12], Canada$/);
    }
  });

  it('leaves out no word that names a number, a town or a direction', () => {
    for (const written of [
      'Hangar 100, Queen St W, Toronto',
      'Pt Lt 100 Con 4, Kingston',
      '200 Concession 4E, Kingston',
      '100 E Queen St, Toronto',
      '300 Rideau St, Brookville, Ottawa',
      '123 Princess St, Kingston, Owen Sound',
      '123 Princess St, Kingston, York Region',
      '28 Nelson St, Region of Toronto',
      '123 Princess St Blah, Kingston',
      'Roll No. 19 04 062 470 00100, Queen St W, Toronto',
      'Previously municipally known as 123 Princess St, Kingston',
      '123 Princess St, Kingston, in the Province of Quebec',
    ]) {
      expect(gazetteer.geocode(written), written).not.to.have.property('found');
    }
  });

  it('labels a point that stands for a side of the street', () => {
    expect(gazetteer.geocode('77 Lake Shore Blvd, Kingston')).to.deep.nested.include({
      'found.accuracy': 'blockface',
      'found.uncertaintyM': 176,
      'found.lat': 44.22,
      'found.lon': -76.52,
    });
  });

  it('suggests the places between which it will not choose', () => {
    const result = gazetteer.geocode('28 Nelson St, Toronto');
    expect('refused' in result && result.refused.suggestions).to.have.members([
      '28 Nelson St, Toronto, ON M5V 0A5, Canada',
      '28 Nelson St, Scarborough, ON M1J 2V3, Canada',
    ]);
  });

  it('suggests the address in the town that was meant, however many towns have such a street', async () => {
    const towns =
      'Acton Barrie Cargill Dundalk Elmvale Forest Guelph Hanover Ingersoll Jarvis Kincardine Lucan Mildmay Newmarket'.split(
        ' ',
      );
    const rows = towns.map((town, i): RegisterRow => ({
      ...{ civic: 24, street: ['Main', 'ST'], mail: town.toUpperCase(), csd: [3501001 + i, town] },
      at: [43 + i / 10, -80],
    }));
    using other = await imported(rows);
    const many = openGazetteer(other.dataset);
    for (const text of [
      '24 Main St, Newmaret, ON',
      '24 Main St (old yellow), Newmarket, ON',
      '24 Main Xqt, Newmarket, ON',
    ]) {
      const result = many.geocode(text);
      expect('refused' in result && result.refused.suggestions[0], text).to.equal('24 Main St, Newmarket, ON, Canada');
    }
  });

  it('does not take a county for the city of its name', async () => {
    const row: RegisterRow = {
      ...{ civic: 10, street: ['Main', 'ST'], mail: 'PETERBOROUGH', csd: [3515014, 'Peterborough'] },
      at: [44.3, -78.32],
    };
    using other = await imported([row]);
    const city = openGazetteer(other.dataset);
    for (const name of ['Peterborough', 'City of Peterborough', 'Peterborough, County of Peterborough']) {
      expect(said(city.geocode(`10 Main St, ${name}`)), name).to.equal('10 Main St, Peterborough, ON, Canada');
    }
    for (const name of ['County of Peterborough', 'Peterborough County']) {
      expect(city.geocode(`10 Main St, ${name}`), name).not.to.have.property('found');
    }
  });

  describe('where the register has two streets whose names fold to one', () => {
    const englehart = { mail: 'ENGLEHART', csd: [3554052, 'Englehart'], postalCode: 'P0J1H0' } as const;
    const rows: RegisterRow[] = [
      { civic: 61, street: ['5', 'ST'], at: [47.824, -79.87], ...englehart },
      { civic: 61, street: ['Fifth', 'ST'], at: [47.8241, -79.869], ...englehart },
      { civic: 63, street: ['Fifth', 'ST'], at: [47.8242, -79.868], ...englehart },
    ];
    const written: Record<string, readonly [lon: number, address: string]> = {
      '61 5 St, Englehart': [-79.87, '61 5 St, Englehart, ON P0J 1H0, Canada'],
      '61 5 street Englehart ON': [-79.87, '61 5 St, Englehart, ON P0J 1H0, Canada'],
      '61 Fifth St, Englehart': [-79.869, '61 Fifth St, Englehart, ON P0J 1H0, Canada'],
      '63 5 St, Englehart': [-79.868, '63 Fifth St, Englehart, ON P0J 1H0, Canada'],
    };
    for (const backwards of [false, true]) {
      it(`prefers the one written as the address writes it${backwards ? ', in whatever order they come' : ''}`, async () => {
        using twice = await imported(backwards ? rows.toReversed() : rows);
        const other = openGazetteer(twice.dataset);
        for (const [address, [lon, canonical]] of Object.entries(written)) {
          const result = other.geocode(address);
          expect(said(result), address).to.equal(canonical);
          expect(result, address).to.have.nested.property('found.lon', lon);
        }
        // Written in a third way it may be either, and says so.
        expect(other.geocode('61 5th St, Englehart')).to.have.nested.property('found.uncertaintyM', 75);
      });
    }
  });

  describe('where a street begins with a word that is a direction', () => {
    const hamilton = { mail: 'HAMILTON', csd: [3525005, 'Hamilton'] } as const;
    const rows: RegisterRow[] = [
      { civic: 40, street: ['Eastwood', 'ST'], at: [43.2553, -79.7852], ...hamilton },
      { civic: 40, street: ['Wood', 'ST', 'E'], at: [43.2701, -79.8593], ...hamilton },
      { civic: 44, street: ['Eastwood', 'ST'], at: [43.2554, -79.7853], ...hamilton },
      { civic: 12, street: ['North Bay', 'RD'], at: [43.25, -79.8], ...hamilton },
      { civic: 12, street: ['Bay', 'RD', 'N'], at: [43.26, -79.88], ...hamilton },
    ];
    const expected: Record<string, string> = {
      '40 Eastwood St, Hamilton': '40 Eastwood St, Hamilton, ON, Canada',
      '40 Wood St East, Hamilton': '40 Wood St E, Hamilton, ON, Canada',
      '40 East Wood St, Hamilton': 'AMBIGUOUS',
      '44 East Wood St, Hamilton': '44 Eastwood St, Hamilton, ON, Canada',
      '12 North Bay Rd, Hamilton': '12 North Bay Rd, Hamilton, ON, Canada',
      '12 Bay Rd N, Hamilton': '12 Bay Rd N, Hamilton, ON, Canada',
    };
    it('does not take it for the street in one word where another has the number', async () => {
      using other = await imported(rows);
      const found = openGazetteer(other.dataset);
      const answers = Object.keys(expected).map((address) => [address, said(found.geocode(address))]);
      expect(Object.fromEntries(answers)).to.deep.equal(expected);
    });
  });
  describe('where a letter behind the number may be a digit', () => {
    const sarnia = { mail: 'SARNIA', csd: [3538030, 'Sarnia'], street: ['Elm', 'ST'] } as const;
    const rows = [20, 26, 29, 31, 295, 296, 298, 310].map((civic): RegisterRow => ({
      civic,
      at: [42.97 + civic * 1e-5, -82.4],
      ...sarnia,
    }));
    const lettered: RegisterRow = { civic: 31, suffix: 'S', at: [42.9703, -82.4], ...sarnia };
    const expected: Record<string, string> = {
      // 295 and 296 are there; nothing tells which is meant.
      '29S Elm St, Sarnia': 'CIVIC_NOT_ON_STREET',
      '29G Elm St, Sarnia': 'CIVIC_NOT_ON_STREET',
      // 292 is not, and B is a flat.
      '29Z Elm St, Sarnia': '29 Elm St, Sarnia, ON, Canada',
      '29B Elm St, Sarnia': '29 Elm St, Sarnia, ON, Canada',
      '31S Elm St, Sarnia': '31S Elm St, Sarnia, ON, Canada',
      '22A Elm St, Sarnia': '22A Elm St, Sarnia, ON, Canada',
    };
    it('takes no other number for it than the register bears out', async () => {
      using other = await imported([...rows, lettered, { ...lettered, civic: 225, suffix: '' }]);
      const found = openGazetteer(other.dataset);
      const answers = Object.keys(expected).map((address) => [address, said(found.geocode(address))]);
      expect(Object.fromEntries(answers)).to.deep.equal(expected);
      // Nothing is placed between neighbours where the register has 225.
      expect(said(found.geocode('22S Elm St, Sarnia'))).to.equal('CIVIC_NOT_ON_STREET');
      expect(said(found.geocode('22Z Elm St, Sarnia'))).to.equal('22Z Elm St, Sarnia, ON, Canada');
    });
  });
});
