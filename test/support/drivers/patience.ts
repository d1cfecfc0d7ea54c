/** How tests bear a slow machine without a time: they try until it is so, and Mocha ends what is never so. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';

/** Deadline of lookups where no test asks for another: none is late because the machine is slow. */
export const PATIENT_DEADLINE_MS = 120_000;

/** For services with a Redis that is there: none counts by itself, or cannot read its keys, because Redis or the service is slow. */
export const PATIENT_REDIS = { redisTimeoutMs: 60_000 } as const;

/** Tries with a pause that is twice as long each time, because what a quiet machine does in the first one may take a busy one longer. */
export async function untilSucceeds(pauseMs: number, succeeds: (pauseMs: number) => Promise<boolean>): Promise<void> {
  for (let tryMs = pauseMs; !(await succeeds(tryMs)); tryMs *= 2);
}

/** Lookups that must be answered while slow clients hold what they can. */
const ANSWERS = 20;

/**
 * Asks until lookups were answered. On a busy machine a proxy refuses some, because the servers, in the process of the test, are late; places that
 * slow clients hold would have all of them refused for as long as it asks.
 */
export async function expectAnswers(ask: () => Promise<{ readonly status: number }>): Promise<void> {
  for (let answered = 0; answered < ANSWERS;) {
    const { status } = await ask();
    if (status === 200) answered++;
    else {
      expect(status).to.equal(503);
      await sleep(200);
    }
  }
}

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>, everyMs = 20): Promise<void> {
  while (!(await isSo())) await sleep(everyMs);
}
