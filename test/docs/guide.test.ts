import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { followPage } from "../support/docs/page.ts";
import { GUIDE, SECOND_HALF } from "../support/docs/guide.ts";

const GO = "go-on";
const module = (name: string) => ({
  write: `src/${name}.js`,
  content: `exports.name = "${name}";\n`,
});

it("the guide's first half does what it says", { timeout: 240_000 }, async () => {
  const { run, notRun } = await followPage(GUIDE, {
    until: SECOND_HALF,
    creates: "notes",
    agents: {
      steps: {
        // It is looked at while it is at work.
        find: () => [
          { run: `until [ -e ../${GO} ]; do sleep 0.05; done` },
          { write: "src/find.js", content: "exports.find = () => [];\n" },
        ],
        "make-link": () => [module("link")],
        "write-mail": () => [module("mail")],
        "list-shared": () => [module("shared")],
        "write-file": (received) =>
          received.includes("Markdown, one") ? undefined : [{ ask: "Markdown or JSON?" }],
      },
    },
    scenes: {
      "it-goes-on": ({ path }) => writeFileSync(join(path, ".saga/worktrees", GO), ""),
    },
  });
  expect(run).toBeGreaterThan(30);
  expect(notRun).toHaveLength(1);
});
