import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { mkdirSync } from "node:fs";
import { canMount } from "../support/disk.ts";
import { expectNothingLeft, newStage, STORY } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const unmount = (path: string): void => {
  try {
    execFileSync("umount", [path], { stdio: "ignore" });
  } catch {
    // It was already removed.
  }
};

describe.skipIf(!canMount)("a run", () => {
  it("survives a disk that is full for a while in its record's folder", async () => {
    // What a shell plainly writes there is refused.
    const filler = `node -e 'const file = "../../runs/filler";`;
    const fill = `${filler} for (;;) fs.appendFileSync(file, Buffer.alloc(65536))' 2> /dev/null; touch form.txt`;
    const stage = await newStage({
      steps: {
        form: [{ run: fill }],
        page: [{ run: `${filler} fs.rmSync(file)'; touch page.txt` }],
      },
    });
    const runs = join(stage.path, ".saga/runs");
    mkdirSync(runs);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", runs]);
    onTestFinished(() => unmount(runs));
    const ended = await stage.work();
    // A completion that could not be recorded was refused; when there is room again it is taken.
    const again = ended.exitCode === 0 ? ended : await stage.work();
    expect(again.exitCode, `${ended.stdout}${again.stdout}`).toBe(0);
    expect(await stage.statuses()).toEqual({ form: "completed", page: "completed" });
    expect(stage.commits()).toEqual(["form", "page"]);
    await expectNothingLeft(stage);
  });

  it("continues when a status cannot be written, and writes it at the end", async () => {
    const folder = `.saga/stories/${STORY}`;
    const lock = `mount --bind ${folder} ${folder} && mount -o remount,bind,ro ${folder}`;
    const stage = await newStage({
      steps: {
        form: [{ run: `touch form.txt; ${lock}` }],
        page: [{ run: `umount ${folder}; touch page.txt` }],
      },
    });
    onTestFinished(() => unmount(join(stage.worktree, folder)));
    await expectExit(0, stage.work());
    const warnings = (await stage.events("warning")).map(({ message }) => String(message));
    expect(warnings.join("\n")).toContain("could not be written");
    expect(await stage.statuses()).toEqual({ form: "completed", page: "completed" });
    expect(stage.commits()).toEqual(["form", "page"]);
    await expectNothingLeft(stage);
  });

  it("does not start when Claude's task folder is full", async () => {
    const stage = await newStage();
    const tasks = join(stage.home, "claude/tasks");
    mkdirSync(tasks, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4k,nr_inodes=2", "tmpfs", tasks]);
    onTestFinished(() => unmount(tasks));
    await expectExit(1, stage.work("--json"));
    expect(stage.model.turns()).toBe(0);
    unmount(tasks);
    await expectExit(0, stage.work());
    await expectNothingLeft(stage);
  });
});
