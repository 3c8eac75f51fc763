import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { judgeRepairCall, type RepairPlace } from "./repair-scope.ts";

function newPlace(): RepairPlace & { readonly outside: string } {
  const { path } = newFolder();
  const list = join(path, "tasks/chores");
  mkdirSync(join(list, ".claims/cards"), { recursive: true });
  mkdirSync(join(list, "7.json.lock"));
  mkdirSync(join(path, "project/.claude"), { recursive: true });
  writeFileSync(join(list, "1.json"), "{}");
  writeFileSync(join(path, "secret"), "");
  symlinkSync(join(path, "secret"), join(list, "2.json"));
  symlinkSync("1.json", join(list, "3.json"));
  symlinkSync(path, join(list, "way"));
  return { list, contextFile: join(path, "project/.claude/context.toml"), outside: path };
}

const isAllowed = (place: RepairPlace, tool: string, input: unknown): boolean =>
  judgeRepairCall(place, { tool, input, cwd: place.list }).isAllowed;

describe("a repair run", () => {
  it.each(["Read", "Edit", "Write"])("may %s task files and the context file", (tool) => {
    const place = newPlace();
    for (const file_path of [
      join(place.list, "1.json"),
      join(place.list, "new-task.json"),
      "1.json",
      "./sub/../1.json",
      join(place.list, "3.json"),
      place.contextFile,
    ]) {
      expect([file_path, isAllowed(place, tool, { file_path })]).toEqual([file_path, true]);
    }
  });

  it.each(["Read", "Edit", "Write"])("may not %s anything else", (tool) => {
    const place = newPlace();
    for (const file_path of [
      join(place.outside, "secret"),
      "../../secret",
      // A link that leads out, and ways through one.
      join(place.list, "2.json"),
      join(place.list, "way/x.json"),
      join(place.list, "way/project/.claude/settings.json"),
      join(place.list, ".claims/1.json"),
      join(place.list, ".claims/1.1"),
      join(place.list, ".highwatermark"),
      join(place.list, "7.json.lock/x.json"),
      join(place.list, "notes.txt"),
      join(place.list, "a.b.json"),
      join(place.list, "../other/1.json"),
      join(place.outside, "project/.claude/settings.json"),
      join(place.outside, "project/CLAUDE.md"),
      "~/.ssh/id_rsa",
      "",
      undefined,
    ]) {
      expect([file_path, isAllowed(place, tool, { file_path })]).toEqual([file_path, false]);
    }
  });

  it("may not complete a task, however it writes it", () => {
    const place = newPlace();
    const [file_path, done] = [join(place.list, "1.json"), join(place.list, "4.json")];
    writeFileSync(file_path, '{"id":"1","status": "pending"}');
    writeFileSync(done, '{"id":"4","status":"completed"');
    const content = '{"id":"1","status":"completed"}';
    expect(isAllowed(place, "Write", { file_path, content })).toBe(false);
    expect(
      isAllowed(place, "Edit", { file_path, old_string: "pending", new_string: "completed" }),
    ).toBe(false);
    expect(
      isAllowed(place, "Edit", { file_path, old_string: '"1"', new_string: '"completed"' }),
    ).toBe(true);
    // One that was, and one that is restored.
    expect(isAllowed(place, "Write", { file_path: done, content })).toBe(true);
    expect(isAllowed(place, "Write", { file_path: join(place.list, "5.json"), content })).toBe(
      true,
    );
  });

  it.each(["Glob", "Grep"])("may search the list with %s, and nothing else", (tool) => {
    const place = newPlace();
    const glob = (pattern: string) =>
      tool === "Glob" ? { pattern } : { pattern: "x", glob: pattern };
    expect(isAllowed(place, tool, glob("*.json"))).toBe(true);
    expect(isAllowed(place, tool, { ...glob("*.json"), path: place.list })).toBe(true);
    expect(isAllowed(place, tool, glob("../*"))).toBe(false);
    expect(isAllowed(place, tool, glob("/etc/*"))).toBe(false);
    expect(isAllowed(place, tool, { ...glob("*"), path: place.outside })).toBe(false);
    expect(isAllowed(place, tool, { ...glob("*"), path: join(place.list, "way") })).toBe(false);
  });

  it.each(["Bash", "NotebookEdit", "TaskUpdate", "WebFetch", "Agent", "mcp__x__y"])(
    "has no %s",
    (tool) => {
      const place = newPlace();
      const input = { file_path: join(place.list, "1.json"), command: "true" };
      expect(judgeRepairCall(place, { tool, input, cwd: place.list })).toMatchObject({
        isAllowed: false,
        reason: expect.stringContaining("only repairs") as string,
      });
    },
  );
});
