/** Members that features add to answers, for those who ask: in the query, in the thread, in tables, and for an `Idempotency-Key`. */
import { join } from 'node:path';
import { expect } from 'chai';
import { Type } from 'typebox';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { memberColumns, type AnswerMember } from '../../src/core/http/answer-members.ts';
import { detailReader } from '../../src/core/http/lookup-request.ts';
import { readExamples } from '../../src/core/http/service-documents.ts';
import { openApiDocument } from '../../src/core/openapi/document.ts';
import { Parts } from '../../src/core/parts/parts.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import type { LookupTask } from '../../src/messages/lookup.ts';
import { badRequest } from '../../src/messages/problems.ts';
import { projectDir } from '../../src/project/project.ts';
import { answerArea } from '../../workers/areas/feature.ts';
import { LookupWriter } from '../../workers/engine/answers/lookup-writer.ts';
import { placeHandlers } from '../../workers/engine/answers/place-lookups.ts';
import type { Answered, ServedSnapshot, ThreadFeature } from '../../workers/engine/feature.ts';
import { openServed, prepareSnapshot } from '../../workers/engine/served-snapshot.ts';
import { MeteredMachine } from '../support/drivers/metered-machine.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';

/** A member in one language of two. */
const greeting: AnswerMember = {
  ...{ feature: 'greetings', parameter: 'greet', name: 'greeting', takes: 'one value: en or fr' },
  asked: Type.Optional(Type.String()),
  answer: Type.Optional(Type.String()),
  read(value) {
    if (value === 'en' || value === 'fr') return value;
    throw badRequest('no such language', { param: 'greet' });
  },
  columns: () => [{ name: 'greeting.words', cell: (member) => (typeof member === 'string' ? member : null) }],
};

const seen: Answered[] = [];
const greetings: ThreadFeature = {
  name: 'greetings',
  open: () => ({
    member: {
      name: 'greeting',
      write(asked, answered) {
        seen.push(answered);
        return JSON.stringify(asked === 'fr' ? 'Bonjour' : 'Hello');
      },
    },
  }),
};

const catalogue = readCatalogue(join(projectDir, 'layers'));
const { area, point } = readExamples();
const [ring] = (area as unknown as { geometry: { coordinates: [number, number][][] } }).geometry.coordinates;
const polygons = [[ring!.slice(0, -1).flat()]];

describe('members that features add to answers', () => {
  let served: ServedSnapshot;
  before(() => {
    const { dir } = requireCurrentSnapshot(sampleDataDir());
    served = openServed({ ...prepareSnapshot(dir, false), opening: 1 }, catalogue, [greetings]);
  });
  after(() => {
    served.snapshot.close();
  });

  const answer = (task: LookupTask): string => {
    const handlers = placeHandlers(served, new LookupWriter(catalogue));
    const outcome =
      task.kind === 'area'
        ? answerArea(served, task, catalogue)
        : (handlers[task.kind] as (task: LookupTask) => ReturnType<typeof answerArea>)(task);
    if (!outcome.ok) throw new Error(outcome.detail);
    return outcome.value.json;
  };

  const tasks: readonly LookupTask[] = [
    { kind: 'point', ...point, full: false },
    { kind: 'point', ...point, full: true, further: ['significantWetlandProximity'] },
    { kind: 'area', polygons, isClosed: true },
  ];
  for (const task of tasks) {
    it(`stand at the end of the answer to a ${'full' in task && task.full ? 'full ' : ''}lookup of ${task.kind === 'area' ? 'an area' : 'a point'}, which is otherwise as it was`, () => {
      const plain = answer(task);
      const members = { greetings: 'fr', gone: true };
      const added = answer({ ...task, members } as LookupTask);
      // The feature "gone" is left out of this thread.
      expect(added).to.equal(`${plain.slice(0, -1)},"greeting":"Bonjour"}`);
    });
  }

  it('are told what every layer says and rests on, as the answer says it', () => {
    const task = { kind: 'point', ...point, uncertaintyM: 20 } as const;
    const full = JSON.parse(answer({ ...task, full: true })) as Record<'layers' | 'evidence', Record<string, unknown>>;
    for (const isFull of [false, true]) {
      answer({ ...task, full: isFull, members: { greetings: 'en' } });
      const told = seen.at(-1)!;
      if (told.kind !== 'place') throw new Error('an area');
      expect(told.uncertaintyM).to.equal(20);
      for (const { answer: layer } of told.answers) {
        const { given, evidence } = told.layer(layer.key)!;
        expect(JSON.parse(given.json), layer.key).to.deep.equal(full.layers[layer.key]);
        expect(evidence, layer.key).to.deep.equal(full.evidence[layer.key]);
      }
      expect(told.layer('nothing')).to.equal(null);
    }
  });

  it('are told the values of an area', () => {
    const plain = JSON.parse(answer(tasks[2]!)) as { readonly layers: object };
    answer({ ...tasks[2]!, members: { greetings: 'en' } } as LookupTask);
    const told = seen.at(-1)!;
    if (told.kind !== 'area') throw new Error('a place');
    expect(JSON.parse(JSON.stringify(told.values))).to.deep.equal(plain.layers);
  });

  it('are asked for by their parameter, which is unknown without the feature', () => {
    const services = { maps: null, furtherKeys: [], parts: new Parts() };
    const read = detailReader({ hasDetail: true, mapsNeedDetail: true }, { ...services, members: [greeting] });
    expect(read({ greet: 'fr' })).to.deep.equal({ full: false, members: { greetings: 'fr' } });
    expect(read({})).to.deep.equal({ full: false });
    expect(() => read({ greet: 'de' })).to.throw('no such language');
    expect(() => read({ greet: ['fr', 'en'] })).to.throw('takes one value: en or fr');
    expect(() =>
      detailReader({ hasDetail: true, mapsNeedDetail: true }, { ...services, members: [] })({ greet: 'fr' }),
    ).to.throw('there is no query parameter "greet" here');
  });

  it('are in the document of the API, of each lookup', () => {
    const document = (members: readonly AnswerMember[]): string =>
      JSON.stringify(openApiDocument(catalogue, readExamples(), [{ members }]));
    const { paths, components } = JSON.parse(document([greeting])) as {
      readonly paths: Readonly<
        Record<string, { readonly post?: { readonly parameters: readonly { name: string }[] } }>
      >;
      readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
    };
    for (const path of ['/api/lookup', '/api/lookup/point'])
      expect(paths[path]!.post!.parameters.map(({ name }) => name)).to.include('greet');
    for (const name of ['Lookup', 'FullLookup', 'PointLookup', 'FullPointLookup'])
      expect(components.schemas[name]!.properties).to.have.property('greeting');
    expect(document([])).not.to.contain('greet');
  });

  it('have columns in tables for those who asked', () => {
    const [column] = memberColumns([greeting], { greetings: 'fr' });
    expect(column!.cell({ greeting: 'Bonjour' })).to.equal('Bonjour');
    expect(column!.cell({})).to.equal(null);
    expect(memberColumns([greeting], {})).to.deep.equal([]);
  });

  it('make another request of one with the same Idempotency-Key', async () => {
    await using machine = await MeteredMachine.start();
    await machine.ask('k', 'a', { full: false, members: { greetings: 'fr' } });
    expect((await machine.ask('k', 'a', { full: false, members: { greetings: 'fr' } })).lookupId).to.equal(null);
    for (const members of [undefined, { greetings: 'en' }]) {
      const { code } = await machine.refusal('k', 'a', { full: false, ...(members ? { members } : {}) });
      expect(code).to.equal('BAD_REQUEST');
    }
  });
});
