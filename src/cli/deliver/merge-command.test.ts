import { expect, it } from "vitest";
import { EXIT } from "../../story/state/exit-codes.ts";
import type { CommandContext } from "../program/command.ts";
import { painter } from "../output/terminal.ts";
import { declinedResult, deliverContext } from "./merge-command.ts";

it("prints a step once while several stories take it, and each warning once", () => {
  let printed = "";
  const io = { writeError: (text: string) => (printed += text), untilStopped: () => undefined };
  const context = { io, openProject: () => undefined } as unknown as CommandContext;
  const { onStep, onWarning } = deliverContext(context);
  for (const step of ["checking", "checking", "merging", "checking"]) onStep?.(step);
  for (const warning of ["Slow.", "Full.", "Slow."]) onWarning?.(warning);
  expect(printed).toBe("checking …\nmerging …\nchecking …\nSlow.\nFull.\n");
});

it("does nothing, and says how to go on, when a person declines", () => {
  const checkout = { folder: "/p", into: "main", why: "", isUpdatable: true, files: [] };
  const declined = declinedResult("merge", "add-login", checkout);
  expect(declined.exitCode).toBe(EXIT.notMerged);
  expect(declined.json).toMatchObject({ id: "add-login", kind: "declined" });
  expect(declined.text(painter(false))).toContain("saga merge add-login");
});
