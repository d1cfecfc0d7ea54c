/** Files of rules: what is refused, and what of the operator's folder is read. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { mostAskedM } from '../../../src/catalogue/kinds/proximity.ts';
import { factsOf, idsOf, readRules } from '../../../src/features/rules/read-rules.ts';
import { openRules, rulesMember, rulesPart } from '../../../src/features/rules/rules-member.ts';
import { Parts } from '../../../src/core/parts/parts.ts';
import { readConfig } from '../../../src/config.ts';
import { SERVICE_ENV } from '../../support/drivers/running-service.ts';
import { ruleFileSchema } from '../../../src/features/rules/messages/wire.ts';
import { projectDir } from '../../../src/project/project.ts';
import { commandHere } from '../../support/drivers/command-here.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';

const catalogue = readCatalogue(join(projectDir, 'layers'));
const words = { en: 'By-law 1, s. 2.', fr: 'Règlement 1, art. 2.' };
const fact = { layer: 'wetlandProximity', withinM: 30, text: words };
const town = {
  ...{ id: 'town', title: words, text: words, limits: [], status: 'verified', provenance: [], applies: 'point' },
  law: { name: 'By-law 1', section: 's. 2', url: 'https://town.example/1', from: '2020-02-29' },
  excludedBy: fact as unknown,
};

function readWith(body: unknown, unverified: readonly string[] = []): readonly string[] {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'town.json'), typeof body === 'string' ? body : JSON.stringify(body));
  return idsOf(readRules({ ownDir: folder.path, unverified }, catalogue));
}

const deep = (levels: number): unknown => (levels === 0 ? fact : { not: deep(levels - 1) });
const about = (excludedBy: unknown): unknown => ({ ...town, excludedBy });

const refused: Readonly<Record<string, readonly [body: unknown, message: string]>> = {
  'no JSON': ['{', 'town.json: '],
  'a member twice': [
    JSON.stringify(town).replace('"withinM":30', '"withinM":30,"within\\u004d":120'),
    '/excludedBy/withinM is there twice',
  ],
  'no object': [[], 'must be object'],
  'no conditions': [{ ...town, excludedBy: undefined }, "must have required property 'excludedBy'"],
  'another id': [{ ...town, id: 'village' }, '"id" is "village", which is not the name of the file'],
  'an unknown member': [{ ...town, allowedBy: fact }, '"allowedBy"'],
  'an unknown status': [{ ...town, status: 'sure' }, '/status must be equal to one of the allowed values'],
  'a day that is none': [{ ...town, law: { ...town.law, from: '2021-02-29' } }, '"from" is no day: 2021-02-29'],
  'a link that is no https': [{ ...town, law: { ...town.law, url: 'javascript:alert(1)' } }, '/law/url must match'],
  'markup in a text': [{ ...town, title: { ...words, fr: '<b>x</b>' } }, '/title/fr must match'],
  'a control character in a text': [
    about({ ...fact, text: { ...words, en: 'a\u0007' } }),
    '/excludedBy/text/en must match',
  ],
  'a text in one language': [about({ ...fact, text: { en: 'a' } }), "must have required property 'fr'"],
  'a condition without an end': [about({ $ref: '#' }), '/excludedBy'],
  'a reference to itself': [about({ rule: 'town' }), '/excludedBy'],
  'two kinds of conditions at once': [about({ any: [fact], all: [fact] }), '/excludedBy'],
  'an empty list of conditions': [about({ any: [] }), '/excludedBy/any must NOT have fewer than 1 items'],
  'too many conditions': [
    about({ any: Array.from({ length: 51 }, () => fact) }),
    '/excludedBy/any must NOT have more than 50',
  ],
  'conditions too deep in each other': [about(deep(20)), 'it has more than 16 levels'],
  'a file that is too large': [{ ...town, provenance: ['a'.repeat(70_000)] }, 'it has more than 64 kB'],
  'too many objects': [
    about({
      any: Array.from({ length: 50 }, () => ({ any: Array.from({ length: 9 }, () => ({ layer: 'nep', is: true })) })),
    }),
    'it has more than 400 objects and arrays',
  ],
  'a layer that is none': [about({ ...fact, layer: 'swampProximity' }), 'it names the layer "swampProximity"'],
  'a layer that not every answer has': [
    about({ ...fact, layer: 'regulatedArea' }),
    'it names the layer "regulatedArea"',
  ],
  'a name of every object': [about({ ...fact, layer: '__proto__' }), 'it names the layer "__proto__"'],
  'a distance below zero': [about({ ...fact, withinM: -1 }), '/excludedBy/withinM must be > 0'],
  'no distance': [about({ ...fact, withinM: 0 }), '/excludedBy/withinM must be > 0'],
  'a distance that is too large for a number': [
    JSON.stringify(town).replace('"withinM":30', '"withinM":1e999'),
    'withinM must be',
  ],
  'a distance beyond the index': [
    about({ ...fact, withinM: 121 }),
    'asks for 121 m, and the index keeps its features within 120 m: raise "keptWithinM"',
  ],
  'a distance to what has none': [about({ ...fact, layer: 'greenbelt' }), 'cannot have "withinM"'],
  'nothing that is asked': [about({ layer: 'greenbelt', text: words }), 'must have one of "is", "in" and "withinM"'],
  'two things that are asked': [about({ ...fact, is: 'inside' }), 'must have one of "is", "in" and "withinM"'],
  'a class of a distance': [
    about({ layer: 'wetlandProximity', is: 'inside', text: words }),
    'cannot have "is" or "in": ask for a distance by "withinM"',
  ],
  'classes of a distance': [
    about({ layer: 'wetlandProximity', in: ['inside', 'near', true], text: words }),
    'the fact about wetlandProximity cannot have "is" or "in"',
  ],
  'a text of yes or no': [
    about({ layer: 'nep', in: [true, 'yes'], text: words }),
    'a value that the layer never has: "yes"',
  ],
  'a designation that is none': [
    about({ layer: 'greenbeltDesignation', is: 'park', text: words }),
    'a value that the layer never has: "park"',
  ],
  'a value of a count': [about({ layer: 'waterWells', is: true, text: words }), 'the layer counts'],
  'a number as a value': [about({ layer: 'soil', is: 1, text: words }), '/excludedBy/is'],
};

describe('files of rules', () => {
  for (const [what, [body, message]] of Object.entries(refused)) {
    it(`are refused with ${what}`, () => {
      expect(() => readWith(body))
        .to.throw(/town\.json: /)
        .with.property('message')
        .that.contains(message);
    });
  }

  it('are refused where they are no file, or not in UTF-8, and read through a link and with a byte order mark', () => {
    using folder = temporaryFolder();
    const [town1, elsewhere] = [join(folder.path, 'town.json'), join(folder.path, 'data')];
    const read = (): readonly string[] => idsOf(readRules({ ownDir: folder.path, unverified: [] }, catalogue));
    mkdirSync(town1);
    expect(read).to.throw(`${town1}: it is no file`);
    rmdirSync(town1);
    execFileSync('mkfifo', [town1]);
    expect(read).to.throw(`${town1}: it is no file`);
    unlinkSync(town1);
    writeFileSync(town1, Buffer.from(JSON.stringify(town).replaceAll('Règlement', 'R\u00e8glement'), 'latin1'));
    expect(read).to.throw(`${town1}: The encoded data was not valid`);
    unlinkSync(town1);
    writeFileSync(elsewhere, `\uFEFF${JSON.stringify(town)}`);
    symlinkSync(elsewhere, town1);
    expect(read()).to.include('town');
  });

  it('of the operator come after those of the release, and take the place of one with the same name', () => {
    const released = ['site_plan_prescribed_area'];
    expect(idsOf(readRules({ ownDir: null, unverified: [] }, catalogue))).to.deep.equal(released);
    expect(readWith(town)).to.deep.equal([...released, 'town']);
    expect(readWith(about({ all: [deep(5), { layer: 'ormcp', is: true, text: words }] }))).to.include('town');
    using folder = temporaryFolder();
    const own = { ...town, id: 'site_plan_prescribed_area' };
    writeFileSync(join(folder.path, 'site_plan_prescribed_area.json'), JSON.stringify(own));
    const all = readRules({ ownDir: folder.path, unverified: ['setback_90'] }, catalogue);
    expect(idsOf(all)).to.deep.equal(['setback_90', 'site_plan_prescribed_area']);
    expect(all.at(-1)!.law.name).to.equal('By-law 1');
  });

  it('that are unverified are off until they are turned on', () => {
    const unverified = { ...town, status: 'unverified' };
    expect(readWith(unverified)).to.not.include('town');
    expect(readWith(unverified, ['town'])).to.include('town');
    expect(() => readWith(unverified, ['tawn'])).to.throw(
      'RULES_UNVERIFIED names "tawn", which is no rule: there are d4_waste_500m',
    );
  });

  it('whose law holds from a later day are off until that day begins in Ontario', () => {
    using folder = temporaryFolder();
    writeFileSync(
      join(folder.path, 'town.json'),
      JSON.stringify({ ...town, law: { ...town.law, from: '2030-07-01' } }),
    );
    let now = Date.parse('2030-07-01T03:59:59Z');
    const config = readConfig({ RULES_DIR: folder.path, ...SERVICE_ENV });
    const today = openRules({ config, catalogue, now: () => now });
    expect(idsOf(today().all)).to.not.include('town');
    now += 1000;
    expect(idsOf(today().all)).to.include('town');
  });

  it('are told to threads by a mark and in shared memory, and kept as text', () => {
    const open = openRules({ config: readConfig(SERVICE_ENV), catalogue });
    const parts = new Parts({ [rulesPart.name]: open });
    const asked = rulesMember.read('all', parts);
    const json = JSON.stringify(open().all);
    const { mark, shared, ...rest } = structuredClone(asked) as { mark: string; shared: SharedArrayBuffer };
    expect([mark.length, Buffer.from(shared).toString(), rest]).to.deep.equal([64, json, {}]);
    expect(JSON.parse(JSON.stringify(asked))).to.deep.equal({ json });
    expect(rulesMember.columns(asked)).to.have.length(open().all.length);
    expect(rulesMember.read(idsOf(open().all).join(), parts), 'read once').to.equal(asked);
  });

  it('in a folder that is not there stop the start', () => {
    expect(() => readRules({ ownDir: '/none', unverified: [] }, catalogue)).to.throw('RULES_DIR cannot be read: ');
  });

  it('are checked by check-config, which says what is wrong', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'town.json'), JSON.stringify(about({ ...fact, withinM: -1 })));
    const { status, stderr } = await commandHere(folder.path, { RULES_DIR: folder.path }, 'check-config');
    expect([status, stderr]).to.deep.equal([
      1,
      `land-lookup: ${join(folder.path, 'town.json')}: /excludedBy/withinM must be > 0\n`,
    ]);
    writeFileSync(join(folder.path, 'town.json'), JSON.stringify(town));
    expect((await commandHere(folder.path, { RULES_DIR: folder.path }, 'check-config')).status).to.equal(0);
  });

  it('ask for no distance that the index of their layer lacks, and of every layer as far as that', () => {
    const all = readRules({ ownDir: null, unverified: [] }, catalogue).flatMap(({ excludedBy }) => factsOf(excludedBy));
    for (const { layer, withinM } of all) {
      const { answer } = catalogue.answers.find((one) => one.answer.key === layer)!;
      if (withinM !== undefined)
        expect(answer.kind === 'proximity' && mostAskedM(answer)! >= withinM, layer).to.equal(true);
    }
  });

  it('have a schema for editors, which is a JSON Schema of draft 7', () => {
    const written = readFileSync(join(projectDir, 'rules', 'schema', 'rule.schema.json'), 'utf8');
    expect(JSON.parse(written)).to.deep.equal(JSON.parse(JSON.stringify(ruleFileSchema)));
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    expect(ajv.validateSchema(ruleFileSchema), ajv.errorsText(ajv.errors)).to.equal(true);
    expect(ajv.compile(ruleFileSchema)(town)).to.equal(true);
  });
});
