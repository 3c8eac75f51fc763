// The settings that decide about a check, for a hook script: without the schema, which is larger than all of
// its scripts together. A file that cannot be read counts as empty; `saga validate` is for that.

import { parse } from "smol-toml";
import { readTextIfThere } from "../../machine/files/files.ts";
import { DEFAULT_CHECK_MINUTES } from "../../story/settings/defaults.ts";
import { configFile, type Layout } from "../project/layout.ts";

export interface PlainCheckSettings {
  readonly claude: { readonly passEnv: readonly string[] };
  readonly gate: { readonly checkMinutes: number };
}

export function readCheckSettings(at: Layout): PlainCheckSettings {
  const { claude, gate } = tablesIn(at);
  const minutes = gate?.["check_minutes"];
  const names = claude?.["pass_env"];
  return {
    claude: { passEnv: Array.isArray(names) ? names.filter(isText) : [] },
    gate: {
      checkMinutes: typeof minutes === "number" && minutes > 0 ? minutes : DEFAULT_CHECK_MINUTES,
    },
  };
}

type Table = Readonly<Record<string, unknown>>;

function tablesIn(at: Layout): { readonly claude?: Table; readonly gate?: Table } {
  try {
    return parse(readTextIfThere(configFile(at)) ?? "");
  } catch {
    return {};
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
