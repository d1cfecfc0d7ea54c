// A client from openapi-typescript and openapi-fetch: types only, and a small function around `fetch`.
// npx openapi-typescript http://127.0.0.1:8080/openapi.json -o generated/land-lookup.d.ts
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/land-lookup.d.ts';

type Schemas = components['schemas'];

const { LAND_LOOKUP_URL: baseUrl = 'http://127.0.0.1:8080', LAND_LOOKUP_KEY: key } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

/** What a program does about a failure depends on its code, and where that has several causes on its reason. */
function failed({ code, reason, param, detail, title }: Schemas['Problem']): Error {
  return new Error([code, reason, param, detail ?? title].filter(Boolean).join(', '));
}

const found = await client.POST('/api/lookup', { body: { address: '13 Marsh Rd, Fiddlehead Corners, ON' } });
if (!found.data) throw failed(found.error);
console.log('lookup:', found.data.address, found.data.layers.wetlandProximity);

const area = await client.POST('/api/lookup/area', {
  body: {
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [-79.3304, 44.2677],
          [-79.3244, 44.2677],
          [-79.3244, 44.2717],
          [-79.3304, 44.2677],
        ],
      ],
    },
  },
});
if (!area.data) throw failed(area.error);
console.log(
  'area:',
  area.data.areaM2,
  area.data.layers.greenbelt?.share,
  area.data.layers.wetlandProximity?.bands.inside,
);

const sent = await client.POST('/api/batches', {
  headers: { 'Content-Type': 'text/csv' },
  body: 'custom_id,address\na,"13 Marsh Rd, Fiddlehead Corners, ON"\nb,"1 Nowhere Cres, Sampleton, ON"\n',
  bodySerializer: (csv) => csv,
});
if (!sent.data) throw failed(sent.error);
const path = { id: sent.data.id };
for (let state = sent.data.state; state === 'queued' || state === 'running';) {
  await sleep(200);
  const batch = await client.GET('/api/batches/{id}', { params: { path } });
  if (!batch.data) throw failed(batch.error);
  state = batch.data.state;
}
const results = await client.GET('/api/batches/{id}/results', { params: { path }, parseAs: 'text' });
if (results.data === undefined) throw failed(results.error);
for (const line of results.data.split('\n').filter(Boolean)) {
  const row = JSON.parse(line) as Schemas['BatchRow'];
  if (row.code === null)
    console.log('row:', row.custom_id, row.lookupId.length, 'address' in row.body && row.body.address);
  else console.log('row:', row.custom_id, row.code, row.body.reason);
}

const refused = await client.POST('/api/lookup', { body: { address: '1 Nowhere Cres, Sampleton, ON' } });
if (refused.error?.code === 'ADDRESS_NOT_FOUND' && refused.error.reason === 'STREET_NOT_FOUND') {
  console.log('problem:', failed(refused.error).message);
}
