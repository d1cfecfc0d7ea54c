/** A machine that qemu emulates, with a kernel of its own. Its second serial port is for the walk. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Guest, GuestOptions } from './guest.ts';
import type { Disks } from './image.ts';

export interface EmulatedMachineOptions extends GuestOptions {
  readonly disks: Disks;
  /** Of this machine: leads to the guest's port 443. */
  readonly port: number;
  /** Virtual processors: one where this machine has a single free core, because two would wait for each other there. */
  readonly cores: number;
}

export class EmulatedMachine implements Guest {
  readonly ended: Promise<unknown>;
  readonly #qemu: ChildProcessByStdio<Writable, Readable, Readable>;
  #errors = '';

  constructor({ disks, data, part, port, cores, console: file, onLine }: EmulatedMachineOptions) {
    this.#qemu = spawn('qemu-system-x86_64', [
      // Emulated: a virtual machine needs a /dev/kvm that works, and not every machine has one.
      ...[
        '-accel',
        'tcg,thread=multi',
        '-cpu',
        'max,la57=off',
        '-smp',
        String(cores),
        '-m',
        '2048',
        '-no-reboot',
        '-display',
        'none',
      ],
      ...['-kernel', disks.kernel, '-initrd', disks.initrd],
      // A boot on a busy machine stopped at the kernel's check of its timer; whether that was the cause is not known.
      // Without a reliable counter of the processor, each look at the clock leaves the emulated processor for an emulated timer.
      ...['-append', `root=/dev/vda rw console=ttyS0 no_timer_check tsc=reliable walk=${part}`],
      // What the guest has written is in this machine's memory when qemu is killed, so a flush to its disk would only take time.
      ...[disks.system, data].flatMap((disk) => ['-drive', `file=${disk},format=raw,if=virtio,cache=unsafe`]),
      ...['-nic', `user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:${port}-:443`],
      ...['-device', 'virtio-rng-pci', '-monitor', 'none', '-serial', `file:${file}`, '-serial', 'stdio'],
    ]);
    createInterface(this.#qemu.stdout).on('line', (line) => {
      onLine(line.trim());
    });
    this.#qemu.stderr.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    this.ended = once(this.#qemu, 'exit');
  }

  /** What qemu itself complained of. */
  get errors(): string {
    return this.#errors;
  }

  say(line: string): void {
    this.#qemu.stdin.write(`${line}\n`);
  }

  /** As when the power fails: nothing is written any more. */
  async kill(): Promise<void> {
    this.#qemu.kill('SIGKILL');
    await this.ended;
  }
}
