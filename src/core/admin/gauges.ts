import { Counter, Gauge, type Registry } from 'prom-client';

/** Makes gauges without labels. A gauge without a value reads NaN; the others are not affected. */
export function gaugesOf(registry: Registry) {
  return (name: string, help: string, read: () => number | Promise<number>): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await Promise.resolve(read()).catch(() => NaN));
      },
    });
  };
}

type SetValue = (labels: Readonly<Record<string, string>>, value: number) => void;

/** Makes a gauge that has only the label values of the moment. */
export function labelled(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[],
  read: (set: SetValue) => void | Promise<void>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      this.reset();
      const set: SetValue = (labels, value) => {
        this.set(labels, value);
      };
      // Without a value when it cannot be read; the other gauges are not affected.
      await Promise.resolve(read(set)).catch(() => undefined);
    },
  });
}

/** Makes a counter that has the values of the moment. */
export function counter(
  registry: Registry,
  name: string,
  help: string,
  label: string | null,
  read: (set: (value: string, count: number) => void) => void,
): void {
  new Counter({
    name,
    help,
    labelNames: label === null ? [] : [label],
    registers: [registry],
    collect() {
      this.reset();
      read((value, count) => {
        if (label === null) this.inc(count);
        else this.inc({ [label]: value }, count);
      });
    },
  });
}
