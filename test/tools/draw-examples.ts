/**
 * `npm run draw-examples` writes `docs/api-examples.json`: answers of the service on its bundled sample, for the OpenAPI document
 * and the documentation. A test compares them with what the service answers.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../src/project/project.ts';
import type { AreaLookupBody, AreaRequest } from '../../src/messages/wire/area-lookup.ts';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';
import type { LayerValue, LookupBody } from '../../src/messages/wire/lookup.ts';
import type { FullPointLookupBody, PointLookupBody, PointRequest } from '../../src/messages/wire/point-lookup.ts';
import type { Examples } from '../../src/core/openapi/lookup-operations.ts';
import { startSampleService } from '../support/drivers/sample-service.ts';
import { streets } from '../support/material/sample/places.ts';

const ADDRESS = '1209 Concession 4, Fiddlehead Corners, ON';
const POINT: PointRequest = { lat: 44.2997, lon: -79.3172, uncertaintyM: 25 };
/** Where several plans of the sample meet. */
const AREA: AreaRequest = {
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [-79.3304, 44.2677],
        [-79.3244, 44.2677],
        [-79.3244, 44.2717],
        [-79.3304, 44.2717],
        [-79.3304, 44.2677],
      ],
    ],
  },
};
const TYPED = '1209 conc';
const MOST_VALUES = 3;

export async function drawExamples(): Promise<Examples> {
  await using service = await startSampleService();
  const ask = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  const lookUp = (address: string, query = ''): Promise<unknown> => ask(`/api/lookup${query}`, { address });
  const suggested = await fetch(`${service.url}/api/suggest?q=${encodeURIComponent(TYPED)}`, {
    headers: { Authorization: `Bearer ${service.key}` },
  });
  const layers: Record<string, LayerValue[]> = {};
  for (const address of sampleAddresses()) {
    const body = (await lookUp(address, '?layers=all')) as LookupBody;
    for (const [key, value] of Object.entries(body.layers)) addValue((layers[key] ??= []), value);
  }
  const full = (await lookUp(ADDRESS, '?detail=full')) as FullLookupBody;
  // The id and the time of a snapshot are those of its import, and its marks change with each word of a definition.
  const snapshot = {
    ...{ id: '20260101T000000Z-0123456789ab', createdAt: '2026-01-01T00:00:00.000Z', sample: true },
    ...{ definitions: '0b1c2d3e', dataSets: { greenbelt: '4f5a6b7c', wetland: '8d9e0f1a' } },
  };
  const fullPoint = (await ask('/api/lookup/point?detail=full', POINT)) as FullPointLookupBody;
  return {
    address: ADDRESS,
    lookup: (await lookUp(ADDRESS)) as LookupBody,
    fullLookup: { ...full, snapshot },
    point: POINT,
    pointLookup: (await ask('/api/lookup/point', POINT)) as PointLookupBody,
    fullPointLookup: { ...fullPoint, snapshot },
    area: AREA,
    areaLookup: (await ask('/api/lookup/area', AREA)) as AreaLookupBody,
    layers,
    coverage: await ask('/api/coverage', { address: ADDRESS }),
    suggest: { q: TYPED, ...((await suggested.json()) as object) },
  };
}

/** An address for every door of the sample. */
export function sampleAddresses(): string[] {
  return streets.flatMap(({ place, name, type, direction = '', firstCivic, stations, suffixes }) =>
    stations.map((_, i) => {
      const street = [type === 'HWY' ? `Highway ${name}` : `${name} ${type}`, direction].join(' ').trim();
      return `${firstCivic + 3 * i}${suffixes?.[i]?.replace('1/2', ' 1/2') ?? ''} ${street}, ${place.mail}, ON`;
    }),
  );
}

function addValue(values: LayerValue[], value: LayerValue): void {
  if (value === null || values.length >= MOST_VALUES) return;
  if (!values.some((known) => JSON.stringify(known) === JSON.stringify(value))) values.push(value);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  void drawExamples().then((examples) => {
    writeFileSync(join(projectDir, 'docs', 'api-examples.json'), `${JSON.stringify(examples, null, 1)}\n`);
  });
}
