import { authorityAreas, type CompositeSource, type DataSetDefinition, type SourcePart } from './definition.ts';

/**
 * What a schema cannot say of the parts of a composite source.
 * @throws Error that names the file, the part and what is wrong with it.
 */
export function checkParts(dataSet: DataSetDefinition, dataSets: ReadonlyMap<string, DataSetDefinition>): void {
  for (const source of dataSet.sources) {
    if (source.kind !== 'composite') continue;
    for (const part of source.parts) {
      const wrong = wrongWith(part, source, { dataSet, hasAuthorityAreas: dataSets.has(authorityAreas) });
      if (wrong !== null)
        throw new Error(`layers/${dataSet.id}.json: the part "${part.publisher}, ${part.kind}" ${wrong}`);
    }
  }
}

interface Around {
  readonly dataSet: DataSetDefinition;
  readonly hasAuthorityAreas: boolean;
}

function wrongWith(
  part: SourcePart,
  { accepts, labels }: CompositeSource,
  { dataSet: { fields }, hasAuthorityAreas }: Around,
): string | null {
  const { kind, coverage, licence, attribution, rename = {}, constants = {} } = part;
  const used = [...Object.values(rename), ...Object.keys(constants), ...Object.values(labels ?? {})];
  const missing = used.find((field) => !(field in fields));
  if (missing !== undefined) return `fills the field "${missing}", which "fields" does not list`;
  if (part.use !== true) return null;
  if (!accepts.includes(kind)) return 'is of a kind that "accepts" does not list: turn it off';
  if (licence.id === null || attribution === null) return 'is in use without a licence and an attribution';
  if (part.names.length === 0 && part.layerIdHint === null)
    return 'is in use with neither a name nor an id of its layer';
  if (typeof coverage === 'object' && 'authority' in coverage && !hasAuthorityAreas)
    return `covers an authority's area, but there is no data set ${authorityAreas}`;
  return null;
}
