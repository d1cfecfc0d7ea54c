/** What people call their places by: numbers of files, rolls and parcels. */

/** Names of columns and of properties, as `plainName` writes them. The surest first. */
const known = [
  ...['customid', 'id', 'identifiant', 'fileno', 'filenumber', 'file', 'dossier', 'nodossier', 'numerodossier'],
  ...['dossierno', 'nodedossier', 'ndedossier', 'numerodedossier', 'applicationno', 'applicationnumber'],
  ...['nodemande', 'permitno'],
  ...['permitnumber', 'nopermis', 'rollno', 'rollnumber', 'roll', 'assessmentrollnumber', 'norole', 'numerorole'],
  ...['noderole', 'numeroderole', 'arn', 'pin', 'pinno', 'pinnumber', 'parcelid', 'propertyid', 'reference', 'ref'],
  ...['refno', 'objectid', 'fid'],
];

/** A name without case, accents, spaces and signs. */
export const plainName = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '');

export const isIdName = (name: string) => known.includes(plainName(name));

/** Returns what a feature is called by: its own id, else a property that is one, else its name; null: nothing. */
export function idOfFeature({ id, properties }: { id?: unknown; properties?: object | null }): string | null {
  const named = new Map(Object.entries(properties ?? {}).map(([name, value]) => [plainName(name), value as unknown]));
  for (const one of [id, ...[...known, 'name', 'nom'].map((name) => named.get(name))]) {
    if (typeof one === 'number' || (typeof one === 'string' && one.trim() !== '')) return String(one);
  }
  return null;
}
