/** How tests bear a busy machine without a tight time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';

/** Tries with a pause that is twice as long each time, because what a quiet machine does in the first one may take a busy one longer. */
export async function withPatience(pauseMs: number, succeeds: (pauseMs: number) => Promise<boolean>): Promise<boolean> {
  for (const times of [1, 2, 4, 8]) if (await succeeds(times * pauseMs)) return true;
  return false;
}

/** Lookups that must be answered while slow clients hold what they can. */
const ANSWERS = 20;
/** Shorter than slow clients may hold a place. */
const LONGEST_MS = 90_000;

/**
 * Asks until lookups were answered. On a busy machine a proxy refuses some, because the servers, in the process of the test, are late; places that
 * slow clients hold would have all of them refused for as long as it asks.
 */
export async function expectAnswers(ask: () => Promise<{ readonly status: number }>): Promise<void> {
  const endMs = performance.now() + LONGEST_MS;
  for (let answered = 0; answered < ANSWERS;) {
    const { status } = await ask();
    if (status === 200) answered++;
    else {
      expect(status).to.equal(503);
      expect(performance.now(), `only ${answered} of ${ANSWERS} were answered`).to.be.below(endMs);
      await sleep(200);
    }
  }
}
