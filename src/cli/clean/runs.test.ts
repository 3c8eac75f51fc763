import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { poolSession } from "../../story/definition/names.ts";
import { cleanRuns } from "./runs.ts";

it("keeps the files of a session that started after the sessions were listed, however long the rest takes", async () => {
  const project = newProject();
  const folder = join(project.path, "../sessions");
  mkdirSync(folder, { mode: 0o700 });
  const env = {
    PATH: process.env["PATH"],
    SAGA_SESSION_DIR: folder,
    TMUX_TMPDIR: join(project.path, "../tmux"),
  };
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const name = `${poolSession("auto-1", Date.now())}.out`;
  const store = openStore(project.path);
  // Called after the sessions are listed: a session starts, and a minute passes.
  const slowly: typeof store = {
    ...store,
    async settings() {
      writeFileSync(join(folder, name), "It works.\n");
      utimesSync(join(folder, name), new Date(), new Date());
      vi.setSystemTime(Date.now() + 60_000);
      return store.settings();
    },
  };
  expect(await cleanRuns(slowly, env, false)).toEqual([]);
  expect(readdirSync(folder)).toEqual([name]);
  // The next time there is no such session, so the file is left over.
  expect(await cleanRuns(store, env, false)).toEqual([join(folder, name)]);
});
