// Claude Code's sandbox around an agent's shell commands: what they may write, and whether it works on this
// machine. Reading (except Saga's secrets) and, by default, the network stay allowed: else nothing could be installed or
// tried.

import type { Options } from "@anthropic-ai/claude-agent-sdk";
import type { SandboxPlace } from "../../agent/place/sandbox.ts";
import { plainEnvironment, type Environment } from "../../machine/processes/environment.ts";
import { findProgram } from "../../machine/processes/find-program.ts";
import { run } from "../../machine/processes/run.ts";

export const sandboxSettings = ({
  gitDir,
  guarded,
  write,
  hidden,
  network,
}: SandboxPlace): NonNullable<Options["sandbox"]> => ({
  enabled: true,
  failIfUnavailable: true,
  // Else the agent could run a command outside of the sandbox. This also makes Claude Code ignore the
  // repository's own settings of the sandbox.
  allowUnsandboxedCommands: false,
  // A list alone is only a question, and with all permissions the answer is yes: only `strictAllowlist` refuses.
  network: { allowedDomains: [...network], strictAllowlist: isLimited(network) },
  filesystem: {
    allowWrite: [gitDir, ...write],
    denyWrite: [...guarded],
    denyRead: [...hidden],
  },
});

export const isLimited = (network: readonly string[]): boolean => !network.includes("*");

export interface SandboxProblem {
  readonly found: string;
  readonly fix: string;
}

/** Why the sandbox does not work here. Claude Code itself only checks if the programs exist. */
export async function sandboxProblem(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<SandboxProblem | undefined> {
  // macOS includes it.
  if (platform === "darwin") return undefined;
  if (platform !== "linux") {
    return { found: `Claude Code has no sandbox on ${platform}`, fix: DO_WITHOUT };
  }
  const missing = Object.entries(PROGRAMS).filter(([program]) => !findProgram(program, env));
  if (missing.length > 0) {
    const packages = missing.map(([, name]) => name);
    return {
      found: `${packages.join(" and ")} not found`,
      fix: `Run \`apt-get install ${packages.join(" ")}\`, or use your system's package manager. ${DO_WITHOUT}`,
    };
  }
  const trial = await run("bwrap", TRIAL, { env: plainEnvironment(env), timeoutMs: 10_000 });
  if (trial.kind === "exited" && trial.exitCode === 0) return undefined;
  const output = trial.kind === "missing" ? "" : trial.stderr.trim();
  return {
    found: `bubblewrap does not work here${output && `: ${output}`}`,
    fix: `Allow this user to create namespaces; in a container, its settings decide. ${DO_WITHOUT}`,
  };
}

const PROGRAMS = { bwrap: "bubblewrap", socat: "socat" } as const;
/** The namespaces and mounts that Claude Code uses. */
const TRIAL =
  "--die-with-parent --ro-bind / / --dev /dev --unshare-user --unshare-pid --unshare-net --proc /proc -- true".split(
    " ",
  );
const DO_WITHOUT = "To turn it off: `saga config set claude.sandbox false`.";
