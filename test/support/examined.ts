// A machine with only the programs that a test installs, and the findings of `saga doctor`.

import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { newFolder, type Project, type CommandOutput } from "./project.ts";
import type { Diagnosis } from "../../src/cli/doctor/diagnosis.ts";

/** A home folder of its own, with only the programs in its `bin`. */
interface Machine {
  readonly home: Project;
  readonly env: Record<string, string>;
  /** Installs a small program that always prints this. */
  readonly pretend: (program: string, script: string) => string;
  /** Installs the real one. */
  readonly install: (program: string) => void;
}

/** Nothing is installed but a Claude Code that answers quickly. */
export function newMachine(): Machine {
  const machine = emptyMachine();
  machine.pretend("claude", claude());
  return machine;
}

export function emptyMachine(): Machine {
  const home = newFolder("home");
  mkdirSync(join(home.path, "bin"));
  return {
    home,
    env: {
      PATH: join(home.path, "bin"),
      HOME: home.path,
      SAGA_SESSION_DIR: join(home.path, "sessions"),
    },
    pretend(program, script) {
      const file = home.write(join("bin", program), `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
      return file;
    },
    install(program) {
      home.link(join("bin", program), realProgram(program) ?? "");
    },
  };
}

export const realProgram = (program: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

/** A Claude Code that answers like one, and quickly. */
export const claude = ({
  version = "2.1.325 (Claude Code)",
  login = '{"loggedIn":true,"authMethod":"claude.ai"}',
  tools = '"Bash","TaskList","TaskGet","TaskUpdate","TaskCreate"',
} = {}): string => `case "$1" in
  --version) echo '${version}' ;;
  auth) echo '${login}' ;;
  *) echo '{"type":"system","subtype":"init","tools":[${tools}]}' ;;
esac`;

export const diagnosesOf = (result: CommandOutput): readonly Diagnosis[] =>
  (result.json() as { diagnoses: Diagnosis[] }).diagnoses;

export async function diagnosis(
  project: Project,
  machine: Machine,
  name: string,
): Promise<Diagnosis> {
  const result = await project.sagaWithEnv(machine.env, "doctor", "--json");
  const found = diagnosesOf(result).find((one) => one.name === name);
  return found ?? { name, verdict: "fail", found: "not examined" };
}
