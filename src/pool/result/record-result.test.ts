import { expect, it } from "vitest";
import { lostAs, withoutSecrets } from "./record-result.ts";

it("a result that could not be written into its task is lost, with the reason", () => {
  expect(lostAs("lost")?.reason).toContain("Another process");
  expect(lostAs("gone")?.reason).toContain("deleted");
});

it("a result that was written counts, although the task was changed meanwhile", () => {
  expect(lostAs("done")).toBeUndefined();
  expect(lostAs("changed")).toBeUndefined();
});

it("neither the reason nor the problem of a result shows a secret", () => {
  const redact = (text: string): string => text.replaceAll("hunter2", "…");
  const problem = { kind: "write-failed", message: "with hunter2" } as const;
  expect(withoutSecrets({ kind: "returned", reason: "hunter2", problem }, redact)).toEqual({
    kind: "returned",
    reason: "…",
    problem: { ...problem, message: "with …" },
  });
  expect(withoutSecrets({ kind: "failed", reason: "hunter2" }, redact).reason).toBe("…");
});
