/** Types for the part of opossum that is used here; the package has none. */
declare module 'opossum' {
  export default class CircuitBreaker<Input, Output> {
    constructor(
      action: (input: Input) => Promise<Output>,
      options: {
        readonly timeout: false;
        readonly errorThresholdPercentage: number;
        readonly volumeThreshold: number;
        readonly rollingCountTimeout: number;
        readonly resetTimeout: number;
        /** Says which failures do not count. */
        readonly errorFilter: (cause: unknown) => boolean;
      },
    );
    fire(input: Input): Promise<Output>;
    on(event: 'failure', listener: (cause: unknown) => void): this;
    on(event: 'open' | 'halfOpen' | 'close', listener: () => void): this;
    shutdown(): void;
    get opened(): boolean;
  }
}
