import { authorityAreas } from '../authority-areas.ts';
import { nameOfPart } from '../part-name.ts';
import type { CompositeSource, DataSetDefinition, PartCoverage, SourcePart } from '../definition.ts';

/**
 * Checks what a schema cannot check about the parts of a composite source.
 * @throws Error that names the file, the part and what is wrong with it.
 */
export function checkParts(dataSet: DataSetDefinition, dataSets: ReadonlyMap<string, DataSetDefinition>): void {
  for (const source of dataSet.sources) {
    if (source.kind !== 'composite') continue;
    const names = source.parts.map(nameOfPart);
    for (const [i, part] of source.parts.entries()) {
      const isDouble = names.indexOf(names[i]!) < i;
      const wrong = isDouble
        ? 'is there twice: an area belongs to one part'
        : wrongWith(part, source, { dataSet, hasAuthorityAreas: dataSets.has(authorityAreas) });
      if (wrong !== null)
        throw new Error(`layers/${dataSet.id}.json: the part "${part.publisher}, ${part.kind}" ${wrong}`);
    }
  }
}

interface Around {
  readonly dataSet: DataSetDefinition;
  readonly hasAuthorityAreas: boolean;
}

function wrongWith(part: SourcePart, source: CompositeSource, { dataSet, hasAuthorityAreas }: Around): string | null {
  const { rename = {}, constants = {} } = part;
  const filled = [...Object.values(rename), ...Object.keys(constants), ...Object.values(source.labels ?? {})];
  const missing = filled.find((field) => !(field in dataSet.fields));
  if (missing !== undefined) return `fills the field "${missing}", which "fields" does not list`;
  return part.use === true ? wrongInUse(part, source, { dataSet, hasAuthorityAreas }) : null;
}

/** Checks a part in use. A part that is off may lack what nobody has read yet. */
function wrongInUse(part: SourcePart, { accepts }: CompositeSource, around: Around): string | null {
  const { kind, coverage, licence, attribution, names, layerIdHint } = part;
  if (!accepts.includes(kind)) return 'is in use, but "accepts" does not list its kind';
  if (licence.id === null || attribution === null) return 'is in use without a licence or an attribution';
  if (names.length === 0 && layerIdHint === null) return 'is in use with neither a name nor an id of its layer';
  return wrongCoverage(coverage, part, around);
}

function wrongCoverage(
  coverage: PartCoverage,
  { control }: SourcePart,
  { dataSet, hasAuthorityAreas }: Around,
): string | null {
  if ((coverage === 'province') !== (dataSet.coverage === 'province'))
    return 'and the data set differ: either all cover the province, or none';
  if (typeof coverage !== 'object') return null;
  if ('authority' in coverage && !hasAuthorityAreas)
    return `covers the area of an authority, but there is no data set ${authorityAreas}`;
  return control && control.inside.length > 0
    ? null
    : 'covers an area without control points: a service that is dead or another one would read as "no"';
}
