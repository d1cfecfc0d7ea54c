/** `GET /api/vintages`: which records of the data this machine has. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commonHeaders, inJson } from '../../core/openapi/responses.ts';
import { partKey } from '../../core/parts/parts.ts';
import { Content, sendContent } from '../../core/http/content.ts';
import { route } from '../../core/http/route.ts';
import type { Services } from '../../core/http/services.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { storedIds } from '../../core/snapshots/vintages.ts';
import { markOfDefinitions, parseManifest } from '../../messages/manifest.ts';
import { vintagesSchema, type Vintage, type VintagesBody } from './wire.ts';

/** Most snapshots that are listed: two years of nights. */
const MOST_LISTED = 730;

type Listed = Omit<Vintage, 'inService'>;

/** The list of a service, made anew when a snapshot comes, goes, or comes into service. */
export class Vintages {
  readonly #services: Pick<Services, 'config' | 'snapshots'>;
  /** A snapshot never changes. Null: its manifest could not be read. */
  readonly #known = new Map<string, Listed | null>();
  #made: { readonly of: string; readonly content: Promise<Content> } | null = null;

  constructor(services: Pick<Services, 'config' | 'snapshots'>) {
    this.#services = services;
  }

  content(): Promise<Content> {
    const { config, snapshots } = this.#services;
    const ids = storedIds(config.dataDir).slice(0, MOST_LISTED);
    const inService = snapshots.manifest.id;
    const of = [inService, ...ids].join(' ');
    if (this.#made?.of !== of) this.#made = { of, content: this.#make(ids, inService) };
    return this.#made.content;
  }

  async #make(ids: readonly string[], inService: string): Promise<Content> {
    for (const id of this.#known.keys()) if (!ids.includes(id)) this.#known.delete(id);
    const vintages: Vintage[] = [];
    for (const id of ids) {
      let one = this.#known.get(id);
      if (one === undefined) this.#known.set(id, (one = await this.#read(id).catch(() => null)));
      if (one !== null) vintages.push({ ...one, inService: id === inService });
    }
    return new Content(Buffer.from(JSON.stringify({ vintages } satisfies VintagesBody)));
  }

  async #read(id: string): Promise<Listed> {
    const file = join(snapshotsFolder(this.#services.config.dataDir), id, 'manifest.json');
    const { createdAt, dataSets, definitions } = parseManifest(await readFile(file, 'utf8'), file);
    const dates = Object.entries(dataSets).filter(([name]) => name !== 'province');
    const dataAsOf = Object.fromEntries(dates.map(([name, { asOf }]) => [name, asOf]));
    return { vintage: id, publishedAt: createdAt, dataAsOf, definitions: markOfDefinitions(definitions) };
  }
}

export const vintagesPart = partKey<Vintages>('compare');

export const vintagesRoute = route({
  method: 'get',
  path: '/api/vintages',
  key: null,
  query: 'any',
  docs: ({ fullLookup: { snapshot, dataAsOf } }) => ({
    operationId: 'vintages',
    tag: 'catalogue',
    summary: 'The records of the data that this machine has',
    description:
      'A vintage is a published snapshot: the day of our record, not the day from which a law holds. A batch can be answered from one of them (`vintage`). Needs no key and costs nothing.',
    schemas: { Vintages: vintagesSchema },
    answers: {
      200: {
        description: 'The newest first.',
        headers: commonHeaders,
        content: inJson('Vintages', {
          vintages: [
            {
              ...{ vintage: snapshot.id, inService: true, publishedAt: snapshot.createdAt },
              ...{ dataAsOf, definitions: snapshot.definitions },
            },
          ],
        } satisfies VintagesBody),
      },
    },
  }),
  handle: async ({ services, req, res }) =>
    sendContent(req, res, await services.parts.of(vintagesPart).content(), { type: 'application/json' }),
});
