import { Type } from 'typebox';
import { counter } from '../../../src/core/admin/gauges.ts';
import { partOf, type ServedFeature } from '../../../src/feature.ts';
import { route } from '../../../src/core/http/route.ts';
import { sendJson } from '../../../src/core/http/send-answer.ts';
import { answered, inJson } from '../../../src/core/openapi/responses.ts';
import { partKey } from '../../../src/core/parts/parts.ts';
import { settingsOf } from '../../../src/core/settings/config.ts';
import { closed, type Described } from '../../../src/schema.ts';
import { noticeSettings } from './settings.ts';

const noticeSchema = closed({ text: Type.String({ description: 'What the operator says; empty without a notice.' }) });

/** What is open: here a count, elsewhere a store or a loop. */
const noticePart = partKey<{ reads: number }>('notice');

const showNotice = route({
  method: 'get',
  path: '/api/notice',
  key: {},
  docs: {
    operationId: 'notice',
    tag: 'operation',
    summary: 'Read what the operator has to say',
    description: 'Not billed.',
    schemas: { Notice: noticeSchema },
    answers: { 200: answered('The notice.', inJson('Notice', { text: 'No lookups on Sunday from 2 to 3.' })) },
  },
  handle({ services: { config, parts }, res }) {
    parts.of(noticePart).reads += 1;
    const { text } = settingsOf(config, noticeSettings);
    sendJson(res, JSON.stringify({ text } satisfies Described<typeof noticeSchema>));
  },
});

/** A sentence of the operator for all who have a key. */
export const notice: ServedFeature = {
  routes: [showNotice],
  part: partOf(noticePart, () => ({ reads: 0 })),
  measure: (metrics, { parts }) => {
    counter(metrics, 'land_lookup_notice_reads_total', 'Notices that were sent.', null, (set) => {
      set('', parts.of(noticePart).reads);
    });
  },
};
