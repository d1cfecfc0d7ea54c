/**
 * A province whose 36 conservation authorities become nine, drawn as a grid of boxes, with the services of some of them, and an operator's machine.
 * What happens to the services is what happens to public map services when their owner is merged: they stay, move, or are shut down.
 */
import Database from 'better-sqlite3';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { LoadLayersOptions } from '../../../src/import/load-layers.ts';
import { loadLayers } from '../drivers/load-layers.ts';
import { projectDir } from '../../../src/project/project.ts';
import type { CompositeSource, DataSetDefinition, SourcePart } from '../../../src/catalogue/definition.ts';
import type { DataSetRecord } from '../../../src/messages/manifest.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { checksumChunks, writeChunkList } from '../../../workers/geopackage/checksum.ts';
import { landFile } from '../../../workers/geopackage/land-file.ts';
import { dropFeatureTable } from '../../../workers/import/features/feature-table.ts';
import { capturedOutput } from '../drivers/captured-output.ts';
import { temporaryFolder } from '../drivers/folder.ts';
import type { LonLat } from '../material/sample/frame.ts';
import { answersAt, type Told } from '../oracles/answers-at.ts';
import { adminAreas, boxLayer, text, type BoxFeature, type DegreeBox } from './arcgis/authorities.ts';
import type { ServedLayer } from './arcgis/layers.ts';
import { ArcgisServer } from './arcgis/server.ts';

/** Both composites of the authorities, with the key that each answers. */
export const composites = { flood_hazard: 'floodProximity', regulated_area: 'regulatedArea' } as const;
type Composite = keyof typeof composites;
export const compositeIds = Object.keys(composites) as readonly Composite[];

const [WEST, SOUTH, WIDTH, HEIGHT] = [-80.4, 43.4, 0.3, 0.2];

/** Authorities stand in six columns and six rows, and become nine regions of two by two. */
export interface Authority {
  readonly column: number;
  readonly row: number;
  readonly name: string;
}

export const authorities: readonly Authority[] = Array.from({ length: 36 }, (_, i) => {
  const [column, row] = [i % 6, Math.floor(i / 6)];
  return { column, row, name: `Stream ${column}${row} Conservation Authority` };
});

export function authorityAt(column: number, row: number): Authority {
  return authorities.find((one) => one.column === column && one.row === row)!;
}

export const regionName = (column: number, row: number): string =>
  `Region ${column}${row} Regional Conservation Authority`;

function boxOf({ column, row }: Pick<Authority, 'column' | 'row'>, size = 1): DegreeBox {
  const [west, south] = [WEST + column * WIDTH, SOUTH + row * HEIGHT];
  return [west, south, west + size * WIDTH, south + size * HEIGHT];
}

/** A place in an authority's box, by shares of its width and height. */
export function placeIn(authority: Authority, x: number, y: number): LonLat {
  const [west, south, east, north] = boxOf(authority);
  return [west + x * (east - west), south + y * (north - south)];
}

/** In the middle of what is mapped of an authority, and far from it. */
export const insideOf = (authority: Authority): LonLat => placeIn(authority, 0.5, 0.5);
export const outsideOf = (authority: Authority): LonLat => placeIn(authority, 0.15, 0.15);

/** Places of every authority: in its flood, beside it, far from it, and beside its edges. */
export const places: readonly LonLat[] = authorities.flatMap((one) => [
  insideOf(one),
  placeIn(one, 0.54, 0.5),
  outsideOf(one),
  placeIn(one, 0.85, 0.6),
  placeIn(one, 0.998, 0.9),
]);

const before: readonly BoxFeature[] = authorities.map((one, i) => ({
  box: boxOf(one),
  attributes: { CA_ID: i + 1, LEGAL_NAME: one.name },
}));

const provinceBefore = [adminAreas(before)];

const after: readonly BoxFeature[] = Array.from({ length: 9 }, (_, i) => {
  const [column, row] = [i % 3, Math.floor(i / 3)];
  const attributes = { CA_ID: i + 1, LEGAL_NAME: regionName(column, row) };
  return { box: boxOf({ column: 2 * column, row: 2 * row }, 2), attributes };
});

/** What an authority maps: one box in its middle. */
export function mappedBy(mapped: readonly Authority[]): readonly ServedLayer[] {
  const boxes = mapped.map((one): BoxFeature => {
    const [[west, south], [east, north]] = [placeIn(one, 0.47, 0.47), placeIn(one, 0.53, 0.53)];
    return { box: [west, south, east, north] };
  });
  const layer = (service: string, name: string): ServedLayer => ({
    ...boxLayer({ service: `${service}/MapServer`, id: 0, name, fields: [text('REMARK')] }, boxes),
    editedMs: Date.UTC(2026, 5, 1),
  });
  return [layer('Flood', 'Floodplain'), layer('Regulation', 'Regulation Limit')];
}

const kinds = {
  flood_hazard: { kind: 'floodplain', service: 'Flood/MapServer', names: ['Floodplain'] },
  regulated_area: { kind: 'regulated_area', service: 'Regulation/MapServer', names: ['Regulation Limit'] },
} as const;

export class MergingProvince implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly config = { dataDir: join(this.#folder.path, 'data'), layersDir: join(this.#folder.path, 'layers') };
  readonly province: ArcgisServer;
  /** Of each authority that has a service, by its name. */
  readonly services: ReadonlyMap<string, ArcgisServer>;
  readonly #others: AsyncDisposable[] = [];

  private constructor(province: ArcgisServer, services: ReadonlyMap<string, ArcgisServer>) {
    this.province = province;
    this.services = services;
    cpSync(join(projectDir, 'layers'), this.config.layersDir, { recursive: true });
    for (const id of compositeIds)
      this.#edit(id, () => [...services].map(([name, { url }]) => this.#partOf(id, name, url)));
  }

  static async start(mapping: readonly Authority[]): Promise<MergingProvince> {
    const services = new Map<string, ArcgisServer>();
    for (const one of mapping) services.set(one.name, await ArcgisServer.start(mappedBy([one])));
    return new MergingProvince(await ArcgisServer.start(provinceBefore), services);
  }

  #partOf(id: Composite, name: string, server: string): SourcePart {
    const authority = authorities.find((one) => one.name === name)!;
    return {
      ...kinds[id],
      ...{
        publisher: name,
        server,
        layerIdHint: 0,
        licence: { id: 'test', url: null },
        attribution: `Data of ${name}.`,
      },
      coverage: { authority: name },
      control: { inside: [insideOf(authority)], outside: [outsideOf(authority)], confirmed: null },
      use: true,
    };
  }

  /** Changes the parts of both composites, as a later version of the definitions does. */
  editParts(change: (part: SourcePart) => SourcePart): void {
    for (const id of compositeIds) this.#edit(id, (parts) => parts.map(change));
  }

  editPart(name: string, change: (part: SourcePart) => SourcePart): void {
    this.editParts((part) => (part.publisher === name ? change(part) : part));
  }

  #edit(id: Composite, change: (parts: readonly SourcePart[]) => readonly SourcePart[]): void {
    const file = join(this.config.layersDir, `${id}.json`);
    const definition = JSON.parse(readFileSync(file, 'utf8')) as DataSetDefinition;
    const [source] = definition.sources as readonly [CompositeSource];
    writeFileSync(file, JSON.stringify({ ...definition, sources: [{ ...source, parts: change(source.parts) }] }));
  }

  /** Keeps data and definitions as they are, for `restore`. */
  keep(): void {
    for (const dir of Object.values(this.config))
      cpSync(dir, `${dir}-kept`, { recursive: true, verbatimSymlinks: true });
  }

  /** Goes back to what was kept, and to the services as they were at the start. */
  restore(): void {
    for (const dir of Object.values(this.config)) {
      rmSync(dir, { recursive: true });
      cpSync(`${dir}-kept`, dir, { recursive: true, verbatimSymlinks: true });
    }
    this.province.layers = provinceBefore;
    for (const [name, service] of this.services)
      service.layers = mappedBy([authorities.find((one) => one.name === name)!]);
  }

  merge(): void {
    this.province.layers = [{ ...adminAreas(after), editedMs: Date.UTC(2026, 7, 1) }];
  }

  /** The same server at another address. */
  async moved(authority: Authority): Promise<ArcgisServer> {
    const server = await ArcgisServer.start(this.services.get(authority.name)!.layers);
    this.#others.push(server);
    return server;
  }

  /** Shuts a service down: nothing answers at its address any more. */
  async shutDown({ name }: Authority): Promise<void> {
    await this.services.get(name)![Symbol.asyncDispose]();
  }

  /** Shuts a service down, and answers every request at its address with a redirect to another server. */
  async redirect(authority: Authority, to: ArcgisServer): Promise<void> {
    const { port } = new URL(this.services.get(authority.name)!.url);
    await this.shutDown(authority);
    const server = createServer((request, response) => {
      response.writeHead(301, { Location: new URL(request.url ?? '/', to.url).href }).end();
    });
    await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
    this.#others.push({ [Symbol.asyncDispose]: () => closed(server) });
  }

  async load(only: readonly string[], more: Partial<LoadLayersOptions> = {}): Promise<{ code: number; text: string }> {
    const output = capturedOutput();
    const retry = { attempts: 2, firstMs: 1, mostMs: 1 };
    const options = { server: this.province.url, retry, idleMs: 2000, only, ...more };
    const code = await loadLayers(this.config, options, output);
    return { code, text: output.text().replace(/\s+/g, ' ') };
  }

  /** What all places are told by each composite. */
  ask(): Readonly<Record<Composite, readonly Told[]>> {
    const told = (id: Composite) => answersAt(this.config, composites[id], places);
    return { flood_hazard: told('flood_hazard'), regulated_area: told('regulated_area') };
  }

  record(id: string): DataSetRecord {
    return requireCurrentSnapshot(this.config.dataDir).manifest.dataSets[id]!;
  }

  /** Takes away what versions before 0.3 did not store: the areas of the parts. */
  makeOlder(): void {
    const { dir, manifest } = requireCurrentSnapshot(this.config.dataDir);
    const db = new Database(landFile(dir));
    dropFeatureTable(db, 'part_area');
    db.close();
    const { sha256, bytes, chunks } = checksumChunks(landFile(dir));
    writeChunkList(dir, chunks);
    const older = { ...manifest, checksum: { ...manifest.checksum, sha256, bytes } };
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify(older));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.province, ...this.services.values(), ...this.#others])
      await server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
