/** `GET /api/vintages`: which records of the data this machine has. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commonHeaders, inJson } from '../../core/openapi/responses.ts';
import { partKey } from '../../core/parts/parts.ts';
import { Content, kept, sendContent } from '../../core/http/content.ts';
import { route } from '../../core/http/route.ts';
import type { Services } from '../../core/http/services.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { storedIds } from '../../core/snapshots/vintages.ts';
import type { FullLookupBody } from '../../messages/wire/full-lookup.ts';
import { markOfDefinitions, parseManifest } from '../../messages/manifest.ts';
import { vintagesSchema, type Vintage, type VintagesBody } from './wire.ts';

/** Most snapshots that are listed: two years of nights. */
const MOST_LISTED = 730;

export const vintagesPart = partKey<() => Promise<Content>>('compare');

/** The list of a service, made anew when a snapshot comes, goes, or comes into service. */
export function openVintages({ config: { dataDir }, snapshots }: Services): () => Promise<Content> {
  const ids = (): string[] => storedIds(dataDir).slice(0, MOST_LISTED);
  return kept(
    () => [snapshots.manifest.id, ids().join()],
    async () => {
      const vintages: Vintage[] = [];
      const inService = snapshots.manifest.id;
      for (const id of ids()) {
        // A manifest that cannot be read is left out.
        const read = await vintageOf(dataDir, id).catch(() => null);
        if (read) vintages.push({ ...read, inService: id === inService });
      }
      return new Content(Buffer.from(JSON.stringify({ vintages } satisfies VintagesBody)));
    },
  );
}

async function vintageOf(dataDir: string, id: string): Promise<Omit<Vintage, 'inService'>> {
  const file = join(snapshotsFolder(dataDir), id, 'manifest.json');
  const { createdAt, dataSets, definitions } = parseManifest(await readFile(file, 'utf8'), file);
  const dates = Object.entries(dataSets).filter(([name]) => name !== 'province');
  const dataAsOf = Object.fromEntries(dates.map(([name, { asOf }]) => [name, asOf]));
  return { vintage: id, publishedAt: createdAt, dataAsOf, definitions: markOfDefinitions(definitions) };
}

export const vintagesRoute = route({
  method: 'get',
  path: '/api/vintages',
  key: null,
  query: 'any',
  docs: ({ fullLookup }) => ({
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
        content: inJson('Vintages', exampleOf(fullLookup)),
      },
    },
  }),
  handle: async ({ services, req, res }) =>
    sendContent(req, res, await services.parts.of(vintagesPart)(), { type: 'application/json' }),
});

function exampleOf({ snapshot: { id: vintage, createdAt, definitions }, dataAsOf }: FullLookupBody): VintagesBody {
  return { vintages: [{ vintage, inService: true, publishedAt: createdAt, dataAsOf, definitions }] };
}
