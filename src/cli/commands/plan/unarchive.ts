import { moveResult } from "../../edit/archive-move.ts";
import type { Build } from "../../program/command.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("unarchive", "Move stories back from the archive.", [
        "saga unarchive user-auth--setup-db",
      ])
      .argument("<stories...>", "ids of archived stories"),
    async (context, ids) => {
      const store = context.openProject();
      const moved = await store.unarchive(ids);
      return moveResult(context, store, {
        verb: "Unarchive",
        there: "not in the archive",
        moved,
      });
    },
  );
