import { expect, it } from "vitest";
import { aStory, anEpic, newProject } from "../../../../test/support/project.ts";
import { misused } from "../../../../test/support/refused.ts";
import { openStore } from "../../../store/file-store.ts";
import { localDay } from "../../../text/local-day.ts";

async function newSpent() {
  const project = newProject();
  project.write(".saga/epics/auth/epic.json", anEpic("auth", [{ id: "auth--form" }]));
  for (const id of ["auth--form", "loose"])
    project.write(
      `.saga/stories/${id}/story.json`,
      aStory(id, id === "loose" ? {} : { epic: "auth" }),
    );
  const store = openStore(project.path);
  const runs = [
    ["auth--form", { costUsd: 2.5, costByDay: { "2026-11-01": 2, "2026-11-02": 0.5 } }],
    ["auth--form", { costUsd: 1.25, costByModel: { opus: 1.25 }, costIsEstimate: true }],
    ["loose", { costUsd: 10, costByDay: { "2026-11-02": 10 }, model: "haiku" }],
  ] as const;
  for (const [story, start] of runs) (await store.startRun(story, start)).close();
  return project;
}

it("shows costs by day, with the total", async () => {
  const project = await newSpent();
  const today = localDay(Date.now());
  expect((await project.saga("cost")).stdout).toBe(
    [
      `${today}  ~$1.25  1 run`,
      "2026-11-02  $10.50  2 runs",
      "2026-11-01   $2.00  1 run",
      "Total       ~$13.75  3 runs",
      "",
    ]
      .join("\n")
      .replace("~$1.25", " ~$1.25")
      .replace("$10.50", " $10.50")
      .replace(" $2.00", "  $2.00"),
  );
});

it("sums up by epic, story and model, and from a date on", async () => {
  const project = await newSpent();
  const rows = async (...words: string[]) =>
    (
      (await project.saga("cost", "--json", ...words)).json()["rows"] as {
        name: string;
        costUsd: number;
      }[]
    ).map(({ name, costUsd }) => [name, costUsd]);
  expect(await rows("--by", "epic")).toEqual([
    ["(no epic)", 10],
    ["auth", 3.75],
  ]);
  expect(await rows("--by", "story", "--since", "2026-11-02")).toEqual([
    ["loose", 10],
    ["auth--form", 1.75],
  ]);
  expect(await rows("--by", "model", "--since", "1")).toEqual([["opus", 1.25]]);
});

it("shows the day's budget", async () => {
  const project = await newSpent();
  project.write(".saga/config.toml", "[budget]\nday = 20\n");
  expect((await project.saga("cost")).stdout).toContain("Today: $1.25 of $20.00 (budget.day)\n");
  expect((await newProject("empty").saga("cost")).stdout).toBe("Nothing was spent.\n");
});

it("refuses what is not a date", async () => {
  expect((await misused(await newSpent(), "cost", "--since", "yesterday")).message).toContain(
    "--since",
  );
});
