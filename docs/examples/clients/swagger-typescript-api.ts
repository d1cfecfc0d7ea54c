// A client from swagger-typescript-api: a class. It throws the answer of a failure, with the problem in `error`.
// npx swagger-typescript-api generate -p http://127.0.0.1:8080/openapi.json -o generated -n swagger-typescript-api.ts
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Api,
  type BatchRow,
  type HttpResponse,
  type Lookup,
  type Problem,
} from './generated/swagger-typescript-api.js';

const { LAND_LOOKUP_URL: baseUrl = 'http://127.0.0.1:8080', LAND_LOOKUP_KEY: key } = process.env;
const headers = { Authorization: `Bearer ${key}` };
const { api } = new Api({ baseUrl, baseApiParams: { headers } });

/** This generator's class writes each body as JSON or as plain text: a file has to go as it is. */
function forFile(file: File): Api<unknown>['api'] {
  const customFetch: typeof fetch = (url, init) =>
    fetch(url, { ...init, body: file, headers: { ...headers, 'Content-Type': 'text/csv' } });
  return new Api({ baseUrl, customFetch }).api;
}

const { data: found } = await api.lookup({ address: '13 Marsh Rd, Fiddlehead Corners, ON' });
console.log('lookup:', found.address, found.layers.wetlandProximity);

const { data: area } = await api.lookupArea({
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
});
console.log('area:', area.areaM2, area.layers.greenbelt?.share, area.layers.wetlandProximity?.bands.inside);

const csv = 'custom_id,address\na,"13 Marsh Rd, Fiddlehead Corners, ON"\nb,"1 Nowhere Cres, Sampleton, ON"\n';
const file = new File([csv], 'places.csv');
let { data: batch } = await forFile(file).createBatch(file);
while (batch.state === 'queued' || batch.state === 'running') {
  await sleep(200);
  batch = (await api.showBatch(batch.id)).data;
}
const { data: results } = await api.batchResults(batch.id, { format: 'ndjson' }, { format: 'text' });
for (const line of results.split('\n').filter(Boolean)) {
  const row = JSON.parse(line) as BatchRow;
  if (row.code === null)
    console.log('row:', row.custom_id, row.lookupId.length, 'address' in row.body && row.body.address);
  else console.log('row:', row.custom_id, row.code, row.body.reason);
}

try {
  await api.lookup({ address: '1 Nowhere Cres, Sampleton, ON' });
} catch (failure) {
  // What a program does about a failure depends on its code, and where that has several causes on its reason.
  const { error } = failure as HttpResponse<Lookup, Problem>;
  if (error?.code === 'ADDRESS_NOT_FOUND' && error.reason === 'STREET_NOT_FOUND') {
    console.log('problem:', [error.code, error.reason, error.param, error.detail].filter(Boolean).join(', '));
  }
}
