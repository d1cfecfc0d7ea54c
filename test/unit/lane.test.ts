/** Turns of keys that share threads. */
import { expect } from 'chai';
import { Lane, type Started } from '../../src/core/pool/lane.ts';

/** A lane with one place, and what was started in it. */
class Subject {
  readonly lane = new Lane(1);
  readonly log: string[] = [];
  #underWay: { readonly started: Started; readonly ms: number } | null = null;

  /** Adds lookups of a key that take so long. */
  add(keyId: string, { count, ms }: { readonly count: number; readonly ms: number }): void {
    const start = (started: Started): void => {
      this.log.push(keyId);
      this.#underWay = { started, ms };
    };
    for (let n = 0; n < count; n++) {
      if (this.lane.isFree) start(this.lane.begin(keyId));
      else this.lane.add(keyId, { isWanted: () => true, start, drop: () => expect.fail('it was dropped') });
    }
  }

  /** Ends so many lookups, each of which starts the next. */
  end(count: number): void {
    for (let n = 0; n < count && this.#underWay; n++) {
      const { started, ms } = this.#underWay;
      this.#underWay = null;
      this.lane.end(started, ms);
    }
  }

  share(keyId: string): number {
    return this.log.filter((id) => id === keyId).length / this.log.length;
  }
}

describe('Lane', () => {
  it('gives keys turns, however many lookups one of them has', () => {
    const subject = new Subject();
    subject.add('a', { count: 100, ms: 2 });
    subject.add('b', { count: 3, ms: 2 });
    subject.end(7);
    expect(subject.log.filter((id) => id === 'b')).to.have.length(3);
  });

  it('counts thread time, not lookups', () => {
    const subject = new Subject();
    subject.add('slow', { count: 200, ms: 9 });
    subject.add('quick', { count: 2000, ms: 1 });
    subject.end(1000);
    expect(subject.share('slow')).to.be.closeTo(0.1, 0.01);
  });

  it('gives a key nothing for having been away', () => {
    const subject = new Subject();
    subject.add('a', { count: 1000, ms: 5 });
    subject.end(500);
    subject.log.length = 0;
    subject.add('b', { count: 1000, ms: 5 });
    subject.end(100);
    expect(subject.share('b')).to.be.closeTo(0.5, 0.02);
  });

  it('drops what nobody waits for, and starts the next', () => {
    const subject = new Subject();
    const { lane, log } = subject;
    subject.add('a', { count: 1, ms: 1 });
    let isDropped = false;
    const drop = (): void => {
      isDropped = true;
    };
    lane.add('a', { isWanted: () => false, start: () => expect.fail('it was started'), drop });
    subject.add('b', { count: 1, ms: 1 });
    subject.add('a', { count: 1, ms: 1 });
    subject.end(1);
    subject.end(1);
    expect([isDropped, log.toSorted()]).to.deep.equal([true, ['a', 'a', 'b']]);
    subject.end(1);
    expect([lane.waiting, lane.isFree]).to.deep.equal([0, true]);
  });

  it('counts what has not ended yet as expected, so that one key cannot start all at once', () => {
    const lane = new Lane(6);
    const order: string[] = [];
    const held = Array.from({ length: 6 }, () => lane.begin('c'));
    for (const keyId of ['a', 'a', 'a', 'b', 'b', 'b']) {
      lane.add(keyId, { isWanted: () => true, start: () => order.push(keyId), drop: () => undefined });
    }
    for (const started of held) lane.end(started, 1);
    expect(order).to.deep.equal(['a', 'b', 'a', 'b', 'a', 'b']);
  });
});
