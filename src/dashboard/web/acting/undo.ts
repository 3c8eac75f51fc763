// What takes an act back, where that can be done from the page. Pure.

import type { Act, Acted } from "../../protocol/acts.ts";

export function undoOf(what: Act, acted: Acted): Act | undefined {
  if (!acted.isOk || what.act !== "discard") return undefined;
  const number = snapshotIn(acted.json);
  return number === undefined ? undefined : { act: "restore", story: what.story, number };
}

/** As `saga discard --json` says. */
function snapshotIn(json: unknown): number | undefined {
  const { snapshot } = (json ?? {}) as { readonly snapshot?: unknown };
  return typeof snapshot === "number" ? snapshot : undefined;
}
