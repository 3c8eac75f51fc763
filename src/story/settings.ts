// The settings of a project, `.saga/config.toml`. What stands here is also its documentation: the
// commented file that `saga init` writes, `saga config` and the JSON Schema all come from it.

import * as z from "zod";
import { DEFAULT_CEILING } from "./check.ts";

const sections = {
  claude: z
    .strictObject({
      path: z
        .string()
        .min(1)
        .optional()
        .describe("The Claude Code to use, when not the one on PATH."),
    })
    .describe("Claude Code."),
  size: z
    .strictObject({
      max_files: z
        .int()
        .min(1)
        .default(DEFAULT_CEILING.maxFiles)
        .describe("The most files that one task may declare to write."),
      max_lines: z
        .int()
        .min(1)
        .default(DEFAULT_CEILING.maxLines)
        .describe("The most changed lines that one task may be estimated at."),
    })
    .describe("How large a task may be before it must be split."),
};

export const configSchema = z.strictObject({
  claude: sections.claude.prefault({}),
  size: sections.size.prefault({}),
});

/** What people write: names as in the file. */
type Config = z.output<typeof configSchema>;

/** What the program holds. */
export interface Settings {
  readonly claude: { readonly path: string | undefined };
  readonly size: { readonly maxFiles: number; readonly maxLines: number };
}

export const settingsOf = ({ claude, size }: Config): Settings => ({
  claude: { path: claude.path },
  size: { maxFiles: size.max_files, maxLines: size.max_lines },
});

export interface SettingInfo {
  /** `size.max_files` */
  readonly key: string;
  readonly section: string;
  readonly name: string;
  readonly about: string;
  readonly schema: z.ZodType;
  readonly fallback: unknown;
}

export const SETTINGS: readonly SettingInfo[] = Object.entries(sections).flatMap(
  ([section, { shape }]) =>
    Object.entries<z.ZodType>(shape).map(([name, schema]) => ({
      key: `${section}.${name}`,
      section,
      name,
      about: schema.description ?? "",
      schema,
      fallback: schema.safeParse(undefined).data,
    })),
);

/** A new project's file: every setting explained, none set. */
export function commentedConfig(): string {
  const parts = Object.entries(sections).map(([section, schema]) => {
    const lines = SETTINGS.flatMap((setting) =>
      setting.section === section ? [`# ${setting.about}`, `# ${defaultLine(setting)}`] : [],
    );
    return [`[${section}]`, `# ${schema.description}`, ...lines].join("\n");
  });
  return `${["# Settings of Saga for this project. Lines with a # show the defaults.", ...parts].join("\n\n")}\n`;
}

const defaultLine = ({ name, fallback }: SettingInfo): string =>
  fallback === undefined ? `${name} is not set` : `${name} = ${JSON.stringify(fallback)}`;
