/** How tests bear a slow machine: they try until it is so, with an end that none of them comes near to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
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

/** Of pauses alone: a slow machine has the time that its tries take on top. */
const MOST_PAUSES_MS = 180_000;

/** Waits until something is so. @throws Error after three minutes, with what came instead: @param instead tells it. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  everyMs = 20,
  instead: () => unknown = () => undefined,
): Promise<void> {
  for (let pausedMs = 0; !(await isSo()); pausedMs += everyMs) {
    if (pausedMs >= MOST_PAUSES_MS)
      throw new Error(
        `not so after ${MOST_PAUSES_MS / 1000} s: ${String(isSo)}, but ${inspect(instead(), { depth: 4 })}`,
      );
    await sleep(everyMs);
  }
}

type Line = Readonly<Record<string, unknown>>;

/** Waits for a line of a log. @param lines what came so far; more are added. @throws Error after three minutes, with the last lines. */
export async function untilLogged(lines: readonly Line[], isIt: (line: Line) => boolean): Promise<Line> {
  await until(
    () => lines.some(isIt),
    5,
    () => ({ wanted: String(isIt), last: lines.slice(-20) }),
  );
  return lines.find(isIt)!;
}
