import { expect, it } from "vitest";
import { isKnown } from "../../scripts/reference/file-table.ts";
import { followPage } from "../support/docs/page.ts";

it("README.md does what it says", { timeout: 240_000 }, async () => {
  const steps = {
    implement: () => [{ write: "hello.txt", content: "Hello, reader.\n" }],
    "write-schema": () => [{ write: "schema.sql", content: "create table users (id integer);\n" }],
    "write-api": (received: string) =>
      received.includes("Thirty days") ? undefined : [{ ask: "How long does a session last?" }],
  };
  const { run, notRun, files } = await followPage("README.md", {
    creates: "shop",
    agents: { steps },
  });
  expect(run).toBeGreaterThan(15);
  expect(notRun).toHaveLength(1);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !isKnown(file))).toEqual([]);
});
