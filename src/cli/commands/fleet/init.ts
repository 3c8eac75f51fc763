import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { SagaError } from "../../../errors.ts";
import { findRepository } from "../../../repo/repository.ts";
import { requirePushRights } from "../../../repo/sharing/push-rights.ts";
import { rootCommit } from "../../../repo/commits/root-commit.ts";
import { requireSetting, requireValue, settingValue } from "../../../store/project/config.ts";
import { layoutOf } from "../../../store/project/layout.ts";
import { editConfig } from "../../../store/write/edit-config.ts";
import type { Settings } from "../../../story/settings/settings.ts";
import type { CommandContext, CommandResult } from "../../program/command.ts";

interface Options {
  readonly name?: string;
  readonly grant?: string;
}

/** Everything is checked before the first change, and the setting is written last: a fleet that is not whole is not used. */
export async function initFleet(
  { io, openProject }: CommandContext,
  _: string[],
  { name: given, grant }: Options,
): Promise<CommandResult> {
  const store = openProject();
  const settings = await store.settings();
  const repository = await findRepository(store.project, io.env);
  const fleet = nameFor(settings, given, basename(repository.project));
  requirePushing(settings);
  const root = await rootCommit(repository);
  const [database, jobs, schema] = await Promise.all([
    import("../../../fleet/engine/database.ts"),
    import("../../../fleet/engine/jobs.ts"),
    import("../../../fleet/engine/schema.ts"),
  ]);
  const url = database.requireFleetUrl(io.env);
  await requirePushRights(repository);
  const opened = database.openDatabase(url);
  try {
    if (grant !== undefined) await schema.requireRole(opened, grant);
    await schema.createSchema(opened, { fleet, root }, randomBytes(32));
    const queue = await jobs.openJobs(opened, {
      schema: schema.jobSchemaOf(fleet),
      migrate: true,
    });
    await queue.close();
    if (grant !== undefined) {
      for (const statement of schema.grantsFor(fleet, grant)) await opened.query(statement);
    }
  } finally {
    await opened.close();
  }
  if (settings.fleet.name !== fleet) {
    await editConfig(layoutOf(store.project), "fleet.name", fleet);
  }
  return {
    json: { fleet, schema: schema.schemaOf(fleet), grantedTo: grant },
    text: (paint) =>
      [
        `${paint("green", "✓")} The fleet ${paint("bold", fleet)} is set up`,
        "",
        "Commit and push .saga/config.toml: every clone knows the fleet by it.",
        "On each machine, set SAGA_FLEET_URL in the environment, never in a file of the project.",
        "Then take stories there: `saga fleet join --slots 2`",
        "Give the fleet work: `saga epic run <epic> --fleet --merge`",
        "",
      ].join("\n"),
  };
}

export function nameFor(
  { fleet }: Pick<Settings, "fleet">,
  given: string | undefined,
  folder: string,
): string {
  const guess = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[^a-z]+|-+$/g, "")
    .slice(0, 40)
    .replace(/-$/, "");
  const setting = requireSetting("fleet.name");
  const name = settingValue(setting.key, given ?? fleet.name ?? (guess || "fleet"));
  // It becomes the name of schemas.
  requireValue(setting, name);
  return String(name);
}

function requirePushing({ git }: Settings): void {
  if (git.push !== "never") return;
  throw new SagaError("bad-setting", 'A fleet needs pushes, but the setting git.push is "never".', {
    hint: "The machines of a fleet share their work through the remote. Allow pushes: `saga config unset git.push`.",
  });
}
