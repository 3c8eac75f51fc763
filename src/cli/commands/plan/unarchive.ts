import { moveAnswer } from "../../edit/archive-move.ts";
import type { Build } from "../../program/command.ts";

export const build: Build = (shell) =>
  shell.action(
    shell
      .command("unarchive", "Move stories back from the archive.", [
        "saga unarchive user-auth--setup-db",
      ])
      .argument("<stories...>", "ids of archived stories"),
    async (session, ids) => {
      const store = session.openProject();
      const moved = await store.unarchive(ids);
      return moveAnswer(session, store, {
        verb: "Unarchive",
        there: "among the stories",
        moved,
      });
    },
  );
