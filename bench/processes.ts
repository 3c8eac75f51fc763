// What processes cost according to Linux: CPU and memory, sampled while they run.

import { readdirSync, readFileSync } from "node:fs";

export interface Cost {
  readonly cpuMs: number;
  /** Shared pages count proportionally. */
  readonly peakMb: number;
}

export interface ProcessWatch {
  /** Of each sampled process, by a word in its command line. */
  readonly end: () => ReadonlyMap<string, readonly Cost[]>;
}

const LOOK_EVERY_MS = 250;
/** Expensive, because the kernel walks all pages of a process: not with every sample. */
const MEMORY_EVERY = 8;
const TICK_MS = 10;

/** Those whose environment names this folder, and whose command line has one of these words in it. */
export function watchProcesses(home: string, words: readonly string[]): ProcessWatch {
  const processes = new Map<number, { readonly word: string; cost: Cost }>();
  const strangers = new Set<number>();
  let looks = 0;
  const look = (): void => {
    const withMemory = looks++ % MEMORY_EVERY === 0;
    for (const pid of pids()) {
      if (strangers.has(pid)) continue;
      let known = processes.get(pid);
      const word = withMemory || !known ? wordOf(pid, home, words) : known.word;
      // Sampled before its exec: a new process starts as a copy of its parent.
      if (known?.word !== word) known = undefined;
      if (word === undefined) {
        strangers.add(pid);
        continue;
      }
      const cpuMs = cpuOf(pid);
      if (cpuMs === undefined) continue;
      const memoryMb = withMemory ? memoryOf(pid) : 0;
      processes.set(pid, {
        word,
        cost: { cpuMs, peakMb: Math.max(memoryMb, known?.cost.peakMb ?? 0) },
      });
    }
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  return {
    end() {
      clearInterval(looking);
      return new Map(
        words.map((word) => [
          word,
          [...processes.values()].filter((one) => one.word === word).map(({ cost }) => cost),
        ]),
      );
    },
  };
}

const pids = (): number[] =>
  readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

function wordOf(pid: number, home: string, words: readonly string[]): string | undefined {
  const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
  const word = words.find((one) => command.includes(one));
  return word !== undefined && read(`/proc/${pid}/environ`).includes(home) ? word : undefined;
}

function cpuOf(pid: number): number | undefined {
  // The name may contain spaces and brackets; the values come after it.
  const fields = /\) (?<rest>.*)$/s.exec(read(`/proc/${pid}/stat`))?.groups?.["rest"]?.split(" ");
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function memoryOf(pid: number): number {
  const pss = /^Pss:\s+(?<kb>\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.groups?.["kb"];
  return Number(pss ?? 0) / 1024;
}

/** The process may have ended by now. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
