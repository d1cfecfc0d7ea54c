// A client from Hey API (openapi-ts): a function for each operation.
// npx openapi-ts -i http://127.0.0.1:8080/openapi.json -o generated/hey-api
import { setTimeout as sleep } from 'node:timers/promises';
import { client } from './generated/hey-api/client.gen.js';
import { batchResults, createBatch, lookup, lookupArea, showBatch } from './generated/hey-api/index.js';
import type { BatchRow, Problem } from './generated/hey-api/index.js';

const { LAND_LOOKUP_URL: baseUrl = 'http://127.0.0.1:8080', LAND_LOOKUP_KEY: key = '' } = process.env;
client.setConfig({ baseUrl, auth: key });

/** What a program does about a failure depends on its code, and where that has several causes on its reason. */
function failed({ code, reason, param, detail, title }: Problem): Error {
  return new Error([code, reason, param, detail ?? title].filter(Boolean).join(', '));
}

const found = await lookup({ body: { address: '13 Marsh Rd, Fiddlehead Corners, ON' } });
if (!found.data) throw failed(found.error);
console.log('lookup:', found.data.address, found.data.layers.wetlandProximity);

const area = await lookupArea({
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

const csv = 'custom_id,address\na,"13 Marsh Rd, Fiddlehead Corners, ON"\nb,"1 Nowhere Cres, Sampleton, ON"\n';
const sent = await createBatch({ body: new Blob([csv]) });
if (!sent.data) throw failed(sent.error);
const path = { id: sent.data.id };
for (let state = sent.data.state; state === 'queued' || state === 'running';) {
  await sleep(200);
  const batch = await showBatch({ path });
  if (!batch.data) throw failed(batch.error);
  state = batch.data.state;
}
const results = await batchResults({ path, query: { format: 'ndjson' }, parseAs: 'text' });
if (results.error) throw failed(results.error);
for (const line of String(results.data).split('\n').filter(Boolean)) {
  const row = JSON.parse(line) as BatchRow;
  if (row.code === null)
    console.log('row:', row.custom_id, row.lookupId.length, 'address' in row.body && row.body.address);
  else console.log('row:', row.custom_id, row.code, row.body.reason);
}

const refused = await lookup({ body: { address: '1 Nowhere Cres, Sampleton, ON' } });
if (refused.error?.code === 'ADDRESS_NOT_FOUND' && refused.error.reason === 'STREET_NOT_FOUND') {
  console.log('problem:', failed(refused.error).message);
}
