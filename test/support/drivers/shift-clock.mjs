/** For `node --import`, before a server's own program: all its threads read a clock that is as many milliseconds off as CLOCK_FILE says. */
import { readFileSync } from 'node:fs';
import process from 'node:process';

const file = process.env['CLOCK_FILE'];
const TrueDate = Date;
const now = () => TrueDate.now() + Number(readFileSync(file, 'utf8'));

globalThis.Date = class extends TrueDate {
  constructor(...input) {
    super(...(input.length === 0 ? [now()] : input));
  }

  static now() {
    return now();
  }
};
