import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { checksRefusal } from "./completion.ts";

const refusal = (check: string): Promise<string | undefined> =>
  checksRefusal([check], {
    cwd: newFolder().path,
    env: { PATH: process.env["PATH"] },
    timeoutMs: 60_000,
  });

it("quotes the end of a failed check's output, or says that it printed nothing", async () => {
  expect(await refusal("echo why; exit 4")).toBe(
    "The check `echo why; exit 4` failed (exit 4):\nwhy",
  );
  expect(await refusal("false")).toBe("The check `false` failed (exit 1), and printed nothing.");
  expect(await refusal("true")).toBeUndefined();
});
