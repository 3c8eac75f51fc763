// Lines at the end of a terminal that are drawn again and again, with messages scrolling by above them.

export interface LiveBlock {
  /** Replaces the lines. */
  readonly draw: (lines: readonly string[]) => void;
  /** Writes a text above the lines. */
  readonly print: (text: string) => void;
  /** Leaves the last lines on the screen. */
  readonly end: () => void;
}

interface LiveTerminal {
  readonly write: (text: string) => void;
  readonly rows: () => number;
}

/** Long lines are cut off instead of wrapped, and the cursor does not flicker. */
const BEGIN = "\u001b[?7l\u001b[?25l";
const END = "\u001b[?7h\u001b[?25h";

export function liveBlock({ write, rows }: LiveTerminal): LiveBlock {
  let shown: readonly string[] = [];
  let isBegun = false;
  const erase = (): string => (shown.length === 0 ? "" : `\u001b[${shown.length}A\r\u001b[J`);
  const text = (): string => shown.map((line) => `${line}\n`).join("");
  return {
    draw(lines) {
      const begin = isBegun ? "" : BEGIN;
      isBegun = true;
      const before = erase();
      // A line above the screen could not be erased.
      shown = lines.slice(0, Math.max(1, rows() - 2));
      write(`${begin}${before}${text()}`);
    },
    print(message) {
      write(`${erase()}${message}${text()}`);
    },
    end() {
      if (isBegun) write(END);
      isBegun = false;
      shown = [];
    },
  };
}
