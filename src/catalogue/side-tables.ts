/** Tables beside that of a data set, for features that do not count (decision 0195). */
/** `unclear`: nobody knows whether they count. `shown`: they do not, and the evidence tells of them. */
export const sides = ['unclear', 'shown'] as const;
export type Side = (typeof sides)[number];

const names: Readonly<Record<Side, Map<string, string>>> = { unclear: new Map(), shown: new Map() };

/** Each name is made once, because lookups ask for them, and a text that exists is found in a map without hashing it again. */
export function sideTable(dataSet: string, side: Side): string {
  let name = names[side].get(dataSet);
  if (name === undefined) names[side].set(dataSet, (name = `${dataSet}_${side}`));
  return name;
}

/** Numbers of features that do not count. */
export type Beside = Readonly<Partial<Record<Side, number>>>;

/** Returns all feature tables of a snapshot: those of the data sets, and those beside them. */
export function featureTables(
  dataSets: Readonly<Record<string, { readonly featureCount: number; readonly beside?: Beside }>>,
): readonly {
  readonly table: string;
  /** Id of the data set that it belongs to. */
  readonly dataSet: string;
  /** Null: the features that count. */
  readonly side: Side | null;
  readonly featureCount: number;
}[] {
  return Object.entries(dataSets).flatMap(([dataSet, { featureCount, beside = {} }]) => {
    const own = { table: dataSet, dataSet, side: null, featureCount };
    const others = sides.map((side) => ({
      table: sideTable(dataSet, side),
      dataSet,
      side,
      featureCount: beside[side] ?? 0,
    }));
    return [own, ...others.filter((other) => other.featureCount > 0)];
  });
}
