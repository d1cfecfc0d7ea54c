import { partOf, type ServedFeature } from '../../feature.ts';
import { compareRoute } from './compare-route.ts';
import { compareTool } from './compare-tool.ts';
import { Vintages, vintagesPart, vintagesRoute } from './vintages.ts';

/** Answers that clients kept, compared with those of now. */
export const compare: ServedFeature = {
  guides: ['watching'],
  routes: [vintagesRoute, compareRoute],
  tools: [compareTool],
  part: partOf(vintagesPart, (services) => new Vintages(services)),
};
