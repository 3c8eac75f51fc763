import { expect, it } from "vitest";
import { aStory, aTask, anEpic, newProject } from "../../../test/support/project.ts";
import { until } from "../../../test/support/until.ts";
import { openStore } from "../../store/file-store.ts";
import type { Epic } from "../../story/definition/epic.ts";
import type { Io } from "../program/io.ts";
import { epicLines, startEpicLive } from "./epic-live.ts";

const paint = (_: unknown, text: string): string => text;

async function newEpic() {
  const project = newProject();
  const epic = anEpic("shop", [{ id: "shop--a" }, { id: "shop--b" }]) as unknown as Epic;
  project.write(".saga/epics/shop/epic.json", epic);
  for (const id of ["shop--a", "shop--b"]) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop" }));
    project.write(`.saga/stories/${id}/work.json`, aTask("work"));
  }
  return { epic, store: openStore(project.path) };
}

it("sums up how far the epic is, with an estimate for its tasks", async () => {
  const { epic, store } = await newEpic();
  const views = [...(await store.overview()).stories.values()];
  const facts = { epic, parallel: 2, views, running: [], nowMs: 0 };
  expect(epicLines({ ...facts, usual: undefined }, paint)).toEqual([
    "",
    "shop  0 of 2 stories done, 0 running",
  ]);
  expect(epicLines({ ...facts, usual: { ms: 300_000, stories: 4 } }, paint)).toEqual([
    "",
    "shop  0 of 2 stories done, 0 running, ~5 min left",
    "  Estimates are from 4 finished stories of this project.",
  ]);
});

it("draws in a terminal until it ends, and only passes messages on elsewhere", async () => {
  const { epic, store } = await newEpic();
  let written = "";
  const io = {
    rows: 20,
    hasErrorColour: false,
    writeError: (text: string) => void (written += text),
  } as unknown as Io;
  const options = { store, epic, parallel: 1, everyMs: 5 };
  const live = startEpicLive(io, { ...options, isShown: true });
  await until(() => written.includes("0 of 2 stories done"));
  live.print("shop--a is running\n");
  live.end();
  const atEnd = written;
  expect(atEnd.endsWith("\u001b[?25h")).toBe(true);

  written = "";
  const quiet = startEpicLive(io, { ...options, isShown: false });
  quiet.print("shop--a is running\n");
  quiet.end();
  expect(written).toBe("shop--a is running\n");
});
