// What takes an act back, where that can be done from the page. Pure.

import type { PageAction, ActionResult } from "../../protocol/actions.ts";

export function undoOf(what: PageAction, acted: ActionResult): PageAction | undefined {
  if (!acted.isOk || what.act !== "discard") return undefined;
  const number = snapshotIn(acted.json);
  return number === undefined ? undefined : { act: "restore", story: what.story, number };
}

/** As `saga discard --json` says. */
function snapshotIn(json: unknown): number | undefined {
  const { snapshot } = (json ?? {}) as { readonly snapshot?: unknown };
  return typeof snapshot === "number" ? snapshot : undefined;
}
