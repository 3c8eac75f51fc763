import { oneLine } from "../../text/one-line.ts";
import { lineOf } from "./event-line.ts";
import type { RunEvent } from "./run.ts";

/** What an agent did, in a few words, for events that are an action: `Edit src/login.ts`, `commit 1a2b3c4 form`. */
export function describeRunEvent(event: RunEvent): string | undefined {
  if (!ACTIONS.has(event.type)) return undefined;
  const line = lineOf(event);
  return line && oneLine(`${line.head} ${line.text}`);
}

const ACTIONS: ReadonlySet<string> = new Set([
  "tool.called",
  "agent.said",
  "task.committed",
  "task.refused",
  "gate",
  "limit.reached",
]);
