import type { Output } from '../../../src/core/terminal/progress-display.ts';

/** Stands in for a terminal or a log, and keeps what a command writes. */
export function capturedOutput(terminal = false): Output & { readonly text: () => string } {
  let text = '';
  return {
    isTTY: terminal,
    columns: 80,
    write: (chunk: unknown) => {
      text += String(chunk);
      return true;
    },
    text: () => text,
  };
}
