// The settings of a project, `.saga/config.toml`. The commented file that `saga init` writes, `saga config`, the JSON
// Schema and the reference are made from the descriptions in sections.ts.

import * as z from "zod";
import type { Epic } from "../definition/epic.ts";
import { sections } from "./sections.ts";

export const configSchema = z.strictObject({
  claude: sections.claude.prefault({}),
  plan: sections.plan.prefault({}),
  run: sections.run.prefault({}),
  budget: sections.budget.prefault({}),
  limits: sections.limits.prefault({}),
  git: sections.git.prefault({}),
  forge: sections.forge.prefault({}),
  delivery: sections.delivery.prefault({}),
  queue: sections.queue.prefault({}),
  fleet: sections.fleet.prefault({}),
  epic: sections.epic.prefault({}),
  worktree: sections.worktree.prefault({}),
  size: sections.size.prefault({}),
  watch: sections.watch.prefault({}),
  gate: sections.gate.prefault({}),
  auto: sections.auto.prefault({}),
  recover: sections.recover.prefault({}),
  notices: sections.notices.prefault({}),
});

/** As parsed, with the names of the file. */
type Config = z.output<typeof configSchema>;

type Camel<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** With the names of the program: `size.maxFiles`. */
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

/** Whether an epic's stories are merged into the epic's branch, which is then merged into the target. */
export const isDeliveredAsOne = (
  { delivery, branch }: Pick<Epic, "delivery" | "branch">,
  settings: Pick<Settings, "delivery">,
): boolean =>
  (delivery ?? (branch === undefined ? settings.delivery.kind : "epic-branch")) === "epic-branch";

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

/** The file of a new project: every setting explained, none set. Each line can be uncommented as it is. */
export function commentedConfig(): string {
  const parts = Object.entries(sections).map(([section, schema]) => {
    const settings = SETTINGS.filter((setting) => setting.section === section);
    return [`[${section}]\n# ${schema.description}`, ...settings.map(commented)].join("\n\n");
  });
  return `${["# Settings of Saga for this project. Lines with a # show the defaults.", ...parts].join("\n\n")}\n`;
}

const commented = ({ about, name, key, fallback }: SettingInfo): string =>
  fallback === undefined
    ? `# ${about} Not set; for example:\n# ${name} = ${JSON.stringify(EXAMPLES[key] ?? "")}`
    : `# ${about}\n# ${name} = ${JSON.stringify(fallback)}`;

/** Example values of settings without a default. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  "claude.path": "/usr/local/bin/claude",
  "run.max_cost": 5,
  "limits.wait": 300,
  "git.base": "develop",
  "fleet.name": "my-team",
  "worktree.setup": "npm ci",
  "auto.task_list_id": "my-project-tasks",
  "auto.tasks_root": "/home/me/.claude/tasks",
  "auto.target": "develop",
  "notices.command": 'notify-send "$SAGA_NOTICE_TITLE"',
  "notices.webhook_env": "SAGA_WEBHOOK",
  "notices.webhook": "http://localhost:8080/saga",
};
