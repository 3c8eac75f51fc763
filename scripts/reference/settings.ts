// Every setting, with what it is when nobody sets it.

import * as z from "zod";
import { sections } from "../../src/story/settings/sections.ts";
import { SETTINGS, type SettingInfo } from "../../src/story/settings/settings.ts";
import { typeText } from "./fields.ts";
import { code, page, table } from "./markdown.ts";

export const settingsPage = (): string =>
  page(
    "Settings",
    "They stand in `.saga/config.toml`, which is in git; `saga init` writes it with every setting explained and none set. `saga config` shows what holds, `saga config set <setting> <value>` and `saga config unset <setting>` change the file and keep your comments.",
    ...Object.entries(sections).flatMap(([name, { description }]) => [
      `## [${name}]`,
      description ?? "",
      table(
        ["setting", "default", "may be", "what it is for"],
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
