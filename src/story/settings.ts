// The settings of a project, `.saga/config.toml`. What stands here is also its documentation: the
// commented file that `saga init` writes, `saga config` and the JSON Schema all come from it.

import * as z from "zod";
import { DEFAULT_CEILING } from "./check.ts";
import { branch } from "./fields.ts";

/** A file or folder below the top of the project, named as it is: no pattern. */
const path = z.string().regex(/^(?![/~])(?!(?:.*[/\\])?\.{1,2}(?:[/\\]|$))\S/s, {
  error: "is not a path inside the project",
});
/** Anywhere on the machine. */
const folder = z.string().regex(/^(?:~\/|\/)\S/, "does not begin with / or ~/");
const variable = z.string().regex(/^[A-Za-z_]\w*$/, "is not the name of a variable");
const text = z.string().min(1).optional();

const sections = {
  claude: z
    .strictObject({
      path: text.describe("The Claude Code to use, when not the one on PATH."),
      model: z.string().min(1).default("opus").describe("The model that works on stories."),
      tools: z
        .array(z.string().min(1))
        .default([])
        .describe("Tools that agents have besides the usual ones."),
      pass_env: z
        .array(variable)
        .default([])
        .describe("Further variables of the environment that agents see."),
      sandbox: z
        .boolean()
        .default(false)
        .describe(
          "Whether Claude Code's own sandbox keeps shell commands from writing outside the worktree.",
        ),
      sandbox_write: z
        .array(folder)
        .default([])
        .describe("Folders that they may write all the same, like ~/.cargo/registry."),
    })
    .describe("Claude Code."),
  run: z
    .strictObject({
      max_cycles: z.int().min(1).default(10).describe("The most headless runs for one start."),
      max_minutes: z.number().positive().default(60).describe("The longest that one start works."),
      max_cost: z
        .number()
        .positive()
        .optional()
        .describe("The most that one start may spend, in US dollars."),
      keep: z.int().min(1).default(50).describe("How many runs of a story are kept on record."),
    })
    .describe("When a worker stops by itself. `saga run` has a flag for each."),
  limits: z
    .strictObject({
      wait: z
        .number()
        .min(0)
        .optional()
        .describe("The most minutes to wait for a usage limit, besides the time for work."),
      pause: z
        .number()
        .positive()
        .default(60)
        .describe("Seconds to wait when nobody says how long; each time twice as long."),
    })
    .describe("What to do when the account's limit is reached."),
  git: z
    .strictObject({
      base: branch.describe("The branch that stories start from, when not the remote's default."),
      push: z
        .enum(["auto", "always", "never"])
        .default("auto")
        .describe("Whether story branches are pushed; auto: when pull requests are on GitHub."),
    })
    .describe("Branches."),
  forge: z
    .strictObject({
      kind: z
        .enum(["auto", "github", "local"])
        .default("auto")
        .describe("Where pull requests live; auto: GitHub when there is a remote there and gh."),
    })
    .describe("Pull requests."),
  worktree: z
    .strictObject({
      copy: z
        .array(path)
        .default([])
        .describe("Untracked files that each worktree gets a copy of, like .env."),
      link: z
        .array(path)
        .default([])
        .describe("Untracked files or folders that each worktree gets a link to."),
      setup: text.describe("A command that is run once in each new worktree."),
      setup_minutes: z.number().positive().default(10).describe("The longest that it may take."),
      first_port: z.int().min(1024).max(60_000).default(42_000).describe("Where ports begin."),
      ports: z
        .int()
        .min(0)
        .max(1000)
        .default(10)
        .describe("How many ports each story has for itself: SAGA_PORT and those above it."),
    })
    .describe("What a story's worktree is given besides the files in git."),
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
  run: sections.run.prefault({}),
  limits: sections.limits.prefault({}),
  git: sections.git.prefault({}),
  forge: sections.forge.prefault({}),
  worktree: sections.worktree.prefault({}),
  size: sections.size.prefault({}),
});

/** What people write: names as in the file. */
type Config = z.output<typeof configSchema>;

type Camel<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** What the program holds: `size.maxFiles`. */
export type Settings = {
  readonly [Section in keyof Config]: {
    readonly [Name in keyof Config[Section] as Camel<Name>]: Config[Section][Name];
  };
};

export const settingsOf = (config: Config): Settings =>
  Object.fromEntries(
    Object.entries(config).map(([section, values]) => [
      section,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [camel(name), value])),
    ]),
  ) as Settings;

const camel = (name: string): string =>
  name.replaceAll(/_(?<letter>[a-z])/g, (_, letter: string) => letter.toUpperCase());

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
