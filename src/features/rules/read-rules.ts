/** Reads and checks the files in `rules/`, and those of the operator. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { AnswerDefinition } from '../../catalogue/definition.ts';
import { catalogueKindOf } from '../../catalogue/kinds/kinds.ts';
import { mostAskedM } from '../../catalogue/kinds/proximity.ts';
import { parseOnce } from '../../catalogue/parse-once.ts';
import { readCatalogue } from '../../catalogue/read/read-definitions.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { beyondShape, shapeWords } from '../../core/lookup/json-shape.ts';
import { ruleFileSchema, type Rule, type RuleCondition, type RuleFact } from './messages/wire.ts';
import { projectDir } from '../../project/project.ts';
import { validatorOf } from '../../project/validators.ts';
import { isDay } from '../../messages/time.ts';
import { messageOf } from '../../words.ts';
import type { CheckFiles } from '../../feature.ts';
import { rulesSettings } from './settings.ts';

/** The rules of the release. */
export const releasedRules = join(projectDir, 'rules');

/** Most of a file: a rule is answered with each lookup that asks for it. */
const MOST_BYTES = 64 * 1024;
const MOST = { levels: 16, objectsAndArrays: 400, values: 2000, texts: 2000, digits: 10_000 };
const MOST_RULES = 100;

/**
 * Returns the rules that are in service: the release's, then the operator's, by name. An operator's file takes the place of the release's with the same name.
 * A rule that is unverified is left out unless the operator has turned it on. Broken ones are refused whether they are on or not.
 * @throws Error that names the file and what is wrong with it.
 */
export function readRules(
  { ownDir, unverified }: ReturnType<typeof rulesSettings>,
  catalogue: Pick<Catalogue, 'answers'>,
): readonly Rule[] {
  const own = ownDir === null ? [] : namesIn(ownDir);
  const released = namesIn(releasedRules).filter((name) => !own.includes(name));
  const paths = own.map((name) => join(ownDir!, name));
  const all = [
    ...released.map((name) => readRule(join(releasedRules, name), `rules/${name}`, catalogue)),
    ...paths.map((path) => readRule(path, path, catalogue)),
  ];
  const unknown = unverified.find((id) => !all.some((rule) => rule.id === id));
  if (unknown !== undefined)
    throw new Error(`RULES_UNVERIFIED names "${unknown}", which is no rule: there are ${idsOf(all).join(', ')}`);
  if (all.length > MOST_RULES) throw new Error(`RULES_DIR: there are more than ${MOST_RULES} rules`);
  return all.filter(({ id, status }) => status === 'verified' || unverified.includes(id));
}

/** Does the same for settings that are checked before a start. @throws as `readRules` does. */
export const checkRules: CheckFiles = (config) => {
  readRules(settingsOf(config, rulesSettings), readCatalogue(config));
};

export function idsOf(rules: readonly Rule[]): readonly string[] {
  return rules.map(({ id }) => id);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch (cause) {
    throw new Error(`RULES_DIR cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** @param shownAs names the file in errors. */
function readRule(path: string, shownAs: string, catalogue: Pick<Catalogue, 'answers'>): Rule {
  try {
    const rule = checkedRule(readBounded(path));
    const fault = faultOf(rule, basename(path, '.json'), catalogue);
    if (fault !== null) throw new Error(fault);
    return Object.fromEntries(Object.entries(rule).filter(([member]) => member !== '$schema')) as Rule;
  } catch (cause) {
    throw new Error(`${shownAs}: ${messageOf(cause)}`, { cause });
  }
}

/** Texts with other letters than the operator wrote would be shown to people. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Error for what is no file of JSON, or larger than any rule. */
function readBounded(path: string): unknown {
  const stats = statSync(path);
  // Of a pipe the start would wait.
  if (!stats.isFile()) throw new Error('it is no file');
  if (stats.size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES / 1024} kB`);
  const bytes = readFileSync(path);
  const beyond = beyondShape(bytes, MOST);
  if (beyond !== null) throw new Error(`it has more than ${MOST[beyond]} ${shapeWords[beyond]}`);
  return parseOnce(utf8.decode(bytes));
}

/** @throws Error with what the schema says. Of the forms that a condition may have, the one that fits best fails farthest inside. */
function checkedRule(body: unknown): Rule & { readonly $schema?: string } {
  const isRule = validatorOf<Rule & { readonly $schema?: string }>(ruleFileSchema);
  if (isRule(body)) return body;
  const depthOf = (path: string): number => path.split('/').length;
  const [first] = (isRule.errors ?? []).toSorted((a, b) => depthOf(b.instancePath) - depthOf(a.instancePath));
  const { instancePath = '', message = 'does not fit the schema', params } = first ?? {};
  const { additionalProperty: member } = (params ?? {}) as { readonly additionalProperty?: string };
  throw new Error(`${instancePath} ${message}${member === undefined ? '' : ` ("${member.slice(0, 40)}")`}`.trim());
}

/** What the schema cannot say; null: nothing. */
function faultOf({ id, law, excludedBy }: Rule, name: string, { answers }: Pick<Catalogue, 'answers'>): string | null {
  if (id !== name) return `"id" is "${id}", which is not the name of the file`;
  const { from } = law;
  if (from !== null && !isDay(from)) return `"from" is no day: ${from}`;
  for (const fact of factsOf(excludedBy)) {
    const found = answers.find(({ answer }) => answer.key === fact.layer);
    if (!found) return `it names the layer "${fact.layer}", which is none that every answer has`;
    const fault = faultOfFact(fact, found.answer);
    if (fault !== null) return `the fact about ${fact.layer} ${fault}`;
  }
  return null;
}

/** All facts of a condition, in their order. */
export function factsOf(condition: RuleCondition): readonly RuleFact[] {
  if ('any' in condition) return condition.any.flatMap(factsOf);
  if ('all' in condition) return condition.all.flatMap(factsOf);
  return 'not' in condition ? factsOf(condition.not) : [condition];
}

function faultOfFact({ is, in: values, withinM }: RuleFact, answer: AnswerDefinition): string | null {
  if ([is, values, withinM].filter((one) => one !== undefined).length !== 1)
    return 'must have one of "is", "in" and "withinM"';
  if (withinM === undefined) return faultOfValues(values ?? [is!], answer);
  const mostM = answer.kind === 'proximity' ? mostAskedM(answer) : null;
  if (mostM === null) return 'cannot have "withinM": that layer tells no distance to each of its features';
  if (withinM <= mostM) return null;
  return `asks for ${withinM} m, and the index keeps its features within ${mostM} m: raise "keptWithinM" of the layer by a definition in LAYERS_DIR and import again, or ask for less`;
}

function faultOfValues(values: readonly (string | boolean)[], answer: AnswerDefinition): string | null {
  if (answer.kind === 'count') return 'cannot have "is" or "in": the layer counts';
  // A class says nothing of how far around the data know the land, nor of a second data set that is not loaded.
  if (answer.kind === 'proximity') return 'cannot have "is" or "in": ask for a distance by "withinM"';
  const named = namedBy(answer);
  const wrong = values.find((one) => typeof one === 'string' && named !== null && !named.includes(one));
  return wrong === undefined ? null : `has a value that the layer never has: ${JSON.stringify(wrong)}`;
}

/** The texts that a layer may answer; null: any. */
function namedBy(answer: AnswerDefinition): readonly unknown[] | null {
  if (answer.kind !== 'value') return [];
  return (catalogueKindOf(answer).valueSchema(answer) as { readonly enum?: readonly unknown[] }).enum ?? null;
}
