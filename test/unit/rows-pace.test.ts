/** When the next message with rows of a batch may begin. */
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lane, RowsPace, type Started } from '../../src/core/pool/lane.ts';

const LONG_MS = 60_000;

/** A pace, and how many times it has opened. */
function paced(holdMs: number): { readonly pace: RowsPace; readonly opened: () => number } {
  let count = 0;
  const pace = new RowsPace(() => count++, holdMs);
  return { pace, opened: () => count };
}

describe('RowsPace', () => {
  it('lets message follow message while nobody asks', () => {
    const { pace } = paced(LONG_MS);
    for (let i = 0; i < 3; i++) {
      pace.messageEnded();
      expect(pace.isOpen).to.equal(true);
    }
  });

  it('holds the next message until the last lookup of a person has ended', () => {
    const { pace, opened } = paced(LONG_MS);
    pace.count(1);
    pace.count(1);
    expect(pace.isOpen).to.equal(true);
    pace.messageEnded();
    pace.count(-1);
    expect([pace.isOpen, opened()]).to.deep.equal([false, 0]);
    pace.count(-1);
    expect([pace.isOpen, opened()]).to.deep.equal([true, 1]);
  });

  it('holds it for some time at most, again after each message', async () => {
    const { pace, opened } = paced(5);
    pace.count(1);
    for (const times of [1, 2]) {
      pace.messageEnded();
      pace.messageEnded();
      expect(pace.isOpen).to.equal(false);
      while (!pace.isOpen) await sleep(1);
      expect(opened()).to.equal(times);
    }
  });
});

describe('Lane whose rows are held', () => {
  it('starts a lookup that comes, and the rows when they are let go', () => {
    let isOpen = true;
    const lane = new Lane(1, () => isOpen);
    const log: string[] = [];
    const started: Started[] = [];
    const waiting = (name: string): Parameters<Lane['add']>[1] => ({
      isWanted: () => true,
      start: (one) => {
        log.push(name);
        started.push(one);
      },
      drop: () => expect.fail('it was dropped'),
    });
    const end = (): void => {
      lane.end(started.shift()!, 1);
    };
    lane.addRows('a', waiting('rows 1'));
    lane.addRows('a', waiting('rows 2'));
    isOpen = false;
    end();
    expect(log).to.deep.equal(['rows 1']);
    lane.add('b', waiting('lookup'));
    expect(log).to.deep.equal(['rows 1', 'lookup']);
    end();
    lane.startWaiting();
    expect(log).to.have.length(2);
    isOpen = true;
    lane.startWaiting();
    expect(log).to.deep.equal(['rows 1', 'lookup', 'rows 2']);
  });
});
