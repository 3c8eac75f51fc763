import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { plainEnvironment } from "./environment.ts";
import { livenessOf, startTimeOf, thisProcess } from "./process-id.ts";
import { run } from "./run.ts";

const env = { PATH: process.env["PATH"] };

describe("a program", () => {
  it("gets its arguments unchanged, without a shell", async () => {
    const words = ["$(id)", "; ls", "a b", "'\"", "ü\n"];
    const result = await run("node", ["-p", "JSON.stringify(process.argv.slice(1))", ...words], {
      env,
      timeoutMs: 10_000,
    });
    expect(result).toMatchObject({
      kind: "exited",
      exitCode: 0,
      stdout: `${JSON.stringify(words)}\n`,
    });
  });

  it("with a limit of a hundred years is not ended at once", async () => {
    const timeoutMs = 100 * 365 * 24 * 3600_000;
    const result = await run("node", ["-p", "'done'"], { env, timeoutMs });
    expect(result).toMatchObject({ kind: "exited", exitCode: 0, stdout: "done\n" });
  });

  it("sees only the environment it is given", async () => {
    const result = await run("env", [], { env: { ...env, ONLY: "this" }, timeoutMs: 10_000 });
    expect(result).toMatchObject({ stdout: `PATH=${process.env["PATH"]}\nONLY=this\n` });
  });

  it("reads its input and ends with its own exit code", async () => {
    const result = await run("sh", ["-c", "cat >&2; exit 3"], {
      env,
      input: "hello",
      timeoutMs: 10_000,
    });
    expect(result).toEqual({ kind: "exited", exitCode: 3, stdout: "", stderr: "hello" });
  });

  it("that does not exist is a value, not an error", async () => {
    expect(await run("no-such-program", [], { env, timeoutMs: 1000 })).toEqual({ kind: "missing" });
  });

  it("that takes too long is ended with all its children", async () => {
    const { path } = newFolder();
    const changed = once(watch(path), "change");
    const script = `trap '' TERM; sh -c 'echo $$ > ${join(path, "child")}; exec sleep 1000' & wait; wait`;
    const ending = run("sh", ["-c", script], { env, timeoutMs: 300 });
    await changed;
    expect((await ending).kind).toBe("timed-out");
    const found = await run("cat", [join(path, "child")], { env, timeoutMs: 1000 });
    const child = found.kind === "exited" ? Number(found.stdout) : 0;
    expect(child).toBeGreaterThan(0);
    expect(startTimeOf(child)).toBeUndefined();
  });

  it("is read to its end by a process that was busy meanwhile", async () => {
    const script = "echo first; (sleep 0.3; echo last) &";
    const keepBusy = (): unknown =>
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    const result = await run("sh", ["-c", script], {
      env,
      timeoutMs: 10_000,
      // After its exit is known, before the last output, where timers come next.
      onOutput: () => setTimeout(() => setImmediate(keepBusy), 100),
    });
    expect(result).toMatchObject({ kind: "exited", stdout: "first\nlast\n" });
  });

  it("that is killed from outside has the signal", async () => {
    expect(await run("sh", ["-c", "kill -KILL $$"], { env, timeoutMs: 10_000 })).toMatchObject({
      kind: "killed",
      signal: "SIGKILL",
    });
  });

  it("that prints much is read fast, and to its end", async () => {
    const before = process.cpuUsage();
    const result = await run("sh", ["-c", "head -c 60000000 /dev/zero; echo end"], {
      env: process.env,
      timeoutMs: 60_000,
      maxOutputBytes: 50_000_000,
    });
    const { user, system } = process.cpuUsage(before);
    const stdout = "stdout" in result ? result.stdout : "";
    expect([stdout.length, stdout.slice(-5)]).toEqual([50_000_000, "\0end\n"]);
    // Processor time, because a busy machine changes the wall time.
    expect((user + system) / 1000).toBeLessThan(3000);
  });

  it("that floods its output keeps the end of it", async () => {
    const result = await run("sh", ["-c", "yes x | head -c 5000; echo end"], {
      env,
      timeoutMs: 10_000,
      maxOutputBytes: 100,
    });
    expect(result.kind === "exited" && result.stdout.length).toBe(100);
    expect(result).toMatchObject({ stdout: expect.stringMatching(/end\n$/) as string });
  });
});

describe("the environment for other programs", () => {
  it("has the variables of the list and the named ones, and no secrets", () => {
    const passed = plainEnvironment({ PATH: "/bin", HOME: "/h", AWS_SECRET: "x", GH_TOKEN: "y" }, [
      "GH_TOKEN",
    ]);
    expect(passed).toEqual({ PATH: "/bin", HOME: "/h", GH_TOKEN: "y" });
  });
});

describe("a process", () => {
  it("is alive while it runs", () => {
    expect(livenessOf(thisProcess())).toBe("alive");
  });

  it("is dead when its pid was reused, or the machine was restarted", () => {
    expect(livenessOf({ ...thisProcess(), startTime: "0" })).toBe("dead");
    expect(livenessOf({ ...thisProcess(), bootId: "before" })).toBe("dead");
  });

  it("in another container is unknown", () => {
    expect(livenessOf({ ...thisProcess(), place: "elsewhere" })).toBe("unknown");
  });
});
