/** Most bytes of a tool's text as it is sent, so that an answer as text, with its envelope, is at most 10 kB. */
const MOST_BYTES = 9500;

/** Lengths in characters to which texts are cut, until an answer is small enough. */
const LENGTHS = [1000, 200, 80, 30];

/** An answer of a tool, which is sent for programs, and as text. */
export type ToolAnswer = Readonly<Record<string, unknown>>;

/**
 * Makes an answer with its texts as long as fits, or the shortest when nothing fits. `compose` cuts each text to the length that it is given.
 */
export function fittingAnswer(compose: (longest: number) => ToolAnswer): ToolAnswer {
  let answer: ToolAnswer = {};
  for (const longest of LENGTHS) {
    answer = compose(longest);
    // The text is sent as a string of JSON, in which each of its quotes takes two bytes.
    if (Buffer.byteLength(JSON.stringify(JSON.stringify(answer))) <= MOST_BYTES) break;
  }
  return answer;
}
