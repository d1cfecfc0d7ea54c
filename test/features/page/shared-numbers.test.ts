import { expect } from 'chai';
import { MOST_VERTICES } from '../../../src/messages/area-limits.ts';
import { EDGE_SEARCH_M } from '../../../src/messages/lookup.ts';
import type * as Answers from '../../../web/answers/answers.ts';
import type * as GeojsonInput from '../../../web/shared/geojson-input.ts';
import { webModule } from './web-module.ts';

describe('Numbers that the page and the service both have', () => {
  it('are the same', async () => {
    const answers = (await webModule('answers/answers.ts')) as typeof Answers;
    const geojson = (await webModule('shared/geojson-input.ts')) as typeof GeojsonInput;
    expect(answers.EDGE_SEARCH_M).to.equal(EDGE_SEARCH_M);
    expect(geojson.MOST_VERTICES).to.equal(MOST_VERTICES);
  });
});
