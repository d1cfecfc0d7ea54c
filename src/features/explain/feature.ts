import { Type } from 'typebox';
import type { AnswerMember } from '../../core/http/answer-members.ts';
import { partKey } from '../../core/parts/parts.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { partOf, type ServedFeature } from '../../feature.ts';
import { explainedSchema, type AskedWords, type Explained } from '../../messages/wire/explained.ts';
import { oneOf } from '../../schema.ts';
import { explainSettings } from './settings.ts';

const explainPart = partKey<ReturnType<typeof explainSettings>>('explain');

/** `?explain=en|fr`: what the answer means, in words. The half in the threads writes it (`workers/explain/`). */
const member: AnswerMember = {
  feature: 'explain',
  parameter: 'explain',
  asked: Type.Optional(
    oneOf(['en', 'fr'], {
      description:
        'Also what the answers mean, in English or French: what was found, by which law, who decides, and what to do.',
    }),
  ),
  takes: 'one value: en or fr',
  forTools: 'en',
  name: 'explained',
  answer: Type.Optional(explainedSchema),
  read: (value, parts): AskedWords => ({ language: value as AskedWords['language'], ...parts.of(explainPart) }),
  columns: () => [{ name: 'explained', cell: sentencesOf }],
};

function sentencesOf(explained: unknown): string | null {
  const sentences = Object.values((explained ?? {}) as Explained).map(({ sentence }) => sentence);
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** What answers mean, for people and programs: a parameter of lookups, which the tools for agents always use, and where to say that something is wrong. */
export const explain: ServedFeature = {
  members: [member],
  part: partOf(explainPart, ({ config }) => settingsOf(config, explainSettings)),
  page: ({ parts }) => ({ of: [], make: () => parts.of(explainPart) }),
};
