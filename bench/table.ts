// A figure is ours beside its floor; what counts is the ratio, because machines differ.

export interface Figure {
  readonly name: string;
  readonly floor: string;
  readonly ours: string;
  readonly ratio: string;
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

export function boundFigure(name: string, oursMs: number, mostMs: number): Figure {
  return {
    name,
    floor: "",
    ours: milliseconds(oursMs),
    ratio: "",
    goal: `≤ ${mostMs} ms`,
    isKept: oursMs <= mostMs,
  };
}

/** The same for anything that is counted: megabytes, lines. */
export function countFigure(name: string, ours: number, most: number, unit: string): Figure {
  return {
    name,
    floor: "",
    ours: `${Math.round(ours)} ${unit}`,
    ratio: "",
    goal: `≤ ${most} ${unit}`,
    isKept: ours <= most,
  };
}

export function renderTable(figures: readonly Figure[]): string {
  const head = ["figure", "floor", "ours", "ratio", "goal", ""];
  const rows = figures.map(({ name, floor, ours, ratio, goal, isKept }) => [
    name,
    floor,
    ours,
    ratio,
    goal,
    isKept ? "kept" : "MISSED",
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line), ""].join(
    "\n",
  );
}

/** Both, turn by turn, so that whatever else the machine does falls on both; the medians count. */
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

const milliseconds = (value: number): string =>
  `${value < 10 ? value.toFixed(3) : value.toFixed(1)} ms`;
