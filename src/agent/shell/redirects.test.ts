import { describe, expect, it } from "vitest";
import { seeded } from "../../../test/support/seeded.ts";
import { newWorld } from "../../../test/support/shell-world.ts";
import { mayChange, mayStart } from "./prefilter.ts";
import { judgeCommand } from "./guard.ts";
import { judgeWrites, plainWrites } from "./redirects.ts";

describe("at a glance", () => {
  it.each([
    ["npm test 2>&1 | tail -20 > out.txt", ["out.txt"]],
    ["a>x; b >>./y/z && c 2> e.log", ["x", "./y/z", "e.log"]],
    ["make &> build.log", ["build.log"]],
    ["npm test > /dev/null 2>&1", ["/dev/null"]],
    ["a 2>&1 >&x", ["x"]],
  ])("%s writes to %j", (command, files) => {
    expect(plainWrites(command)).toEqual(files);
  });

  it.each([
    'a > "x y"',
    "a > $OUT",
    "a > ~/x",
    "a >| x",
    "a &>&x",
    "a > *.txt",
    "a > {x,y}",
    "(cd ..; a > x)",
    "cd .. && a > x",
    "pushd ..; a > x",
    "a <<EOF > x",
    "a\n> x",
    "a # > x",
    "a >",
  ])("%j is left to the guard", (command) => {
    expect(plainWrites(command)).toBeUndefined();
  });
});

it("says what the whole guard says, of any mixture that it takes", () => {
  const scope = newWorld();
  const chance = seeded();
  const words =
    "npm test a.b 2 2>&1 > >> 2> &> >| | || && & ; out.txt main/x node_modules/y .git/config ../../x /saga-outside/x /tmp/y loop out-file . .. cd x=1 - > src/a.ts .saga/stories/other/story.json \t /dev/null >/dev/null >& ( ' $X ~ if then time env".split(
      " ",
    );
  const counts = { taken: 0, refused: 0 };
  for (let round = 0; round < 4000; round++) {
    const length = 1 + chance.below(7);
    const parts = Array.from({ length }, () => words[chance.below(words.length)] ?? "");
    const command = parts.join([" ", " ", ""][chance.below(3)]);
    const writes = mayChange(command) && !mayStart(command) ? plainWrites(command) : undefined;
    if (writes === undefined) continue;
    const place = { tool: "Bash", cwd: scope.worktree };
    const verdict = judgeWrites(scope, { ...place, writes });
    expect(verdict, command).toEqual(judgeCommand(scope, { ...place, command }));
    counts.taken++;
    if (!verdict.isAllowed) counts.refused++;
  }
  expect(Math.min(counts.taken - counts.refused, counts.refused)).toBeGreaterThan(50);
});
