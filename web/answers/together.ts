/** What many answers have in common, in the lines of a single one: hazards that nobody knows first, then what harms, restricts or is close. */
import { type Item } from './answers.ts';
import { nameOfLayer, type Layer } from './words.ts';
import { concernOf, lineOf, sorted } from './findings.ts';
import { el } from '../shared/dom.ts';
import { fill, number, plural, language, texts } from '../shared/i18n.ts';
import { batchTexts } from '../texts/batch.ts';

const kinds = ['unknown', 'hazard', 'restriction', 'nearby'] as const;
/** Keys of the layers that an answer says such a thing of. */
export type Told = Readonly<Record<(typeof kinds)[number], readonly string[]>>;

/** What a single answer says in its headline. */
export function toldIn(items: readonly Item[]): Told {
  const { findings, unknownHazards } = sorted(items);
  const keys = (some: readonly Item[]) => some.map(({ layer }) => layer.key);
  const of = (concern: string) => keys(findings.filter((item) => concernOf(item) === concern));
  return { unknown: keys(unknownHazards), hazard: of('hazard'), restriction: of('restriction'), nearby: of('nearby') };
}

/** The lines of all answers together, each with its beginning that stands out. */
export function linesTogether(
  layers: readonly Layer[],
  told: readonly Told[],
): { kind: string; strong: string; rest: string }[] {
  const { together } = batchTexts[language];
  const of = (n: number) => fill(together.of, { n: number(n), total: number(told.length) });
  const counted = (kind: keyof Told) =>
    layers
      .map((layer) => ({ name: nameOfLayer(layer), n: told.filter((one) => one[kind].includes(layer.key)).length }))
      .filter(({ n }) => n > 0)
      .sort((a, b) => b.n - a.n);
  const { tally } = texts;
  const line = (kind: string, strong: string, names: readonly string[]) => ({
    ...{ kind, strong },
    rest: fill(tally.named, { names: names.join(', ') }),
  });
  const unknown = counted('unknown');
  const found = (kind: keyof Told, className: string, words: { one: string; many: string }) => {
    const some = counted(kind);
    const names = some.map(({ name, n }) => `${name} (${of(n)})`);
    return some.length === 0 ? [] : [line(className, plural(some.length, words), names)];
  };
  const isClear = told.every((one) => one.hazard.length + one.restriction.length === 0);
  return [
    ...[...new Set(unknown.map(({ n }) => n))].map((count) => {
      const names = unknown.filter(({ n }) => n === count).map(({ name }) => name);
      return line('unknown', fill(together.unknown, { of: of(count) }), names);
    }),
    ...found('hazard', 'found hazard', tally.hazard),
    ...found('restriction', 'found restriction', together.restriction),
    ...(isClear ? [{ kind: 'none', strong: '', rest: together.clear }] : []),
    ...found('nearby', 'found', tally.close),
  ];
}

export const renderTogether = (...given: Parameters<typeof linesTogether>) =>
  linesTogether(...given).map(({ kind, strong, rest }) => lineOf(kind, el('strong', strong), rest));
