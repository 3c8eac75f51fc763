// Changes `.saga/config.toml` and keeps its comments. Separate from reading, because the library for this is large
// and only one command needs it.

import { patch } from "@decimalturn/toml-patch";
import { parse } from "smol-toml";
import { readTextIfThere } from "../../machine/files/files.ts";
import { commentedConfig, type SettingInfo } from "../../story/settings/settings.ts";
import {
  invalidSettings,
  judgeConfig,
  parseToml,
  requireSetting,
  requireValue,
  type Tables,
} from "../project/config.ts";
import { configFile, type Layout } from "../project/layout.ts";
import { requireInside } from "../project/require.ts";
import { commit } from "./transaction.ts";
import { withFolderLock } from "./write-lock.ts";

/** Sets one setting, or removes it if the value is undefined. */
export async function editConfig(at: Layout, key: string, value: unknown): Promise<void> {
  const setting = requireSetting(key);
  if (value !== undefined) requireValue(setting, value);
  await withFolderLock(
    at,
    { name: "config", find: () => at.saga, isStillRight: () => true },
    (lock) => {
      requireInside(at, configFile(at));
      const before = readTextIfThere(configFile(at)) ?? commentedConfig();
      const { problem } = parseToml(configFile(at), before);
      if (problem) throw invalidSettings([problem]);
      const after = edited(before, setting, value);
      const { problems } = judgeConfig(configFile(at), after);
      if (problems.length > 0) throw invalidSettings(problems);
      if (after !== before) commit(lock, [{ path: configFile(at), text: after }]);
    },
  );
}

export function edited(before: string, setting: SettingInfo, value: unknown): string {
  const table = parse(before) as Tables;
  const section = { ...table[setting.section] };
  if (value === undefined) delete section[setting.name];
  else section[setting.name] = value;
  const after = patch(before, { ...table, [setting.section]: section });
  // The library leaves an empty line when it removes a setting.
  const hasGaps = before.includes("\n\n\n");
  return (hasGaps ? after : after.replaceAll(/\n{3,}/g, "\n\n")).replace(/\n*$/, "\n");
}
