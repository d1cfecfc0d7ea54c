import { expect } from 'chai';
import { COUNTRY, mapDrawn, search, withPage } from './visits.ts';
import { watchWaits, type Waits } from './waits.ts';

const ANSWER_MS = 300;
const MAP_MS = 1000;
const MOST_VISITS = 8;
/** An address takes a person longer; the page gets its map ready meanwhile. */
const TYPING_MS = 2000;
/** Machines that run tests draw without a graphics card, on cores that others use too: the printed figures tell the rest. */
const SLACK = 1.5;

describe('The page, in little time', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  // The best of some visits: what else the machine does makes waits longer, never shorter. Once they are short enough, no more are needed.
  it('answers soon after Enter, and shows the map soon after that', async () => {
    const all: Waits[] = [];
    const best = (): Waits => ({
      answerMs: Math.min(...all.map(({ answerMs }) => answerMs)),
      mapMs: Math.min(...all.map(({ mapMs }) => mapMs)),
    });
    const isQuick = ({ answerMs, mapMs }: Waits): boolean => answerMs <= ANSWER_MS * SLACK && mapMs <= MAP_MS * SLACK;
    for (let i = 0; i < MOST_VISITS && !isQuick(best()); i++) {
      await using opened = await open();
      const waits = await watchWaits(opened.page);
      await opened.page.waitForTimeout(TYPING_MS);
      await search(opened.page, COUNTRY, service().key);
      await mapDrawn(opened.page);
      all.push(await waits());
    }
    console.log(
      all.map(({ answerMs, mapMs }) => `      answer ${answerMs.toFixed()} ms, map ${mapMs.toFixed()} ms`).join('\n'),
    );
    expect(best().answerMs).to.be.within(1, ANSWER_MS * SLACK);
    expect(best().mapMs).to.be.within(1, MAP_MS * SLACK);
  });
});
