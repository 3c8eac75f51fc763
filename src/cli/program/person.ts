// The name of the person at the command line, for receipts and journals: git's `user.name`.

import { userInfo } from "node:os";
import { run } from "../../machine/processes/run.ts";
import { oneLine } from "../../text/one-line.ts";
import type { CommandContext } from "./command.ts";

const TIMEOUT_MS = 10_000;

/** Falls back to the login name. */
export async function personName({
  io: { env },
  cwd,
}: Pick<CommandContext, "io" | "cwd">): Promise<string> {
  const author = oneLine(env["GIT_AUTHOR_NAME"] ?? "");
  if (author !== "") return author;
  const { PATH = "", HOME = "", XDG_CONFIG_HOME } = env;
  const result = await run("git", ["config", "--get", "user.name"], {
    cwd,
    env: { PATH, HOME, ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }) },
    timeoutMs: TIMEOUT_MS,
  });
  const name = result.kind === "exited" && result.exitCode === 0 ? oneLine(result.stdout) : "";
  return name === "" ? userInfo().username : name;
}
