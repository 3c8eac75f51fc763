// The settings of checks, for hook scripts: read without the schema, which is larger than all scripts together. An
// invalid file counts as empty; `saga validate` reports it.

import { parse } from "smol-toml";
import { readTextIfThere } from "../../machine/files/files.ts";
import { DEFAULT_CHECK_MINUTES, DEFAULT_PORTS } from "../../story/settings/defaults.ts";
import { configFile, type Layout } from "../project/layout.ts";

export interface HookCheckSettings {
  readonly claude: { readonly passEnv: readonly string[] };
  readonly gate: { readonly checkMinutes: number };
  readonly worktree: { readonly firstPort: number; readonly ports: number };
}

export function readCheckSettings(at: Layout): HookCheckSettings {
  const { claude, gate, worktree } = tablesIn(at);
  const minutes = gate?.["check_minutes"];
  const names = claude?.["pass_env"];
  return {
    claude: { passEnv: Array.isArray(names) ? names.filter(isText) : [] },
    gate: {
      checkMinutes: typeof minutes === "number" && minutes > 0 ? minutes : DEFAULT_CHECK_MINUTES,
    },
    worktree: {
      firstPort: integerIn(worktree?.["first_port"], 1024, 60_000) ?? DEFAULT_PORTS.firstPort,
      ports: integerIn(worktree?.["ports"], 0, 1000) ?? DEFAULT_PORTS.ports,
    },
  };
}

type Table = Readonly<Record<string, unknown>>;

function tablesIn(at: Layout): Readonly<Partial<Record<"claude" | "gate" | "worktree", Table>>> {
  try {
    return parse(readTextIfThere(configFile(at)) ?? "");
  } catch {
    return {};
  }
}

const integerIn = (value: unknown, min: number, max: number): number | undefined =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max
    ? Number(value)
    : undefined;

const isText = (value: unknown): value is string => typeof value === "string";
