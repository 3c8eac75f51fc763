import { expect, it } from "vitest";
import { followPage } from "../support/doc-page.ts";

it("README.md does what it says", { timeout: 180_000 }, async () => {
  const steps = {
    "write-api": (told: string) =>
      told.includes("Thirty days") ? undefined : [{ ask: "How long does a session last?" }],
  };
  const { blocks, run, notRun } = await followPage("README.md", { agents: { steps } });
  expect(blocks).toBeGreaterThan(5);
  expect(run).toBeGreaterThan(15);
  expect(notRun).toHaveLength(1);
});
