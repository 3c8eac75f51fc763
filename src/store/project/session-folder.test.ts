import { chmodSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { openSessionFolder, sessionFolderPath } from "./session-folder.ts";

const me = userInfo().uid;

describe("the session folder", () => {
  it("is /tmp/saga-sessions unless SAGA_SESSION_DIR names another", () => {
    expect(sessionFolderPath({})).toBe("/tmp/saga-sessions");
    expect(sessionFolderPath({ SAGA_SESSION_DIR: "/x" })).toBe("/x");
  });

  it("is created for its user alone", () => {
    const path = join(newFolder().path, "sessions");
    expect(openSessionFolder({ SAGA_SESSION_DIR: path }, me)).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(openSessionFolder({ SAGA_SESSION_DIR: path }, me)).toBe(path);
  });

  it("is refused when it is open to other users", () => {
    const { path } = newFolder();
    chmodSync(path, 0o755);
    expect(() => openSessionFolder({ SAGA_SESSION_DIR: path }, me)).toThrow(/open to other users/);
  });

  it("is refused when it belongs to another user", () => {
    const { path } = newFolder();
    chmodSync(path, 0o700);
    expect(() => openSessionFolder({ SAGA_SESSION_DIR: path }, me + 1)).toThrow(/another user/);
  });

  it("is refused when it is a file or a link", () => {
    const { path } = newFolder();
    writeFileSync(join(path, "file"), "");
    symlinkSync(path, join(path, "link"));
    for (const name of ["file", "link"]) {
      expect(() => openSessionFolder({ SAGA_SESSION_DIR: join(path, name) }, me)).toThrow(
        /not a folder/,
      );
    }
  });
});
