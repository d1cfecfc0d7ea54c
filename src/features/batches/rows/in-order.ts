/** Maps with up to `atOnce` under way, and yields the results in the order of the input. `work` must not reject. */
export async function* inOrder<In, Out>(
  input: AsyncIterable<In> | Iterable<In>,
  atOnce: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const running: Promise<Out>[] = [];
  for await (const item of input) {
    running.push(work(item));
    if (running.length >= atOnce) yield await running.shift()!;
  }
  for (const last of running) yield await last;
}
