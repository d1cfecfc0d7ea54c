import type { NameList, Range } from './name-list.ts';

/**
 * Returns the ranges of names whose beginning one typing error separates from a text: a letter added, left out, changed,
 * or swapped with its neighbour. Ranges may overlap, and those that begin exactly so may be among them.
 */
export function namesNear(list: NameList, text: Buffer): Range[] {
  const near: Range[] = [];
  const add = (range: Range): void => {
    if (range.from < range.to) near.push(range);
  };
  let node: Range = { from: 0, to: list.count };
  for (let depth = 0; depth < text.length && node.from < node.to; depth++) {
    const typed = text[depth]!;
    const rest = text.subarray(depth + 1);
    // A letter too many.
    add(list.within(node, depth, rest));
    if (depth + 1 < text.length) {
      const swapped = Buffer.concat([text.subarray(depth + 1, depth + 2), Buffer.of(typed), text.subarray(depth + 2)]);
      add(list.within(node, depth, swapped));
    }
    let next: Range = { from: 0, to: 0 };
    for (const { byte, part } of list.children(node, depth)) {
      if (byte === typed) next = part;
      else {
        // Another letter, or a letter that is missing.
        add(list.within(part, depth + 1, rest));
        add(list.within(part, depth + 1, text.subarray(depth)));
      }
    }
    node = next;
  }
  return near;
}
