// A figure compares Saga with a floor, and with a peer if there is one. The ratio counts, because machines differ.

export interface Figure {
  readonly name: string;
  readonly floor: string;
  /** Another program or package that does the same: which one, and its time. */
  readonly peer?: string | undefined;
  readonly ours: string;
  readonly ratio: string;
  /** Empty for rows that are only for comparison. */
  readonly goal: string;
  readonly isKept: boolean;
}

export function ratioFigure(name: string, floorMs: number, oursMs: number, most: number): Figure {
  const ratio = oursMs / floorMs;
  return {
    name,
    floor: milliseconds(floorMs),
    ours: milliseconds(oursMs),
    ratio: ratio.toFixed(2),
    goal: `≤ ${most} ×`,
    isKept: ratio <= most,
  };
}

/** Without a bound the row is only for comparison. */
export const boundFigure = (name: string, oursMs: number, mostMs?: number): Figure => ({
  ...beside(name, milliseconds(oursMs)),
  ...(mostMs !== undefined && { goal: `≤ ${mostMs} ms`, isKept: oursMs <= mostMs }),
});

/** The same for counted things: megabytes, lines. */
export const countFigure = (name: string, ours: number, unit: string, most?: number): Figure => ({
  ...beside(name, `${Math.round(ours)} ${unit}`),
  ...(most !== undefined && { goal: `≤ ${most} ${unit}`, isKept: ours <= most }),
});

const beside = (name: string, ours: string): Figure => ({
  name,
  floor: "",
  ours,
  ratio: "",
  goal: "",
  isKept: true,
});

export function renderFigures(figures: readonly Figure[]): string {
  const verdict = ({ goal, isKept }: Figure): string =>
    goal === "" ? "" : isKept ? "kept" : "MISSED";
  return renderTable(
    ["figure", "floor", "peer", "ours", "ratio", "goal", ""],
    figures.map((figure) => {
      const { name, floor, peer = "", ours, ratio, goal } = figure;
      return [name, floor, peer, ours, ratio, goal, verdict(figure)];
    }),
  );
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line), ""].join(
    "\n",
  );
}

/** Runs both alternately, so that other load affects both; the medians count. */
export async function sideBySide(
  turns: number,
  floor: () => unknown,
  ours: () => unknown,
): Promise<{ floorMs: number; oursMs: number }> {
  const floors: number[] = [];
  const mine: number[] = [];
  for (let turn = -2; turn < turns; turn++) {
    const floorMs = await timed(floor);
    const oursMs = await timed(ours);
    if (turn < 0) continue;
    floors.push(floorMs);
    mine.push(oursMs);
  }
  return { floorMs: median(floors), oursMs: median(mine) };
}

export async function timed(act: () => unknown): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

export const milliseconds = (value: number): string =>
  `${value < 10 ? value.toFixed(3) : value.toFixed(1)} ms`;
