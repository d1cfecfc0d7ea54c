// A client from orval: a function for each operation, with the status in its answer. orval.config.mjs says where the service is.
// npx orval --config orval.config.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import { batchResults, createBatch, lookup, lookupArea, showBatch } from './generated/orval.js';
import type { BatchRow, Problem } from './generated/orval.js';

const { LAND_LOOKUP_KEY: key } = process.env;
const withKey = { headers: { Authorization: `Bearer ${key}` } };

/** What a program does about a failure depends on its code, and where that has several causes on its reason. */
function failed({ code, reason, param, detail, title }: Problem): Error {
  return new Error([code, reason, param, detail ?? title].filter(Boolean).join(', '));
}

const found = await lookup({ address: '13 Marsh Rd, Fiddlehead Corners, ON' }, {}, withKey);
if (found.status !== 200) throw failed(found.data);
console.log('lookup:', found.data.address, found.data.layers.wetlandProximity);

const area = await lookupArea(
  {
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
  {},
  withKey,
);
if (area.status !== 200) throw failed(area.data);
console.log(
  'area:',
  area.data.areaM2,
  area.data.layers.greenbelt?.share,
  area.data.layers.wetlandProximity?.bands.inside,
);

const csv = 'custom_id,address\na,"13 Marsh Rd, Fiddlehead Corners, ON"\nb,"1 Nowhere Cres, Sampleton, ON"\n';
const sent = await createBatch(new Blob([csv]), {}, withKey);
if (sent.status !== 202) throw failed(sent.data);
const { id } = sent.data;
for (let state = sent.data.state; state === 'queued' || state === 'running';) {
  await sleep(200);
  const batch = await showBatch(id, withKey);
  if (batch.status !== 200) throw failed(batch.data);
  state = batch.data.state;
}
const results = await batchResults(id, { format: 'ndjson' }, withKey);
if (!('stream' in results)) throw new Error(`the results cannot be read: ${results.status}`);
for (const line of (await results.stream.text()).split('\n').filter(Boolean)) {
  const row = JSON.parse(line) as BatchRow;
  if (row.code === null)
    console.log('row:', row.custom_id, row.lookupId.length, 'address' in row.body && row.body.address);
  else console.log('row:', row.custom_id, row.code, row.body.reason);
}

const refused = await lookup({ address: '1 Nowhere Cres, Sampleton, ON' }, {}, withKey);
if (refused.status === 404 && refused.data.reason === 'STREET_NOT_FOUND') {
  console.log('problem:', failed(refused.data).message);
}
