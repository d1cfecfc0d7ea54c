/** The part of opossum 9 that is used here; it comes without types. */
declare module 'opossum' {
  interface Options {
    readonly timeout: false;
    readonly errorThresholdPercentage: number;
    readonly volumeThreshold: number;
    readonly rollingCountTimeout: number;
    readonly resetTimeout: number;
    /** Failures that do not count. */
    readonly errorFilter: (cause: unknown) => boolean;
  }
  export default class CircuitBreaker<Input, Output> {
    constructor(action: (input: Input) => Promise<Output>, options: Options);
    fire(input: Input): Promise<Output>;
    on(event: 'open' | 'halfOpen' | 'close', listener: () => void): this;
    shutdown(): void;
    get opened(): boolean;
  }
}
