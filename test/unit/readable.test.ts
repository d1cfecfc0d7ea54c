/** Names in capitals as readers see them, with the codes in them. */
import { expect } from 'chai';
import { readable } from '../../src/features/explain/messages/speech.ts';

const said: Readonly<Record<string, string>> = {
  'CITY OF SAMPLETON': 'City of Sampleton',
  'TOWN OF NIAGARA-ON-THE-LAKE': 'Town of Niagara-on-the-Lake',
  "ST. MARY'S": "St. Mary's",
  "O'BRIEN": "O'Brien",
  "L'ORIGNAL": "L'Orignal",
  'CANTON DE LA NATION': 'Canton de la Nation',
  'TORONTO HWY 7': 'Toronto Hwy 7',
  'WHPA-D': 'WHPA-D',
  'WHPA-C1': 'WHPA-C1',
  'WHPA-Q2 ABERFOYLE': 'WHPA-Q2 Aberfoyle',
  ANSI: 'ANSI',
  NHIC: 'NHIC',
  'ANSI, LIFE SCIENCE': 'ANSI, Life Science',
  'PSW COMPLEX': 'PSW Complex',
  'CONCESSION II': 'Concession II',
  'PLAN 65M1234': 'Plan 65M1234',
  'CONCESSION A': 'Concession A',
  '6E': '6E',
  'Settlement Area': 'Settlement Area',
};

describe('Names in capitals', () => {
  for (const [given, shown] of Object.entries(said)) {
    it(`are read, and codes are left: ${given}`, () => expect(readable(given)).to.equal(shown));
  }
});
