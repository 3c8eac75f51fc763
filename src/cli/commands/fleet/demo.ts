import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireClaude } from "../../start/require-startable.ts";
import { EXIT } from "../../../story/state/exit-codes.ts";
import { renderDemo } from "../../fleet/demo/summary.ts";
import type { CommandContext, CommandResult } from "../../program/command.ts";

/** Everything is in a temporary folder, and ends with the command. */
export async function demo(
  { io }: CommandContext,
  _: string[],
  { json = false }: { readonly json?: boolean },
): Promise<CommandResult> {
  requireClaude({ claude: {} }, io, io.cwd);
  const stop = io.untilStopped();
  const startedMs = performance.now();
  // JSON goes to stdout alone.
  const write = json ? io.writeError : io.writeOut;
  const printLine = (sentence: string): void => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1).padStart(6);
    write(`${seconds} s  ${sentence}\n`);
  };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "saga-fleet-demo-")));
  try {
    if (!json) io.writeOut(INTRODUCTION);
    const { playFleetDemo } = await import("../../fleet/demo/play.ts");
    const { env, program } = io;
    const result = await playFleetDemo({ folder, env, program, printLine, stop });
    return {
      json: result,
      text: (paint) => renderDemo(result, paint),
      exitCode: result.problems.length === 0 ? EXIT.done : EXIT.error,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const INTRODUCTION = [
  "Three machines share one backlog: an epic of twelve stories. One machine is killed in the middle of its work,",
  "and the others finish it. Database, git and Claude Code are real; only the model is scripted, so nothing is spent.",
  "",
  "",
].join("\n");
