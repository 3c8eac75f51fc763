// Reads the lanes and the conflicts of a project, and publishes them.

import type { Context } from "../../context.ts";
import { readLanes } from "../../landing/read-lanes.ts";
import { targetName, type TargetPlace } from "../../repo/delivery/target-name.ts";
import { findRepository } from "../../repo/repository.ts";
import { laneLease } from "../../store/leases/lease-names.ts";
import type { OpenWork } from "../../story/early-warning/open-work.ts";
import { configSchema, settingsOf } from "../../story/settings/settings.ts";
import type { ConflictCard, LaneCard } from "../protocol/landing.ts";
import { conflictCards } from "./conflict-cards.ts";
import { laneCard } from "./lane-card.ts";

export interface LandingView {
  readonly readPlace: () => Promise<void>;
  readonly readLanes: () => Promise<Map<string, LaneCard>>;
  readonly readWorks: () => Promise<void>;
  /** From the works as last read: a story that was merged meanwhile has no conflict any more. */
  readonly conflicts: (isOpen: (storyId: string) => boolean) => Map<string, ConflictCard>;
}

export function newLandingView({
  store,
  env,
  now,
}: Pick<Context, "store" | "env" | "now">): LandingView {
  let place: TargetPlace = { remote: undefined };
  let works: readonly OpenWork[] = [];
  let settings = settingsOf(configSchema.parse({}));
  return {
    async readPlace() {
      // Without a repository there is nothing to land on.
      const repository = await findRepository(store.project, env).catch(() => undefined);
      place = { remote: repository?.remote, ghHost: env["GH_HOST"] };
    },
    async readLanes() {
      const nowMs = now();
      // While the settings are invalid, the last valid ones: `saga validate` reports problems.
      settings = await store.settings().catch(() => settings);
      const views = await readLanes({ store, settings, now: () => nowMs });
      const shown = views.filter(({ entries, recent }) => entries.length + recent.length > 0);
      const cards = shown.map((view) =>
        laneCard(view, { target: targetName(view.lane, place), nowMs }),
      );
      return new Map(cards.map((card) => [card.id, card]));
    },
    async readWorks() {
      works = await store.openWorks.list();
    },
    conflicts: (isOpen) => conflictCards(works, isOpen),
  };
}

export const isLaneLease = (name: string): boolean => name.startsWith(laneLease(""));
