import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../../src/project/project.ts';
import { faultCodes } from '../../../src/addresses/faults.ts';
import { problems } from '../../../src/messages/problems.ts';
import type * as AccountWords from '../../../web/texts/account.ts';
import type * as AnswerWords from '../../../web/texts/answer.ts';
import type * as BatchWords from '../../../web/texts/batch.ts';
import type * as I18n from '../../../web/shared/i18n.ts';
import type * as ProblemWords from '../../../web/shared/problem.ts';
import { webModule } from './web-module.ts';

type Words = Readonly<Record<string, string>>;

const { accountTexts } = (await webModule('texts/account.ts')) as typeof AccountWords;
const { answerTexts } = (await webModule('texts/answer.ts')) as typeof AnswerWords;
const { batchTexts } = (await webModule('texts/batch.ts')) as typeof BatchWords;
const i18n = (await webModule('shared/i18n.ts')) as typeof I18n;
const { fill, loadTexts, speak } = i18n;
const { reasonOf } = (await webModule('shared/problem.ts')) as typeof ProblemWords;

const LANGUAGES = ['en', 'fr'] as const;

/** Where the page shows failures, of which routes, and in which words before those of a lookup. */
const views: readonly { name: string; routes: RegExp; words: (language: 'en' | 'fr') => Words }[] = [
  { name: 'a lookup', routes: /^\/api\/(lookup|examples|suggest)/, words: () => ({}) },
  { name: 'a batch', routes: /^\/api\/(batches|account$)/, words: (language) => batchTexts[language].problems },
  { name: 'the account', routes: /^\/api\/(account|webhooks)/, words: (language) => accountTexts[language].problems },
];

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses?: object }>>>>;
  readonly components: { readonly responses: Readonly<Record<string, { readonly description: string }>> };
}

const contract = JSON.parse(readFileSync(join(projectDir, 'docs/openapi.json'), 'utf8')) as Contract;

/** The codes that the document of the API names for these routes. */
function codesOf(routes: RegExp): ReadonlySet<string> {
  const paths = Object.entries(contract.paths).filter(([path]) => routes.test(path));
  const names = JSON.stringify(paths).matchAll(/#\/components\/responses\/(\w+)/g);
  return new Set([...names].map(([, name]) => contract.components.responses[name!]!.description.split(':')[0]!));
}

function textsIn(language: 'en' | 'fr') {
  speak(language);
  return i18n.texts;
}

describe('The words of the page for failures', () => {
  before(() => Promise.all(LANGUAGES.map(loadTexts)));

  for (const { name, routes, words } of views) {
    it(`are there in both languages for every code that ${name} can get`, () => {
      // A code that no route documents may come from any: of a row, or before a route is found.
      const [own, all] = [codesOf(routes), codesOf(/./)];
      const codes = Object.keys(problems).filter((code) => own.has(code) || !all.has(code));
      expect(codes).to.include.members(['BAD_REQUEST', 'UNANSWERABLE', 'METHOD_NOT_ALLOWED']);
      const [english, french] = LANGUAGES.map((language): Words => ({
        ...textsIn(language).problems,
        ...words(language),
      }));
      const silent = codes.filter((code) => !english![code] || !french![code] || english![code] === french![code]);
      expect(silent).to.deep.equal([]);
    });
  }

  it('are there in French for every difference of an address that was found', () => {
    expect(Object.keys(answerTexts.fr.differences)).to.have.members([...faultCodes]);
  });

  it('have nothing of the English details in French', () => {
    const french = views.map(({ words }) => ({ ...textsIn('fr').problems, ...words('fr') }));
    expect(JSON.stringify(french)).to.not.contain('{detail}');
  });

  it('end with one full stop, also after "a.m."', () => {
    expect(fill('At {time}. Again.', { time: '9:40 a.m.' })).to.equal('At 9:40 a.m. Again.');
    expect(fill('At {time}. Again.', { time: '21:40' })).to.equal('At 21:40. Again.');
    expect(fill('{name}...', { name: 'x.' })).to.equal('x....');
  });

  it('say of a row what is wrong with it, and nothing of a time that it does not know', () => {
    speak('fr');
    const told = (problem: { code: string; reason?: string; param?: string }): string =>
      reasonOf({ ...problem, detail: 'in English' });
    expect(told({ code: 'BAD_REQUEST', reason: 'INVALID', param: '/lat' })).to.match(/^La latitude doit être/);
    expect(told({ code: 'RATE_LIMITED', reason: 'PER_MONTH' })).to.equal('Le budget de ce mois est épuisé.');
    expect(told({ code: 'DB_ERROR', reason: 'TOO_LATE' })).to.equal('Le service ne peut pas répondre en ce moment.');
  });
});
