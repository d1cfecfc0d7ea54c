import type { ThreadFeature } from '../engine/feature.ts';
import { answerArea } from './answer-area.ts';

/** Lookups of areas. */
export const areas: ThreadFeature = {
  name: 'areas',
  open: (from, catalogue) => ({ handlers: { area: (task) => answerArea(from, task, catalogue) } }),
};
