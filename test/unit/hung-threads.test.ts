/** Threads that hang in a lookup, and those that only look like it. */
import { expect } from 'chai';
import { HungThread, ThreadWatch } from '../../src/core/pool/hung-threads.ts';
import { noteLookup, type MessageProgress } from '../../src/messages/lookup.ts';
import { pass, withOwnTimers } from '../support/drivers/passing-time.ts';

const DEADLINE_MS = 2000;
const THREAD = 7;

describe('The watch over lookup threads', () => {
  /** Threads that were replaced. */
  let hung: number[];
  let watch: ThreadWatch;
  withOwnTimers();
  beforeEach(() => {
    hung = [];
    watch = new ThreadWatch(DEADLINE_MS, (threadId) => hung.push(threadId));
  });
  afterEach(() => {
    watch[Symbol.dispose]();
  });

  /** A message that a test answers or loses. */
  class Message {
    readonly answer: Promise<string>;
    resolve: (answer: string) => void = () => undefined;
    reject: (cause: Error) => void = () => undefined;
    #progress: MessageProgress | null = null;

    constructor() {
      this.answer = watch.during((progress) => {
        this.#progress = progress;
        return new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
      });
      this.answer.catch(() => undefined);
    }

    at(number: number): void {
      noteLookup(this.#progress!, number, THREAD);
    }
  }
  const deadlines = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await pass(DEADLINE_MS);
  };
  const causeOf = (answer: Promise<unknown>) => answer.then(String, (cause: unknown) => cause);

  it('has a thread replaced after ten deadlines in one lookup, and names that lookup', async () => {
    const [message, other] = [new Message(), new Message()];
    message.at(3);
    await deadlines(10);
    expect(hung).to.deep.equal([]);
    await deadlines(1);
    expect(hung).to.deep.equal([THREAD]);
    for (const { reject } of [message, other]) reject(new Error('replaced'));
    const cause = await causeOf(message.answer);
    expect(cause).to.be.instanceOf(HungThread).and.include({ index: 2, code: 'UNANSWERABLE' });
    expect(await causeOf(other.answer), 'it waited in the same thread').not.to.be.instanceOf(HungThread);
  });

  it('leaves a thread alone that goes from lookup to lookup, or that has not begun', async () => {
    const [message, waiting] = [new Message(), new Message()];
    for (let number = 1; number <= 32; number++) {
      message.at(number);
      await deadlines(9);
    }
    expect(hung).to.deep.equal([]);
    message.resolve('answered');
    expect(await message.answer).to.equal('answered');
    await deadlines(50);
    expect(hung).to.deep.equal([]);
    waiting.reject(new Error('lost'));
    expect(String(await causeOf(waiting.answer))).to.equal('Error: lost');
  });

  it('begins anew with each message, also in memory that was used before', async () => {
    const first = new Message();
    first.at(32);
    await deadlines(5);
    first.resolve('answered');
    await first.answer;
    const second = new Message();
    await deadlines(20);
    expect(hung).to.deep.equal([]);
    second.at(32);
    await deadlines(11);
    expect(hung).to.deep.equal([THREAD]);
  });
});
