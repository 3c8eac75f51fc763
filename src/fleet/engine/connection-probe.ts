// Asks the database for a sign of life from time to time. A connection can be dead without either side noticing it: the
// machine changed its network, or a firewall forgot the connection. A query on it waits, and so does the work behind it.

export interface ProbeOptions {
  readonly ask: () => Promise<unknown>;
  /** After each failure: what is dead must not be used again. */
  readonly onDead: () => void;
  /** `lost`: after the first failure. `back`: after the first answer since. */
  readonly onState: (state: DatabaseState) => void;
  readonly everyMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
}

export type DatabaseState =
  | { readonly kind: "lost" }
  | { readonly kind: "back"; readonly afterMs: number };

/** Together well below the time after which a lease counts as lost. */
const EVERY_MS = 5_000;
const DEADLINE_MS = 4_000;

/** It keeps no process alive. */
export function startProbe({
  ask,
  onDead,
  onState,
  everyMs = EVERY_MS,
  deadlineMs = DEADLINE_MS,
}: ProbeOptions): { readonly end: () => void } {
  let lostAtMs: number | undefined;
  let isAsking = false;
  let isOver = false;
  const look = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const answers = await isAnswered(ask, deadlineMs);
    isAsking = false;
    if (isOver) return;
    if (!answers) {
      onDead();
      if (lostAtMs === undefined) onState({ kind: "lost" });
      lostAtMs ??= performance.now();
    } else if (lostAtMs !== undefined) {
      onState({ kind: "back", afterMs: performance.now() - lostAtMs });
      lostAtMs = undefined;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return {
    end() {
      isOver = true;
      clearInterval(timer);
    },
  };
}

function isAnswered(ask: () => Promise<unknown>, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), deadlineMs);
    timer.unref();
    ask()
      .then(
        () => resolve(true),
        () => resolve(false),
      )
      .finally(() => clearTimeout(timer));
  });
}

/** For people. */
export const connectionText = (state: DatabaseState): string =>
  state.kind === "lost"
    ? "The fleet's database does not answer. Reconnecting; running stories continue until their leases expire."
    : `The fleet's database answers again, after ${Math.max(1, Math.round(state.afterMs / 1000))} s.`;
