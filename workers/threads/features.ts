import { areas } from '../areas/feature.ts';
import { coverage } from '../coverage/feature.ts';
import { explain } from '../explain/feature.ts';
import type { ThreadFeature } from '../engine/feature.ts';
import { maps } from '../maps/feature.ts';
import { rules } from '../rules/feature.ts';
import { suggest } from '../suggest/feature.ts';

/** All features of lookup threads: the only file that names them. */
export const threadFeatures: readonly ThreadFeature[] = [areas, maps, rules, suggest, coverage, explain];
