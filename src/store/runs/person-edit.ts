// A person's edit of a story that has started: what the story asks for since then. Like the start of a story it is
// sealed, because the story's files are in the worktree of an agent, which must not lower what it is judged by.

import type { Run } from "../../story/state/run.ts";
import {
  definitionText,
  parseDefinition,
  type EditedDefinition,
} from "../../story/receipts/definition-text.ts";
import type { GateDefinition } from "../../story/receipts/weakened-definition.ts";
import { parseJson } from "../../text/parse-json.ts";
import { findReceiptKey, makeReceiptKey } from "./receipt-key.ts";
import { isSealed, sealOf } from "./receipt-seal.ts";
import { readStartCommit } from "./start-commit.ts";
import type { ReceiptContext } from "./receipts.ts";

/** A story as people gave it: the commit that it was started with, and their last edit since. */
export interface PersonsVersions {
  readonly start: string | undefined;
  readonly edited: EditedDefinition | undefined;
}

export const readPersonsVersions = async (
  context: Omit<ReceiptContext, "now">,
  storyId: string,
): Promise<PersonsVersions> => ({
  start: await readStartCommit(context, storyId),
  edited: await readLastEdit(context, storyId),
});

interface PersonsEdit extends EditedDefinition {
  readonly at: string;
}

/** Undefined without a sealed record. Edits before a discard do not count. */
async function readLastEdit(
  { store, env }: Omit<ReceiptContext, "now">,
  storyId: string,
): Promise<PersonsEdit | undefined> {
  const { key } = findReceiptKey(env);
  return key && lastEditIn(await store.listRuns(storyId), storyId, key);
}

/** `runs`: newest first. */
export function lastEditIn(
  runs: readonly Run[],
  storyId: string,
  key: Buffer,
): PersonsEdit | undefined {
  for (const { id: runId, startedAt: at, edit, discardedAt } of runs) {
    if (edit === undefined || discardedAt !== undefined) continue;
    const { definition: text, from, seal } = edit;
    if (!isSealed(key, { edit: text, from }, { storyId, runId, seal })) continue;
    const definition = parseDefinition(parseJson(text));
    if (definition) return { at, definition, from };
  }
  return undefined;
}

interface NewEdit {
  readonly definition: GateDefinition;
  /** The commit before the story's own work. */
  readonly from: string;
  readonly reason: string;
}

/** Returns false without a key: then the edit cannot be told from an agent's. */
export async function recordEdit(
  { store, env, now }: ReceiptContext,
  storyId: string,
  { definition, from, reason }: NewEdit,
): Promise<boolean> {
  const { key } = makeReceiptKey(env);
  if (!key) return false;
  const log = await store.startRun(storyId, { reason, isAside: true });
  try {
    const text = definitionText(definition);
    const seal = sealOf(key, { edit: text, from }, { storyId, runId: log.run.id });
    const endedAt = new Date(now()).toISOString();
    log.update({ edit: { definition: text, from, seal }, endedAt, outcome: "done" });
  } finally {
    log.close();
  }
  return true;
}
