import { expect, it } from "vitest";
import { isYes } from "./io.ts";

it("only a yes is a yes: the default is no", () => {
  expect(["y", "Y", "yes", " YES\n"].map(isYes)).toEqual([true, true, true, true]);
  expect(["", "n", "no", "yep", "y n", "\n"].map(isYes)).not.toContain(true);
});
