/** What answers mean, in words: on the sample, at every door, in both languages. */
import { expect } from 'chai';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { allAnswers } from '../../../src/catalogue/catalogue.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import { SettingsReader } from '../../../src/core/settings/settings-reader.ts';
import { explainSettings } from '../../../src/features/explain/settings.ts';
import { feedbackLink } from '../../../src/features/explain/messages/advice.ts';
import type { Explained, Finding } from '../../../src/messages/wire/explained.ts';
import type { FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import { releasedLayers } from '../../../src/project/project.ts';
import { speeches, toldInArea } from '../../../workers/explain/feature.ts';
import { sampleAddresses } from '../../tools/draw-examples.ts';
import { given } from '../../support/drivers/given.ts';
import { Agent } from '../../support/drivers/mcp.ts';
import { until } from '../../support/drivers/patience.ts';
import { shareSampleService, startSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';

const MARSH = '13 Marsh Rd, Fiddlehead Corners, ON';

/** Words of the service's own that mean nothing to a reader. */
const CODES =
  /\bnull\b|undefined|NaN|\{|\}|no_coverage|unavailable|\w_\w|: (inside(?! the )|regulated|adjacent|outside|true|false)\b/;

const catalogue = readCatalogue(releasedLayers);
const answers = new Map(allAnswers(catalogue).map(({ answer }) => [answer.key, answer]));

type Body = FullLookupBody & { readonly explained: Explained };

async function post<Answer>({ url, key }: Pick<KeyedService, 'url' | 'key'>, path: string, body: object) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
}

describe('?explain= on the sample', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });

  it('says in both languages what every layer finds at every door, and which hazards nobody knows, without words of our own', async () => {
    const seen = new Set<string>();
    const sentences = { en: new Set<string>(), fr: new Set<string>() };
    for (const address of sampleAddresses())
      for (const language of ['en', 'fr'] as const) {
        const query = `?detail=full&layers=all&explain=${language}`;
        const { status, body } = await post<Body>(service, `/api/lookup${query}`, { address });
        if (status !== 200) continue;
        const says = Object.entries(body.evidence).filter(
          ([key, { state }]) =>
            state === 'present' || (state !== 'absent' && answers.get(key)!.reader?.concern === 'hazard'),
        );
        expect(Object.keys(body.explained)).to.have.members(says.map(([key]) => key));
        for (const [key, finding] of Object.entries(body.explained)) {
          seen.add(key);
          sentences[language].add(finding.sentence);
          isWellSaid(key, finding, { language, body });
        }
      }
    expect([...seen]).to.have.members([...answers.keys()]);
    expect([...sentences.en].filter((one) => sentences.fr.has(one))).to.deep.equal([]);
  });

  function isWellSaid(key: string, finding: Finding, asked: { language: 'en' | 'fr'; body: Body }): void {
    isForReaders(key, finding);
    if (asked.body.evidence[key]!.state === 'present') follows(key, finding, asked);
    else isNotNo(finding);
  }

  function isForReaders(key: string, finding: Finding): void {
    expect(Object.keys(finding)).to.deep.equal(['sentence', 'law', 'who', 'next']);
    const { sentence, law, who, next } = finding;
    for (const text of [sentence, who, next, law?.name].filter((one) => typeof one === 'string'))
      expect(text, key).to.match(/\S/).and.not.match(CODES);
  }

  /** Nobody is said to know who only publishes the data. */
  function isNotNo({ sentence, law, next }: Finding): void {
    expect(law).to.equal(null);
    expect(next).to.not.match(/publish|publient/);
    expect(sentence).to.match(/“not known” does not mean “no”|« inconnu » ne veut pas dire « non »/);
  }

  /** The texts of the definition stand where something is found, with the office that the answer names. */
  function follows(
    key: string,
    { sentence, law, who, next }: Finding,
    { language, body }: { language: 'en' | 'fr'; body: Body },
  ): void {
    const { meaning, next: step, knows } = answers.get(key)!.reader ?? {};
    expect(law?.url).to.equal(meaning?.source.url);
    if (meaning) expect(sentence.endsWith(meaning[language])).to.equal(true);
    if (step?.office === undefined) expect([who, next]).to.deep.equal([null, step?.[language] ?? null]);
    else if (body.evidence[step.office]!.state === 'absent')
      expect(next).to.equal(answers.get(step.office)!.reader!.office!.none[language]);
    else {
      const [first, second] = next!.split(step[language].replace('{office}', who!));
      expect([first, second === '']).to.deep.equal(['', knows === undefined]);
      if (knows) expect(second).to.contain(knows[language]);
    }
  }

  it('names the distance, the rule, the law and the office, and doubts where the place may be on the other side', async () => {
    const { body } = await post<Body>(service, '/api/lookup?explain=en', { address: MARSH });
    expect(body.explained['wetlandProximity']).to.deep.equal({
      sentence:
        '14.4 m from a wetland: inside the 30 m rule. Its edge or limit is 14.4 m away and the position is uncertain by 30 m: check on site. Work in a wetland, or within 30 m of one, may need a permit of the conservation authority.',
      law: {
        name: 'O. Reg. 41/24, Prohibited Activities, Exemptions and Permits',
        url: 'https://www.ontario.ca/laws/regulation/240041',
      },
      who: 'Fiddlehead Region Conservation Authority',
      next: 'Ask Fiddlehead Region Conservation Authority whether your work needs a permit, before it begins.',
    });
    const french = await post<Body>(service, '/api/lookup?explain=fr', { address: MARSH });
    expect(french.body.explained['wetlandProximity']!.sentence).to.match(
      /^À 14,4 m d’un milieu humide : à l’intérieur de la règle des 30 m\. /,
    );
    expect(Object.keys(body.explained)[0]).to.equal('floodProximity');
  });

  it('leaves the answer as it was, and refuses other languages', async () => {
    const plain = await post<object>(service, '/api/lookup', { address: MARSH });
    const { explained, ...rest } = (await post<Body>(service, '/api/lookup?explain=en', { address: MARSH })).body;
    expect(rest).to.deep.equal(plain.body);
    expect(explained).to.be.an('object');
    for (const wrong of ['de', '', 'en&explain=fr', 'EN']) {
      const refused = await post<{ param: string }>(service, `/api/lookup?explain=${wrong}`, { address: MARSH });
      expect([refused.status, refused.body.param], wrong).to.deep.equal([400, 'explain']);
    }
  });

  given('areas').it('says of an area how much of it each layer covers', async () => {
    for (const language of ['en', 'fr'] as const) {
      const { body } = await post<Body>(
        service,
        `/api/lookup/area?layers=all&explain=${language}`,
        readExamples().area,
      );
      const { greenbelt, floodProximity, lakeSimcoeWatershed } = body.explained;
      expect(greenbelt!.sentence).to.match(
        language === 'en' ? /^Greenbelt: 50\.9% of the area\. / : /: 50,9 % de la superficie\. /,
      );
      expect(greenbelt!.who).to.match(/Township of Fiddlehead/);
      expect([floodProximity!.law, lakeSimcoeWatershed]).to.deep.equal([null, undefined]);
      for (const { sentence } of Object.values(body.explained)) expect(sentence).to.not.match(CODES);
    }
  });

  given('agents').it('stands in the answers of the tools, from which something follows, in 10 kB', async () => {
    await using agent = await Agent.connect(service);
    let [largest, most] = [0, 0];
    const calls = sampleAddresses().map((address) => ['lookup_address', { address, layers: 'all' }] as const);
    for (const [tool, args] of [...calls, ['lookup_area', { ...readExamples().area, layers: 'all' }] as const]) {
      const { body, bytes, isError } = await agent.call(tool, args);
      if (isError) continue;
      const explained = body['explained'] as Explained;
      for (const { law, next } of Object.values(explained)) expect(law ?? next).to.not.equal(null);
      most = Math.max(most, Object.keys(explained).length);
      largest = Math.max(largest, bytes);
      for (const key of (body['explainedNot'] ?? []) as string[]) {
        expect(answers.get(key)!.reader?.concern, key).not.to.equal('hazard');
      }
    }
    expect(most).to.be.greaterThan(5);
    expect(largest).to.be.within(1000, 10_000);
    console.log(`        largest answer with what follows: ${largest} bytes, at most ${most} findings`);
  });
});

describe('FEEDBACK_URL', function () {
  this.timeout(240_000);

  it('gives each finding a link with the lookup, the layer and the data, and nothing about the place or the key', async () => {
    await using service = await startSampleService({ env: { FEEDBACK_URL: 'https://forms.example/wrong?form=1#top' } });
    const { body, headers } = await post<Body>(service, '/api/lookup?detail=full&explain=en', { address: MARSH });
    const entries = Object.entries(body.explained);
    expect(entries).to.have.length.above(5);
    for (const [key, { feedback }] of entries) {
      const { origin, hash, searchParams } = new URL(feedback!);
      expect([origin, hash]).to.deep.equal(['https://forms.example', '#top']);
      expect(Object.fromEntries(searchParams)).to.deep.equal({
        ...{ form: '1', lookup: headers.get('lookup-id'), layer: key, vintage: body.snapshot.id },
      });
    }
  });

  given('batches').it('names the lookup of each row of a batch', async () => {
    await using service = await startSampleService({ env: { FEEDBACK_URL: 'https://forms.example/wrong' } });
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'text/csv' };
    const body = `address\n"${MARSH}"\nnowhere\n"${MARSH}"\n`;
    const made = await fetch(`${service.url}/api/batches?explain=en`, { method: 'POST', headers, body });
    const { id } = (await made.json()) as { readonly id: string };
    const read = () => fetch(`${service.url}/api/batches/${id}/results`, { headers });
    await until(async () => (await read()).headers.get('Batch-State') === 'completed');
    const rows = (await (await read()).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly lookupId: string | null; readonly body: Partial<Body> });
    const named = rows.map(({ body: { explained = {} } }) => [
      ...new Set(Object.values(explained).map(({ feedback }) => new URL(feedback!).searchParams.get('lookup'))),
    ]);
    const [first, refused, last] = rows.map(({ lookupId }) => lookupId);
    expect([refused, first === last]).to.deep.equal([null, false]);
    expect(named).to.deep.equal([[first], [], [last]]);
  });

  it('may be an address of mail, whose letter says the same', () => {
    const link = feedbackLink('mailto:data@example.ca', { lookup: 'lkp_1', layer: 'soil', vintage: 's' });
    expect(link).to.equal(
      'mailto:data@example.ca?subject=land-lookup%3A%20soil&body=lookup%3A%20lkp_1%0D%0Alayer%3A%20soil%0D%0Avintage%3A%20s',
    );
    expect(feedbackLink('https://a.example/', { lookup: null, layer: 'a&b', vintage: 's' })).to.equal(
      'https://a.example/?layer=a%26b&vintage=s',
    );
  });

  it('is refused when it is neither', () => {
    const read = (value: string) => {
      const reader = new SettingsReader({ FEEDBACK_URL: value });
      return [explainSettings(reader).feedbackUrl, reader.faults.length];
    };
    for (const good of ['https://a.example/form', 'mailto:data.desk+land@example.ca'])
      expect(read(good)).to.deep.equal([good, 0]);
    for (const bad of [
      'http://a.example',
      'javascript:alert(1)',
      'mailto:',
      'mailto:a@b.ca?bcc=x@y.ca',
      'x',
      'https://u:p@a.example',
    ])
      expect(read(bad)[1], bad).to.equal(1);
  });
});

describe('the sentence of an area', () => {
  const well = answers.get('petroleumWellProximity')!;
  const bands = (inside: number, regulated: number, adjacent: number, unknownShare: number) => ({
    bands: { inside, regulated, adjacent, outside: 1 - inside - regulated - adjacent - unknownShare },
    unknownShare,
  });
  const cases: readonly (readonly [string, object | null, string | null, boolean])[] = [
    [
      'nothing is known',
      null,
      'Oil or gas well: not known here. It may be here: “not known” does not mean “no”.',
      false,
    ],
    ['nothing is there', { ...bands(0, 0, 0, 0), distanceM: null }, null, false],
    [
      'it runs through',
      { ...bands(0, 0.2, 0.3, 0), distanceM: 0 },
      'Oil or gas well: runs through the area or touches it.',
      true,
    ],
    [
      'it is near',
      { ...bands(0, 0.25, 0.3, 0), distanceM: 12.34 },
      'Oil or gas well: 12.3 m from the area, of which 25% is inside the 75 m rule.',
      true,
    ],
    [
      'a part is not known',
      { ...bands(0, 0, 0, 0.4), distanceM: null },
      'Oil or gas well: not known here. It may be here: “not known” does not mean “no”. Not known for 40% of the area.',
      false,
    ],
    [
      'it is there, and a part is not known',
      { ...bands(0, 0, 0.3, 0.00006), distanceM: 150 },
      'Oil or gas well: 150 m from the area. Not known for under 0.1% of the area.',
      true,
    ],
  ];
  for (const [what, value, sentence, isFound] of cases)
    it(`says of a hazard when ${what}`, () => {
      const told = toldInArea(well, value as never, speeches.en);
      expect(told).to.deep.equal(sentence === null ? null : { sentence, isFound });
    });
});
