// What the gate will judge this story by. The agent's prompt says it too.

import { boundsOfWrites, declaredWrites } from "../gate/globs.ts";
import type { Range } from "../gate/story-gate.ts";
import { readInitialDefinitions } from "../repo/commits/initial-definition.ts";
import { commitOf } from "../repo/refs.ts";
import { storyStart } from "../repo/story-range.ts";
import { readPersonsVersions } from "../store/runs/person-edit.ts";
import type { GateFacts } from "../story/prompts/gate-rules.ts";
import type { GateDefinition } from "../story/receipts/weakened-definition.ts";
import type { PreparedWork } from "./context.ts";

export async function gateFacts(work: PreparedWork): Promise<GateFacts> {
  const { git, base, branch, context } = work;
  const { settings } = context;
  const story = work.story.definition();
  const commit = await commitOf(git, `refs/heads/${branch}`);
  const initial =
    commit === undefined
      ? []
      : await initialDefinitions(work, {
          from: await storyStart(git, { base, tip: commit }),
          commit,
        });
  const writeFiles = declaredWrites(story, work.story.tasks());
  return {
    limits: settings.gate,
    checks: story.checks,
    writeFiles,
    bounds: boundsOfWrites(story, initial),
    storyId: story.id,
    needsTesting: story.needsTesting,
    needsReview: story.needsReview,
    ceiling: settings.size.watch ? settings.size : undefined,
  };
}

/** The story as people defined it, before any agent could change it. */
async function initialDefinitions(
  { git, context, request: { storyId } }: PreparedWork,
  { from, commit }: Range,
): Promise<readonly GateDefinition[]> {
  const versions = await readPersonsVersions(context, storyId);
  return readInitialDefinitions(git, { storyId, from, tip: commit, ...versions });
}
