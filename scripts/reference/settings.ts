import * as z from "zod";
import { sections } from "../../src/story/settings/sections.ts";
import { SETTINGS, type SettingInfo } from "../../src/story/settings/settings.ts";
import { typeText } from "./fields.ts";
import { code, page, table } from "./markdown.ts";

export const settingsPage = (): string =>
  page(
    "Settings",
    "Settings are in `.saga/config.toml`, which is in git. `saga init` writes that file with every setting explained and none set. `saga config` lists the current values; `saga config set <setting> <value>` and `saga config unset <setting>` change the file and keep your comments.",
    ...Object.entries(sections).flatMap(([name, { description }]) => [
      `## [${name}]`,
      description ?? "",
      table(
        ["setting", "default", "type", "meaning"],
        SETTINGS.filter(({ section }) => section === name).map(row),
      ),
    ]),
  );

const row = ({ key, fallback, schema, about }: SettingInfo): string[] => [
  code(key),
  fallback === undefined ? "not set" : code(JSON.stringify(fallback)),
  typeText(z.toJSONSchema(schema, { io: "input" })),
  about,
];
