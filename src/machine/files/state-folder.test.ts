import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { openStateFolder, stateFolder } from "./state-folder.ts";

it("the folder follows XDG_STATE_HOME, unless that is relative", () => {
  expect(stateFolder({ XDG_STATE_HOME: "/state", HOME: "/home/ann" })).toBe("/state/saga");
  expect(stateFolder({ XDG_STATE_HOME: "state", HOME: "/home/ann" })).toBe(
    "/home/ann/.local/state/saga",
  );
});

it("the folder is closed to other users, also one that was open before", () => {
  const env = { HOME: newFolder().path };
  const path = openStateFolder(env);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  chmodSync(path, 0o755);
  openStateFolder(env);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it("another user's folder is refused", () => {
  const env = { HOME: newFolder().path };
  openStateFolder(env);
  expect(() => openStateFolder(env, (process.getuid?.() ?? 0) + 1)).toThrow("another user");
  expect(join(env.HOME, ".local/state/saga")).toBe(stateFolder(env));
});
