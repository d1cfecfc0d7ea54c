import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { allAnswers, type Catalogue } from '../../src/catalogue/catalogue.ts';
import { allFeatures, loadFeatures } from '../../src/features.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { readExamples } from '../../src/core/http/service-documents.ts';
import { lookupRequestSchema } from '../../src/messages/wire/lookup.ts';
import { openApiDocument } from '../../src/core/openapi/document.ts';
import { problems } from '../../src/messages/problems.ts';
import { breakingChanges } from './compatible.ts';
import { contractBreach, schemaBreach } from '../support/oracles/contract.ts';
import { spectralFindings } from '../support/oracles/spectral.ts';
import { drawExamples } from '../tools/draw-examples.ts';
import { startFrontEnd } from '../support/drivers/front-end.ts';
import { chosenFeatures } from '../support/drivers/chosen-features.ts';
import { given } from '../support/drivers/given.ts';

/** The document as it was last published; `npm run publish-contract` writes it anew, which is a decision. */
const published = JSON.parse(readFileSync(join(projectDir, 'docs', 'openapi.json'), 'utf8')) as Document;

interface Property {
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}
type Document = Record<string, unknown> & {
  components: { schemas: Record<string, { properties: Record<string, Property>; required: string[] }> };
};

const features = await loadFeatures();

describe('the OpenAPI document', () => {
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  const document = openApiDocument(catalogue, readExamples(), features) as Document;
  /** Of one document after the other: to compile the schema of OpenAPI takes longer than to apply it. */
  const validator = new Validator();
  const expectValid = async (one: Document): Promise<void> => {
    const { valid, errors } = await validator.validate(structuredClone(one));
    expect(valid, JSON.stringify(errors)).to.equal(true);
  };

  it('passes swagger-parser', async () => {
    await SwaggerParser.validate(structuredClone(document) as never);
  });

  it('passes openapi-schema-validator', async () => {
    await expectValid(document);
    const { Lookup, ...schemas } = document.components.schemas;
    expect(Lookup).to.be.an('object');
    const { valid } = await validator.validate({ ...document, components: { ...document.components, schemas } });
    expect(valid, 'a reference to nothing').to.equal(false);
  });

  it("passes Spectral's rules for OpenAPI", async () => {
    // The program does not know who operates it.
    expect(await spectralFindings(document, { withExamples: false })).to.deep.equal(['info-contact at info']);
    const { NearGeometry } = document.components.schemas;
    const withoutItems = JSON.parse(
      JSON.stringify({ NearGeometry }).replace(/"items":\{"type":\["number","array"\].*?\}\},/, ''),
    ) as object;
    // The rest has been looked at, and takes two seconds.
    const worse = { ...document, paths: {}, components: { schemas: withoutItems } };
    expect((await spectralFindings(worse, { withExamples: false })).join()).to.contain(
      'array-items at components.schemas.NearGeometry',
    );
  });

  for (const { name } of allFeatures.filter(({ load }) => load)) {
    it(`is a valid document without ${name} too, and says nothing of it`, async () => {
      const others = allFeatures.filter((feature) => feature.name !== name).map((feature) => feature.name);
      const without = openApiDocument(catalogue, readExamples(), await loadFeatures(others)) as Document;
      await expectValid(without);
      // Layers have words of their own.
      const { Layers, ...schemas } = without.components.schemas;
      expect(Layers).to.be.an('object');
      const text = JSON.stringify({ ...without, components: { ...without.components, schemas } });
      const traces = tracesOf[name];
      if (traces) expect(text).not.to.match(traces);
      const unused = Object.keys(schemas).filter((one) => !text.includes(`#/components/schemas/${one}"`));
      expect(unused, 'components that nothing refers to').to.deep.equal([]);
    });
  }

  it('describes every layer, with examples', () => {
    const { properties, required } = document.components.schemas['Layers']!;
    const keysOf = (answers: Catalogue['answers']) => answers.map(({ answer }) => answer.key);
    expect(Object.keys(properties)).to.deep.equal(keysOf(allAnswers(catalogue)));
    expect(required).to.deep.equal(keysOf(catalogue.answers));
    for (const [key, { title, description, examples }] of Object.entries(properties)) {
      expect(title, key).to.be.a('string');
      expect(description, key).to.have.length.above(60);
      expect(examples, key).to.be.an('array').that.is.not.empty;
    }
  });

  it('has the schema that checks requests', () => {
    expect(document.components.schemas['LookupRequest']).to.equal(lookupRequestSchema);
  });

  it('has one example in the body of each request, where every tool finds it', () => {
    const paths = document['paths'] as Record<
      string,
      Record<string, { requestBody?: { content: Record<string, object> } }>
    >;
    const bodies = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ requestBody }) =>
        Object.entries(requestBody?.content ?? {}).map(([type, content]) => ({ what: `${path} ${type}`, content })),
      ),
    );
    expect(bodies).to.have.length.above(3);
    // The specification of OpenAPI allows one of the two.
    for (const { what, content } of bodies)
      expect(content, what).to.include.keys('example').and.not.have.property('examples');
    const { example } = bodies.find(({ what }) => what === '/api/lookup application/json')!.content as {
      example: object;
    };
    expect(example).to.deep.equal({ address: readExamples().address });
  });

  it('gives examples of requests and answers that fit their schemas', () => {
    const { paths, components } = document as unknown as { readonly paths: object; readonly components: object };
    const { schemas, ...others } = components as { readonly schemas: object };
    const examples = examplesIn({ paths, ...others });
    expect(examples).to.have.length.above(20);
    expect(schemas).to.be.an('object');
    for (const { where, schema, value } of examples) expect(schemaBreach(schema, value), where).to.equal(null);
  });

  it('gives examples that fit it', () => {
    const { lookup, fullLookup, pointLookup, fullPointLookup } = readExamples();
    for (const example of [lookup, fullLookup]) expect(breachOf(200, example)).to.equal(null);
    for (const example of [pointLookup, fullPointLookup]) {
      expect(breachOf(200, example, '/api/lookup/point')).to.equal(null);
    }
  });

  given('areas', 'coverage', 'suggest').it('gives examples that the service answers on its sample', async function () {
    this.timeout(240_000);
    expect(readExamples(), 'run "npm run draw-examples"').to.deep.equal(await drawExamples());
  });

  it('notices an answer that does not fit it', () => {
    const { lookup } = readExamples();
    const { greenbelt, ...others } = lookup.layers;
    expect(breachOf(200, { ...lookup, layers: others })).to.contain("'greenbelt'");
    expect(breachOf(200, { ...lookup, layers: { ...others, greenbelt: 'yes' } })).to.contain('greenbelt');
    expect(breachOf(200, { ...lookup, layers: { ...lookup.layers, more: greenbelt } })).to.contain('additional');
    expect(breachOf(418, lookup)).to.contain('not documented');
  });

  it('has one schema for all failures, and one response for each code', () => {
    const text = JSON.stringify(document);
    const schemas = [...text.matchAll(/"application\/problem\+json":\{"schema":(\{[^}]*\})/g)].map(
      ([, schema]) => schema,
    );
    expect(new Set(schemas)).to.deep.equal(new Set(['{"$ref":"#/components/schemas/Problem"}']));
    // Those of the responses (no route answers UNANSWERABLE, nor documents 405), three of /mcp, which may also be answers of its protocol, and one for a vintage that was pruned.
    expect(schemas).to.have.length(Object.keys(problems).length - 2 + 3 + 1);
  });

  it('is small enough to read, and has the version of the program', () => {
    expect(JSON.stringify(document)).to.have.length.below(265_000);
    const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
    expect(document['info']).to.include({ version });
  });

  it('is served, and only by GET and HEAD', async () => {
    await using front = await startFrontEnd();
    const response = await fetch(`${front.url}/openapi.json`);
    const served = openApiDocument(catalogue, readExamples(), await loadFeatures(chosenFeatures));
    expect(await response.json()).to.deep.equal(JSON.parse(JSON.stringify(served)));
    expect((await fetch(`${front.url}/openapi.json`, { method: 'POST' })).status).to.equal(405);
  });
});

describe('a change of the contract', () => {
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  const present = JSON.parse(JSON.stringify(openApiDocument(catalogue, readExamples(), features))) as Document;

  it('breaks no client of the published document', () => {
    expect(breakingChanges(published, present)).to.deep.equal([]);
  });

  it('is seen in the published document', () => {
    expect(published, 'run "npm run publish-contract"').to.deep.equal(present);
  });

  const breaking: Readonly<Record<string, (document: Document) => void>> = {
    'a route that is gone': (document) => delete (document['paths'] as Record<string, unknown>)['/api/layers'],
    'a layer that is gone': ({ components }) => delete components.schemas['Layers']!.properties['soil'],
    'a layer of another type': ({ components }) =>
      Object.assign(components.schemas['Layers']!.properties['greenbelt']!, { type: ['string', 'null'] }),
    'a value that clients do not know': ({ components }) =>
      Object.assign(components.schemas['Layers']!.properties['wetlandProximity']!, {
        enum: ['inside', 'regulated', 'adjacent', 'outside', 'close', null],
      }),
    'a member that is no longer sure': ({ components }) => components.schemas['Lookup']!.required.pop(),
    'a request that needs more': ({ components }) => components.schemas['LookupRequest']!.required.push('country'),
    'a request that may say less': ({ components }) =>
      Object.assign(components.schemas['LookupRequest']!.properties['address']!, { maxLength: 100 }),
  };
  for (const [name, change] of Object.entries(breaking)) {
    it(`fails the test: ${name}`, () => {
      const changed = structuredClone(present);
      change(changed);
      expect(breakingChanges(present, changed)).not.to.be.empty;
    });
  }
});

describe('the error catalogue', () => {
  it('has an anchor for each code, where the problem document points', async () => {
    await using front = await startFrontEnd();
    const page = await (await fetch(`${front.url}/docs/errors`)).text();
    for (const code of Object.keys(problems)) expect(page).to.contain(`<section id="${code}">`);
    const problem = (await (await fetch(`${front.url}/nothing`)).json()) as { type: string };
    expect(problem.type).to.equal('/docs/errors#NOT_FOUND');
  });
});

function breachOf(status: number, body: unknown, path = '/api/lookup'): string | null {
  const names = ['RateLimit', 'RateLimit-Policy', 'X-Request-Id', 'Link', 'Lookup-Id', 'Land-Vintage'];
  const headers = new Headers(names.map((name) => [name, '']));
  const answer = { method: 'POST', path, contentType: 'application/json', headers };
  return contractBreach({ ...answer, status, text: JSON.stringify(body) });
}

/** What would be left in the document of a feature whose parts are in those of others. */
const tracesOf: Readonly<Record<string, RegExp>> = {
  areas: /\b([Aa]n area|parcels?|Area(Lookup|Request|Layers)|ShareByBand)\b/,
  maps: /NearGeometry|geometry=|"name":"geometry"/,
};

interface Example {
  readonly where: string;
  readonly schema: object;
  readonly value: unknown;
}

/** Examples of bodies, headers and parameters: of whatever has a schema beside them. */
function examplesIn(part: unknown, where = ''): Example[] {
  if (typeof part !== 'object' || part === null) return [];
  const { schema, example, examples } = part as {
    readonly schema?: unknown;
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
  const values = [example, ...Object.values(examples ?? {}).map((one) => one.value)].filter(
    (value) => value !== undefined,
  );
  const own = typeof schema === 'object' && schema !== null ? values.map((value) => ({ where, schema, value })) : [];
  return [...own, ...Object.entries(part).flatMap(([name, inner]) => examplesIn(inner, `${where}/${name}`))];
}
