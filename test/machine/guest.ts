/** A booted machine for the walk: an emulated one, or a container with a systemd of its own. */
export interface Guest {
  /** Resolves when the machine is off. */
  readonly ended: Promise<unknown>;
  /** What the program that runs the machine complained of. */
  readonly errors: string;
  /** Sends a line to the walk. */
  say(line: string): void;
  /** As when the power fails: nothing runs any more. */
  kill(): Promise<void>;
}

export interface GuestOptions {
  /** A file with the file system for `/var/lib/land-lookup`. */
  readonly data: string;
  /** Told to the walk. */
  readonly part: string;
  /** What the kernel and systemd print goes into this file. */
  readonly console: string;
  /** Told each line of the walk. */
  readonly onLine: (line: string) => void;
}
