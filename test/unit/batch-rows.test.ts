import { expect } from 'chai';
import { RowFollower, type RowFormat } from '../../src/features/batches/commands/batch-download.ts';
import { Transient } from '../../src/core/outbound/failures.ts';
import fc from '../support/drivers/fast-check.ts';

const HEAD = 'row,custom_id,status\n';

/** Rows as the contract describes them, with line ends in quoted names. */
function textOf(format: RowFormat, names: readonly string[], first = 1): string[] {
  return names.map((name, i) =>
    format === 'csv'
      ? `${first + i},"${name.replaceAll('"', '""')}",200\n`
      : `{"row":${first + i},"custom_id":${JSON.stringify(name)},"status":200}\n`,
  );
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('Results that arrive', () => {
  for (const format of ['ndjson', 'csv'] as const) {
    const head = format === 'csv' ? HEAD : '';

    it(`are the same ${format} however they are cut and wherever the download breaks off`, () => {
      const names = fc.array(fc.oneof(fc.string(), fc.constantFrom('a\nb', '"', '"\n"', ',', 'é\n')), {
        maxLength: 20,
      });
      const cuts = fc.array(fc.nat(400), { maxLength: 8 });
      fc.assert(
        fc.property(names, cuts, fc.nat(600), (some, at, breakAt) => {
          const rows = textOf(format, some);
          const whole = Buffer.from(head + rows.join(''));
          const follower = new RowFollower(format);
          const got: Buffer[] = [];
          const receive = (text: Buffer): void => {
            const ends = [...at, text.length].filter((end) => end <= text.length).sort((a, b) => a - b);
            let begin = 0;
            for (const end of ends) {
              got.push(follower.take(text.subarray(begin, end)));
              begin = end;
            }
          };
          receive(whole.subarray(0, Math.min(breakAt, whole.length)));
          follower.restart();
          receive(Buffer.from(head + rows.slice(follower.row).join('')));
          follower.end();
          expect(Buffer.concat(got).toString()).to.equal(whole.toString());
          expect(follower.row).to.equal(some.length);
        }),
      );
    });

    it(`refuse a missing row and one that stands twice, in ${format}`, () => {
      const [one, two, three] = textOf(format, ['a', 'b', 'c']) as [string, string, string];
      for (const wrong of [one + three, one + one, two]) {
        const follower = new RowFollower(format);
        expect(() => follower.take(bytes(head + wrong)), wrong).to.throw('the results have row');
      }
      const follower = new RowFollower(format, 2);
      expect(follower.take(bytes(head + three)).toString()).to.equal(three);
    });

    it(`say that they broke off in the middle of a row, in ${format}`, () => {
      const follower = new RowFollower(format);
      follower.take(bytes(head + textOf(format, ['a', 'b']).join('').slice(0, -3)));
      expect(() => {
        follower.end();
      }).to.throw(Transient, 'row 2');
      expect(follower.row).to.equal(1);
    });
  }

  it('refuse a line of CSV that is no row', () => {
    const follower = new RowFollower('csv');
    expect(() => follower.take(bytes(`${HEAD}1,"a",200\n<html>\n`))).to.throw('after row 1');
  });
});
