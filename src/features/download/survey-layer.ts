import { type ArcgisOptions, callArcgis } from './arcgis.ts';
import { type ArcgisLayer, describeLayer, objects, readContent } from './arcgis-layer.ts';
import { effectiveField } from '../../messages/import.ts';
import { type FieldNames, type Wanted, Empty, Misfit, matchFields, quoted } from './match-fields.ts';
import { ChunkStore, hashIds, type ChunkPlan } from './chunk-store.ts';
import { messageOf } from '../../words.ts';

/** Content of a layer at its server, and how much of it is already on the disk. */
export interface LayerSurvey {
  readonly layer: ArcgisLayer;
  readonly foundBy: FoundBy;
  readonly fields: FieldNames;
  /** Ascending object ids. */
  readonly ids: readonly number[];
  /** As `readContent` gives it. */
  readonly changedMs: number | null;
  readonly store: ChunkStore;
  readonly plan: ChunkPlan;
  /** `unchanged`: all of it is on the disk. `resumed`: some of it may be. `new`: nothing that can be used. */
  readonly state: 'unchanged' | 'resumed' | 'new';
}

/** Most ids per chunk: longer lists make the server slow, and a short one repeats less after a failure. */
const MOST_IDS_PER_CHUNK = 1000;

/** Age above which chunks are not mixed with newer ones. */
const LONGEST_PAUSE_MS = 7 * 24 * 3600 * 1000;

/**
 * Asks the server for a layer's content, and compares it with the folder.
 * @throws Error when there is no such layer, or it lacks a required field, is of another geometry type, or is empty.
 */
export async function surveyLayer(
  address: LayerAddress,
  wanted: Wanted,
  folder: string,
  options: ArcgisOptions,
): Promise<LayerSurvey> {
  const found = await findLayer(address, wanted, options);
  const { layer } = found;
  const { ids, version, changedMs } = await readContent(layer, options);
  if (ids.length === 0) throw new Empty(`${layer.url} ("${layer.name}") has no features`);
  const store = new ChunkStore(folder);
  const fresh: ChunkPlan = {
    format: 2,
    url: layer.url,
    crs: layer.crs,
    fields: fieldsToRead(layer, found.fields),
    featureCount: ids.length,
    idsPerChunk: Math.min(layer.maxRecordCount, MOST_IDS_PER_CHUNK, wanted.pageSize ?? Infinity),
    ids: hashIds(ids),
    version,
    editedMs: layer.editedMs,
    startedAt: new Date().toISOString(),
    finishedAt: null,
    vanished: 0,
    usedAt: null,
  };
  const stored = store.readPlan();
  const state = compare(stored, fresh);
  return { ...found, ids, changedMs, store, state, plan: stored && state !== 'new' ? stored : fresh };
}

function compare(stored: ChunkPlan | null, fresh: ChunkPlan): LayerSurvey['state'] {
  if (!stored || !isSameContent(stored, fresh)) return 'new';
  if (stored.finishedAt !== null && stored.version !== null) return 'unchanged';
  // Without a version an edit of a record would go unnoticed, so only an interrupted run may continue.
  if (stored.finishedAt !== null && stored.usedAt !== null) return 'new';
  if (Date.now() - Date.parse(stored.startedAt) >= LONGEST_PAUSE_MS) return 'new';
  return stored.finishedAt === null ? 'resumed' : 'unchanged';
}

function isSameContent(a: ChunkPlan, b: ChunkPlan): boolean {
  const [these, those] = [a, b].map(({ url, crs, ids, version, fields }) =>
    JSON.stringify([url, crs, ids, version, fields]),
  );
  return these === those;
}

function fieldsToRead(layer: ArcgisLayer, names: FieldNames): string[] {
  const chosen = [...names.values()].filter((name) => name !== null);
  const dated = layer.fields.some(({ name }) => name === effectiveField) && !chosen.includes(effectiveField);
  return dated ? [...chosen, effectiveField] : chosen;
}

export interface LayerAddress {
  /** Root: `https://host/…/rest/services`. */
  readonly server: string;
  /** `Folder/Name/MapServer`, also with a layer id behind it, or a folder whose services are searched. */
  readonly service: string;
  /** Names that the layer may have, in order of preference. */
  readonly names: readonly string[];
  /** Chooses among several layers of one name, and finds the layer when no name exists. */
  readonly layerIdHint: number | null;
  /** The operator's choice; names do not matter then. */
  readonly layerId?: number;
  /** SQL condition that chooses the features; all when absent. */
  readonly where?: string;
  /** A layer of another name is not read, even if its id is the hinted one. */
  readonly mustBeNamed?: boolean;
  /** Names of other data sets' layers; a layer with such a name is never used for this one. */
  readonly otherNames?: readonly string[];
}

/** How the layer was found: by the first name, another name, the hinted id, or the id that the operator gave. */
export type FoundBy = 'name' | 'other name' | 'id' | 'operator';

/** Says how a layer was found, for reports. */
export function describeFinding({ foundBy, layer: { name, url } }: Pick<LayerSurvey, 'foundBy' | 'layer'>): string {
  const [id = ''] = /\d+$/.exec(url) ?? [];
  switch (foundBy) {
    case 'name':
      return 'found by name';
    case 'other name':
      return `found by another name, "${name}"`;
    case 'id':
      return `found by id ${id} because its geometry type and fields fit: the service has none of its names and calls it "${name}"`;
    case 'operator':
      return `chosen by --layer-id: ${id} "${name}"`;
  }
}

interface Listed {
  readonly url: string;
  readonly id: number;
  readonly name: string;
}

/**
 * Finds a layer by the first of its names that exists, otherwise by its hinted id if that layer fits and has at least half of the fields, and reads its
 * description.
 * @throws Error when there is none (the message lists the existing layers), or several of one name; when the layer does
 * not fit the definition.
 */
async function findLayer(
  address: LayerAddress,
  wanted: Wanted,
  options: ArcgisOptions,
): Promise<Pick<LayerSurvey, 'layer' | 'foundBy' | 'fields'>> {
  const listed = await listLayers(address, options);
  const [chosen, foundBy] = choose(listed, address);
  if (!chosen) {
    const isGone = !listed.some(({ id }) => id === (address.layerId ?? address.layerIdHint));
    throw new Misfit(nothingFound(address, listed), ['names'], { isGone });
  }
  const layer = await describeLayer(chosen.url, address.where, options);
  if (foundBy !== 'id') return { layer, foundBy, fields: matchFields(layer, wanted) };
  try {
    const fields = matchFields(layer, wanted);
    if (address.names.length > 0) refuseUnlike(layer, fields);
    return { layer, foundBy, fields };
  } catch (cause) {
    const why = messageOf(cause);
    const hinted = `${nothingFound(address, listed)}; nor does the layer of the id that others have seen fit: ${why}`;
    throw new Misfit(hinted, ['names'], { cause });
  }
}

/**
 * Refuses a layer of an unknown name that has few of the fields: services are renumbered, and what fits by its geometry alone may be anything.
 * @throws Misfit
 */
function refuseUnlike({ url, name }: ArcgisLayer, fields: FieldNames): void {
  const present = [...fields.values()].filter((source) => source !== null).length;
  if (present > 0 && present * 2 >= fields.size) return;
  throw new Misfit(`${url} ("${name}") has ${present} of ${fields.size} fields, too few to tell that it is the layer`, [
    'names',
  ]);
}

function choose(listed: readonly Listed[], address: LayerAddress): [Listed | undefined, FoundBy] {
  const { names, layerIdHint, layerId, otherNames = [], mustBeNamed = false } = address;
  if (layerId !== undefined) return [listed.find(({ id }) => id === layerId), 'operator'];
  for (const [i, name] of names.entries()) {
    const named = listed.filter((layer) => comparable(layer.name) === comparable(name));
    if (named.length > 0) return [oneOf(named, address, name), i === 0 ? 'name' : 'other name'];
  }
  if (mustBeNamed && names.length > 0) return [undefined, 'id'];
  // In a folder of services an id means nothing.
  const hinted = isService(address.service) ? listed.find(({ id }) => id === layerIdHint) : undefined;
  const others = new Set(otherNames.map(comparable));
  return [hinted && others.has(comparable(hinted.name)) ? undefined : hinted, 'id'];
}

/** @throws Error when there are several, and the hinted id does not choose one. */
function oneOf(named: readonly Listed[], { service, layerIdHint }: LayerAddress, name: string): Listed {
  const [layer, ...more] = named.length > 1 ? named.filter(({ id }) => id === layerIdHint) : named;
  if (layer && more.length === 0) return layer;
  throw new Misfit(`${service} has ${named.length} layers named "${name}"; it has: ${labels(named)}`, ['names']);
}

function nothingFound({ service, names, layerId, layerIdHint }: LayerAddress, listed: readonly Listed[]): string {
  const id = layerId ?? (names.length === 0 ? layerIdHint : null);
  const what = id === null ? `named ${quoted(names)}` : `with the id ${id}`;
  return `${service} has no layer ${what}; it has: ${labels(listed)}`;
}

function labels(listed: readonly Listed[]): string {
  return listed.map(({ id, name }) => `${id} ${name}`).join(', ') || 'none';
}

async function listLayers({ server, service }: LayerAddress, options: ArcgisOptions): Promise<Listed[]> {
  const path = service.replace(/(Server)\/\d+$/, '$1');
  const root = `${server.replace(/\/$/, '')}/`;
  if (isService(path)) return layersOf(root + path, options);
  const { services } = await callArcgis(root + path, {}, options);
  const listed: Listed[] = [];
  for (const { name, type } of objects(services)) {
    if (type === 'MapServer' || type === 'FeatureServer')
      listed.push(...(await layersOf(`${root}${String(name)}/${type}`, options)));
  }
  return listed;
}

function isService(path: string): boolean {
  return /Server(\/\d+)?$/.test(path);
}

async function layersOf(url: string, options: ArcgisOptions): Promise<Listed[]> {
  const { layers } = await callArcgis(url, {}, options);
  return objects(layers)
    .filter(({ type }) => type !== 'Group Layer')
    .map(({ id, name }) => ({ url: `${url}/${Number(id)}`, id: Number(id), name: String(name) }));
}

/** Returns a name for comparing: copies of one service differ in case, dashes and blanks. */
function comparable(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
