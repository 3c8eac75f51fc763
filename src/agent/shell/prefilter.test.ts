import { expect, it } from "vitest";
import { mayChange } from "./prefilter.ts";
import { PROGRAMS } from "./programs.ts";

it.each([...PROGRAMS.keys(), "git", "find", "eval"])(
  "sees %s, however it is started",
  (program) => {
    for (const command of [
      program,
      `/bin/${program} x`,
      `a;${program} x`,
      `sh -c "${program} x"`,
    ]) {
      expect(mayChange(command)).toBe(true);
    }
  },
);

it.each(["echo x > y", "a >> b", "a &> b", "a 2> b", "a >| b", "a > /dev/nullx/../b", "r\\m x"])(
  "sees that %s may write",
  (command) => {
    expect(mayChange(command)).toBe(true);
  },
);

it.each(["npm test 2>&1 | tail -20", "ls -la", "cat a 2>/dev/null", "node x.js &> /dev/null"])(
  "lets %s pass",
  (command) => {
    expect(mayChange(command)).toBe(false);
  },
);
