// What the server found, as items of the palette. Pure.

import type { SearchAnswer } from "../../protocol/details.ts";
import type { PaletteItem } from "./items.ts";

/** Shorter words would find nearly everything. */
export const MIN_SEARCH_LENGTH = 3;

type Hit = SearchAnswer["hits"][number];

/** Without what the palette shows already. */
export function hitItems(
  hits: readonly Hit[],
  shown: readonly Pick<PaletteItem, "key">[],
): PaletteItem[] {
  const keys = new Set(shown.map(({ key }) => key));
  return hits.flatMap((hit, at): PaletteItem[] => {
    const { key, href } = placeOf(hit, at);
    if (keys.has(key)) return [];
    return [{ is: "place", key, title: hit.text, about: aboutOf(hit), href }];
  });
}

function placeOf({ kind, story = "", task, epic, run }: Hit, at: number) {
  switch (kind) {
    case "epic":
      return { key: `epic ${epic}`, href: `/epic/${epic}` };
    case "story":
      return { key: `story ${story}`, href: `/story/${story}` };
    case "task":
      return { key: `task ${story}/${task}`, href: `/story/${story}?task=${task}` };
    case "journal":
      return { key: `hit ${at}`, href: `/story/${story}/journal` };
    case "log":
      return {
        key: `hit ${at}`,
        href: story.startsWith("auto-") ? "/pool" : `/story/${story}/log?run=${run}`,
      };
  }
}

const aboutOf = ({ kind, story, epic }: Hit): string =>
  kind === "journal" || kind === "log" ? `${WORDS[kind]} of ${story}` : (story ?? epic ?? "");

const WORDS = { journal: "Journal", log: "Log" } as const;
