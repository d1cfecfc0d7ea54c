import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { catalogueKindOf } from '../shared/catalogue/kinds/kinds.ts';
import type { LayerValue, LookupBody } from '../shared/wire/lookup.ts';

/** A column of a table of answers: a layer, or a member of a layer whose answer is an object. */
export interface LayerColumn {
  /** `greenbelt`, `soil.cliClass`. */
  readonly name: string;
  readonly key: string;
  readonly member: string | null;
}

type Cell = string | number | boolean | null;

/** Returns the columns of the layers, in the order of an answer. */
export function layerColumns({ answers }: Pick<Catalogue, 'answers'>): readonly LayerColumn[] {
  return answers.flatMap(({ answer }): LayerColumn[] => {
    const { key } = answer;
    const { members } = catalogueKindOf(answer).describe(answer);
    if (!members) return [{ name: key, key, member: null }];
    return Object.keys(members).map((member) => ({ name: `${key}.${member}`, key, member }));
  });
}

/** Returns the value of a column; null where the layer's answer is null. */
export function cellOf(layers: LookupBody['layers'], { key, member }: LayerColumn): Cell {
  const value: LayerValue = layers[key] ?? null;
  if (member === null) return value as Cell;
  return typeof value === 'object' && value !== null ? (value[member] ?? null) : null;
}
