// Finds the action that undoes another one, if the page can do it. Pure.

import type { PageAction, ActionResult } from "../../protocol/actions.ts";

export function undoOf(action: PageAction, result: ActionResult): PageAction | undefined {
  if (!result.isOk || action.act !== "discard") return undefined;
  const number = snapshotIn(result.json);
  return number === undefined ? undefined : { act: "restore", story: action.story, number };
}

/** The number of the snapshot in the output of `saga discard --json`. */
function snapshotIn(json: unknown): number | undefined {
  const { snapshot } = (json ?? {}) as { readonly snapshot?: unknown };
  return typeof snapshot === "number" ? snapshot : undefined;
}
