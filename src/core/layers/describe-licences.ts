import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { SnapshotManifest } from '../../messages/manifest.ts';
import type { LicencesBody, LicenceStatement } from '../../messages/wire/licences.ts';
import { describeDataSet, describeRegister } from './describe-layers.ts';

/** Returns the statements that the licences of a snapshot's data require, each once, with the data that it is about. */
export function describeLicences(catalogue: Catalogue, manifest: SnapshotManifest): LicencesBody {
  const { id, createdAt, sample } = manifest;
  const statements = new Map<string, LicenceStatement>();
  for (const { attribution, data, ...licensed } of licensedData(catalogue, manifest)) {
    const licence = licensed.sample ? null : licensed.licence;
    const key = JSON.stringify([licence?.id, attribution]);
    statements.set(key, { licence, attribution, data: [...(statements.get(key)?.data ?? []), data] });
  }
  return { snapshot: { id, createdAt, sample }, statements: [...statements.values()] };
}

/** Data sets that are loaded, in the order of the definitions, and the address register. */
function* licensedData(
  { dataSets }: Catalogue,
  manifest: SnapshotManifest,
): Generator<
  Pick<LicenceStatement, 'licence' | 'attribution'> & {
    readonly sample: boolean;
    readonly data: LicenceStatement['data'][number];
  }
> {
  for (const dataSet of dataSets) {
    const described = describeDataSet(dataSet, manifest);
    const { id, title, publisher, licence, attribution, state, sample, asOf } = described;
    const sourceUntil = described.sourceUntil?.day ?? null;
    if (state === 'loaded') yield { licence, attribution, sample, data: { id, title, publisher, asOf, sourceUntil } };
  }
  const register = describeRegister(manifest);
  if (!register) return;
  const { title, publisher, licence, attribution, sample, asOf } = register;
  const data = { id: 'addresses', title, publisher, asOf, sourceUntil: null };
  yield { licence: { id: licence, url: null }, attribution, sample, data };
}

/** Returns the statements alone, each once, for a place that does not list what each is about. */
export function attributionsOf({ statements }: LicencesBody): readonly string[] {
  return [...new Set(statements.map(({ attribution }) => attribution))];
}

/** Adds the statements to an answer. The member goes before the closing brace, so that no answer is parsed and written again. */
export function withAttribution(json: string, attribution: readonly string[]): string {
  const end = json.lastIndexOf('}');
  return `${json.slice(0, end)},"attribution":${JSON.stringify(attribution)}${json.slice(end)}`;
}
