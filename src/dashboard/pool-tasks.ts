// The tasks of the pool's list as a page shows them. Pure, and forgiving: what the pool keeps in a task's
// metadata is taken where it makes sense, and nothing else of a task is hidden when it does not.

import * as z from "zod";
import type { ClaudeCodeTask } from "../story/claude-task.ts";
import { DEFAULT_PRIORITY } from "../story/fields.ts";
import type { PoolTaskCard } from "./protocol.ts";

export type ReadTask =
  | { readonly id: string; readonly task: ClaudeCodeTask; readonly fault?: never }
  | { readonly id: string; readonly fault: string; readonly task?: never };

const metadataSchema = z.object({
  priority: z.int().min(0).max(4).optional().catch(undefined),
  label: z.string().optional().catch(undefined),
  saga: z
    .object({
      attempts: z.int().min(0).optional().catch(undefined),
      lastFailure: z.string().optional().catch(undefined),
      held: z.object({ why: z.string() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** `isOwn` asks whether a worker of this project has that name. */
export function poolTaskCards(
  read: readonly ReadTask[],
  isOwn: (owner: string) => boolean,
): PoolTaskCard[] {
  const statuses = new Map(read.map(({ id, task }) => [id, task?.status]));
  return read.map(({ id, task, fault }) => {
    if (task === undefined) return brokenCard(id, fault);
    const { priority, label, saga } = metadataSchema.catch({}).parse(task.metadata ?? {});
    const missing = task.blockedBy.find((blocker) => !statuses.has(blocker));
    const open = task.blockedBy.filter((blocker) => statuses.get(blocker) !== "completed");
    const held = saga?.held;
    return {
      id,
      subject: task.subject,
      state: stateOf(task, { isHeld: held !== undefined, missing, isOpen: open.length > 0, isOwn }),
      label,
      priority: priority ?? DEFAULT_PRIORITY,
      owner: task.owner || undefined,
      blockedBy: task.blockedBy,
      why: held?.why ?? whyBroken(task, missing) ?? saga?.lastFailure,
      attempts: saga?.attempts ?? 0,
    };
  });
}

interface Facts {
  readonly isHeld: boolean;
  readonly missing: string | undefined;
  readonly isOpen: boolean;
  readonly isOwn: (owner: string) => boolean;
}

function stateOf(task: ClaudeCodeTask, facts: Facts): PoolTaskCard["state"] {
  if (task.status === "completed") return "completed";
  if (task.status === "in_progress" || task.owner) {
    return facts.isOwn(task.owner ?? "") ? "working" : "elsewhere";
  }
  if (facts.isHeld) return "needs-you";
  if (facts.missing !== undefined) return "broken";
  return facts.isOpen ? "waiting" : "ready";
}

const whyBroken = ({ status }: ClaudeCodeTask, missing: string | undefined): string | undefined =>
  status === "completed" || missing === undefined
    ? undefined
    : `It waits for ${missing}, which is not on the list.`;

const brokenCard = (id: string, why: string): PoolTaskCard => ({
  id,
  subject: id,
  state: "broken",
  priority: DEFAULT_PRIORITY,
  blockedBy: [],
  why,
  attempts: 0,
});
