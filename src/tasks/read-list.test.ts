import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeTask } from "../../test/support/claude-list.ts";
import { newFolder } from "../../test/support/project.ts";
import { readList } from "./read-list.ts";

describe("a list that is read once", () => {
  it("has its tasks, and the files that are not tasks", async () => {
    const { path, write } = newFolder();
    write("1.json", claudeTask("1", { extra: 1 }));
    write("2.json", "{");
    write("a.b.json", "not seen");
    write(".claims/1.1", "");
    const { tasks, broken, board } = await readList(path);
    expect([...tasks.keys()]).toEqual(["1"]);
    expect(tasks.get("1")?.task["extra"]).toBe(1);
    expect([...broken.keys()]).toEqual(["2"]);
    expect(board.eligible().map(({ id }) => id)).toEqual(["1"]);
  });

  it("is empty when it does not exist", async () => {
    expect((await readList(join(newFolder().path, "none"))).tasks.size).toBe(0);
  });
});
