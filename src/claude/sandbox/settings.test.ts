import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { sandboxProblem, sandboxSettings } from "./settings.ts";

const place = { gitDir: "/g", guarded: [], write: [], hidden: [], network: ["*"] };

describe("the sandbox", () => {
  it("lets commands write the worktree's git directory and the settings' folders, and read all but hidden paths", () => {
    const settings = sandboxSettings({
      gitDir: "/p/.git/worktrees/s",
      guarded: ["/p/.git/refs"],
      write: ["~/.cargo/registry"],
      hidden: ["/home/.local/state/saga"],
      network: ["*"],
    });
    expect(settings.filesystem).toEqual({
      allowWrite: ["/p/.git/worktrees/s", "~/.cargo/registry"],
      denyWrite: ["/p/.git/refs"],
      denyRead: ["/home/.local/state/saga"],
    });
  });

  it("is never left out: not when it is unavailable, nor when the agent asks", () => {
    expect(sandboxSettings(place)).toMatchObject({
      enabled: true,
      failIfUnavailable: true,
      allowUnsandboxedCommands: false,
    });
  });

  it("leaves the network open, unless domains are named: then it refuses all others", () => {
    const networkOf = (network: readonly string[]): unknown =>
      sandboxSettings({ ...place, network }).network;
    expect(networkOf(["*"])).toEqual({ allowedDomains: ["*"], strictAllowlist: false });
    expect(networkOf([])).toEqual({ allowedDomains: [], strictAllowlist: true });
    expect(networkOf(["a.org"])).toEqual({ allowedDomains: ["a.org"], strictAllowlist: true });
  });
});

describe("whether the sandbox works", () => {
  /** A PATH with only these programs. */
  function pathWith(programs: Record<string, string>): { PATH: string } {
    const bin = newFolder();
    for (const [name, script] of Object.entries(programs)) {
      chmodSync(bin.write(name, `#!/bin/sh\n${script}\n`), 0o755);
    }
    return { PATH: bin.path };
  }

  it("always works on macOS, which includes it", async () => {
    expect(await sandboxProblem({}, "darwin")).toBeUndefined();
  });

  it("does not work where Claude Code has none", async () => {
    const problem = await sandboxProblem({}, "win32");
    expect(problem?.found).toContain("win32");
    expect(problem?.fix).toContain("claude.sandbox false");
  });

  it.each([
    [{}, "bubblewrap and socat not found", "apt-get install bubblewrap socat"],
    [{ bwrap: "exit 0" }, "socat not found", "apt-get install socat"],
    [{ socat: "exit 0" }, "bubblewrap not found", "apt-get install bubblewrap"],
  ])("names the programs that are missing: with %j", async (programs, found, fix) => {
    const problem = await sandboxProblem(pathWith(programs), "linux");
    expect(problem?.found).toBe(found);
    expect(problem?.fix).toContain(`\`${fix}\``);
    expect(problem?.fix).toContain("`saga config set claude.sandbox false`");
  });

  it("is tried out: bubblewrap's message is shown if it may not create namespaces", async () => {
    const env = pathWith({ bwrap: "echo No permissions here >&2; exit 1", socat: "exit 0" });
    const problem = await sandboxProblem(env, "linux");
    expect(problem?.found).toBe("bubblewrap does not work here: No permissions here");
    expect(problem?.fix).toContain("namespaces");
  });

  it("is yes with both programs at work", async () => {
    const env = pathWith({ bwrap: "exit 0", socat: "exit 0" });
    expect(await sandboxProblem(env, "linux")).toBeUndefined();
  });
});
