/** How forms, exports, listings, signs and dictation write an address, and words that look like one and are another. */
import { expect } from 'chai';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import { imported } from '../support/material/small-gazetteer.ts';
import { smallRegister, type RegisterRow } from '../support/material/small-register.ts';

/** What a register says to each text: the address, or the reason of the refusal. */
async function answersOf(rows: readonly RegisterRow[], texts: readonly string[]): Promise<Record<string, string>> {
  using register = await imported(rows);
  const gazetteer = openGazetteer(register.dataset);
  const answers = texts.map((text) => {
    const result = gazetteer.geocode(text);
    return [text, 'found' in result ? result.found.address : result.refused.reason];
  });
  return Object.fromEntries(answers) as Record<string, string>;
}

async function expectAnswers(rows: readonly RegisterRow[], expected: Readonly<Record<string, string>>): Promise<void> {
  expect(await answersOf(rows, Object.keys(expected))).to.deep.equal(expected);
}

const kingston = { mail: 'KINGSTON', csd: [3510010, 'Kingston'] } as const;
const princess = (civic: number, at: number, more: Partial<RegisterRow> = {}): RegisterRow => ({
  ...{ civic, street: ['Princess', 'ST'], at: [44.23 + at / 1000, -76.48], ...kingston },
  ...more,
});

describe('an address as programs and forms write it', () => {
  const princessStreet = '123 Princess St, Kingston, ON K7L 1A1, Canada';
  const texts = [
    'Street No.: 123, Street Name: Princess St, Municipality: Kingston, Province: Ontario, Postal Code: ',
    'Street: 123 Princess St; City: Kingston; Prov: ON; Postal_Code: K7L1A1',
    '{"street": "123 Princess St", "city": "Kingston", "postalCode": ""}',
    '123 Princess St Unit N/A, Kingston',
    'Apt: none, 123 Princess St, Kingston',
    '123 Princess St Unit nan Kingston',
    '123 Princess St, Unit undefined, Kingston',
    '123 Princess St|nil|Kingston|ON',
    '123 Princess St|\\N|Kingston|ON',
    '123 Princess St\\nKingston\\r\\nON K7L 1A1',
    '123 Princess St_x000D_\nKingston, ON',
    '123 Princess St,Kingston,ONK7L1A1',
    '123 Princess St, Kingston, ONK7L 1A1',
    '123, Princess Street, Kingston, Frontenac County, Eastern Ontario, Ontario, K7L 1A1, Canada',
    '123 Princess St, Kingston, ON K7L1 A1',
    '123 Princess St, Kingston postalcode K7L1A1',
    '123 Princess St, Kingston, ON K 7L1A1',
    '123 Princess St, Kingston, ON K7 L1 A1',
    'numéro 123, rue Princess, Kingston',
    '123 Prin\u115fcess St, Kingston',
  ];
  it('is read where each label, mark and blank has its role', async () => {
    const expected = Object.fromEntries(texts.map((text) => [text, princessStreet]));
    await expectAnswers(smallRegister, expected);
  });

  it('has its letter before a comma, and the number of a county road behind a sign', async () => {
    const road: RegisterRow = { civic: 12, street: ['County Road 2'], at: [44.3, -76.6], ...kingston };
    await expectAnswers([...smallRegister, road], {
      '125-A, rue Princess, Kingston': '125A Princess St, Kingston, ON K7L 1A1, Canada',
      '12 CR#2, Kingston': '12 County Road 2, Kingston, ON, Canada',
      '123⅛ Princess St, Kingston': princessStreet,
    });
  });

  it('may have a part that names no place, where the postal code is its own', async () => {
    await expectAnswers(smallRegister, {
      '123, Princess Street, Williamsville, Kingston, Ontario, K7L 1A1': princessStreet,
      '123 Princess St, Kingston (Williamsville), ON K7L 1A1': princessStreet,
      '123 Princess St, Kingston (Williamsville), ON': 'LOW_CONFIDENCE',
      '123 Princess St, Kingston (Williamsville), ON K7L 9Z9': 'LOW_CONFIDENCE',
      '123 Princess St, Kingston (Williamsville East), ON K7L 1A1': 'LOW_CONFIDENCE',
      '123 Princess St, 7 Williamsville, Kingston, ON K7L 1A1': 'LOW_CONFIDENCE',
      '123 Princess St, Sussex Dr, Kingston, ON K7L 1A1': 'LOW_CONFIDENCE',
      '123 Princess St, Owen Sound Corners, Kingston, ON K7L 1A1': 'LOW_CONFIDENCE',
      '100 Queen St, Corktown, Toronto, ON M5H 2N2': 'LOW_CONFIDENCE',
    });
  });
});

describe('digits that are no civic number, or several', () => {
  it('are not taken for one in a price, a share or a note', async () => {
    await expectAnswers([princess(123, 0), princess(1231, 9)], {
      '$123 Princess St, Kingston': 'LOW_CONFIDENCE',
      '123% Princess St, Kingston': 'STREET_NOT_FOUND',
      '123¹ Princess St, Kingston': 'STREET_NOT_FOUND',
      '1:23 Princess St, Kingston': 'STREET_NOT_FOUND',
      'Station 123 Princess St, Kingston': 'CIVIC_NUMBER_REQUIRED',
      'City Hall 123 Princess St, Kingston': '123 Princess St, Kingston, ON, Canada',
      'nr 123 Princess St, Kingston': 'LOW_CONFIDENCE',
    });
  });

  it('may stand apart, where the register has the number that they make', async () => {
    const rows = [princess(51, 0), princess(251, 9), princess(70, 1), princess(1017, 12)];
    await expectAnswers(rows, {
      '1 0 1 7 Princess St, Kingston': '1017 Princess St, Kingston, ON, Canada',
      // 251, or unit 2 of 51.
      '2 51 Princess St, Kingston': 'AMBIGUOUS',
      '2, 51 Princess St, Kingston': '2-51 Princess St, Kingston, ON, Canada',
      '2-51 Princess St, Kingston': '2-51 Princess St, Kingston, ON, Canada',
      // 170 is not in the register.
      '1 70 Princess St, Kingston': '1-70 Princess St, Kingston, ON, Canada',
      '12/8 Princess St, Kingston': 'CIVIC_NOT_ON_STREET',
      '10+17 Princess St, Kingston': 'CIVIC_NOT_ON_STREET',
    });
  });

  it('stand apart one by one as they are dictated, also where the register lacks their number', async () => {
    await expectAnswers([princess(5, 0), princess(31, 6), princess(39, 7), princess(3, 0)], {
      // 35 lies between 31 and 39.
      '3 5 Princess St, Kingston': 'AMBIGUOUS',
      '3, 5 Princess St, Kingston': '3-5 Princess St, Kingston, ON, Canada',
    });
  });

  it('may end in an L for a 1', async () => {
    await expectAnswers([princess(28, 0), princess(281, 9), princess(30, 0)], {
      '28l Princess St, Kingston': 'CIVIC_NOT_ON_STREET',
      '30L Princess St, Kingston': '30 Princess St, Kingston, ON, Canada',
    });
  });

  it('may be of the first of two addresses, although the register lacks it', async () => {
    await expectAnswers([princess(123, 0)], {
      '226 Alwington Pl, 123 Princess St, Kingston': 'STREET_NOT_FOUND',
      '226 Alwington Plaza, 123 Princess St, Kingston': '123 Princess St, Kingston, ON, Canada',
    });
  });
});

describe('a street that is called nearly like another', () => {
  it('is not the half of the other side, nor the one without a direction', async () => {
    const rows: RegisterRow[] = [
      { civic: 131, street: ['King', 'ST', 'W'], at: [44.22, -76.5], ...kingston },
      { civic: 135, street: ['King', 'ST', 'W'], at: [44.2202, -76.5], ...kingston },
      { civic: 143, street: ['Bridge', 'ST'], at: [44.23, -76.5], ...kingston },
      { civic: 15, street: ['Orser', 'RD'], at: [44.24, -76.5], ...kingston },
    ];
    await expectAnswers(rows, {
      '131 King W St, Kingston': '131 King St W, Kingston, ON, Canada',
      '131 King E St, Kingston': 'LOW_CONFIDENCE',
      '143 Bridge W St, Kingston': 'LOW_CONFIDENCE',
      '143 Bridgew St, Kingston': '143 Bridge St, Kingston, ON, Canada',
      '131 KingE St, Kingston': 'LOW_CONFIDENCE',
      '131E King St, Kingston': 'CIVIC_NOT_ON_STREET',
      '133E King St, Kingston': 'CIVIC_NOT_ON_STREET',
      '131W King St, Kingston': '131 King St W, Kingston, ON, Canada',
      '131S King St W, Kingston': '131 King St W, Kingston, ON, Canada',
      '131A King St W, Kingston': '131 King St W, Kingston, ON, Canada',
      // Neither the letter nor the name is the register's.
      '15 V. Order Rd, Kingston': 'STREET_NOT_FOUND',
      '15 Order Rd, Kingston': '15 Orser Rd, Kingston, ON, Canada',
      '15 O Orser Rd, Kingston': 'CIVIC_NOT_ON_STREET',
    });
  });

  it('is no misspelt one where its type is missing too, unless the postal code says so', async () => {
    const neilson: RegisterRow = {
      ...{ civic: 56, street: ['Neilson', 'DR'], at: [44.2, -76.5], ...kingston },
      postalCode: 'K7M1A1',
    };
    const found = '56 Neilson Dr, Kingston, ON K7M 1A1, Canada';
    await expectAnswers([neilson], {
      '56 Nelson, Kingston': 'LOW_CONFIDENCE',
      '56 Nelson Dr, Kingston': found,
      '56 Nelson, Kingston, ON K7M 1A1': found,
    });
  });

  it('is a county road by the name of its own county alone', async () => {
    const consecon = { mail: 'CONSECON', csd: [3513020, 'Prince Edward County'] } as const;
    const kawartha = { mail: 'LINDSAY', csd: [3516010, 'Kawartha Lakes'] } as const;
    const muskoka = { mail: 'BRACEBRIDGE', csd: [3544018, 'Bracebridge'] } as const;
    const rows: RegisterRow[] = [
      { civic: 41, street: ['County Road 39'], at: [44, -77.5], ...consecon },
      { civic: 36, street: ['County Road 36'], at: [44.4, -78.7], ...kawartha },
      { civic: 18, street: ['County Road 118'], at: [45, -79.3], ...muskoka },
    ];
    const consecon39 = '41 County Road 39, Consecon, ON, Canada';
    await expectAnswers(rows, {
      '41 Prince Edward Road 39, Consecon': consecon39,
      '41 Prince Edward County Rd 39, Consecon': consecon39,
      '41 Regional Road 39, Consecon': consecon39,
      '36 Kawartha Lakes Road 36, Lindsay': '36 County Road 36, Lindsay, ON, Canada',
      '18 Muskoka District Road 118, Bracebridge': '18 County Road 118, Bracebridge, ON, Canada',
      '41 Old County Road 39, Consecon': 'STREET_NOT_FOUND',
      '41 Township Road 39, Consecon': 'STREET_NOT_FOUND',
      '41 Simcoe Road 39, Consecon': 'STREET_NOT_FOUND',
      '41 metres east of County Road 39, Consecon': 'STREET_NOT_FOUND',
    });
  });
});
