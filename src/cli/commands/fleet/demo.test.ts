import { expect, it } from "vitest";
import { newFolder } from "../../../../test/support/project.ts";
import { builtSaga } from "../../../../test/support/programs.ts";
import type { CommandContext } from "../../program/command.ts";
import { demo } from "./demo.ts";

it(
  "tells its progress on stderr with --json, and can be stopped",
  { timeout: 60_000 },
  async () => {
    const { path } = newFolder();
    const written = { out: "", error: "" };
    const io = {
      cwd: path,
      env: { PATH: process.env["PATH"], HOME: path },
      program: [process.execPath, builtSaga],
      writeOut: (text: string) => (written.out += text),
      writeError: (text: string) => (written.error += text),
      untilStopped: () => AbortSignal.abort(),
    };
    const stopped = demo({ io, cwd: path } as unknown as CommandContext, [], { json: true });
    await expect(stopped).rejects.toThrow("The demo was stopped.");
    expect(written.out).toBe("");
    expect(written.error).toMatch(/^ +\d+\.\d s {2}Starting PostgreSQL …$/m);
  },
);
