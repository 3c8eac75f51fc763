import { SagaError } from "../../../errors.ts";
import type { Store } from "../../../store/store.ts";
import { requireId } from "../../../story/definition/names.ts";
import { moveResult } from "../../edit/archive-move.ts";
import type { Build } from "../../program/command.ts";

interface Options {
  readonly epic?: string;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("unarchive", "Move stories back from the archive.", [
        "saga unarchive user-auth--setup-db",
        "saga unarchive --epic user-auth     all archived stories of an epic",
      ])
      .argument("[stories...]", "ids of archived stories")
      .option("--epic <epic>", "move back all archived stories of this epic"),
    async (context, ids, { epic }: Options) => {
      if (ids.length > 0 === (epic !== undefined)) {
        throw new SagaError("usage", "Name stories, or use --epic.", {
          hint: "For example: `saga unarchive add-login`, `saga unarchive --epic user-auth`.",
        });
      }
      const store = context.openProject();
      const moved = await store.unarchive(
        epic === undefined ? ids : await archivedStories(store, epic),
      );
      return moveResult(context, store, {
        verb: "Unarchive",
        there: "not in the archive",
        moved,
        left: moved.length === 0 ? [`The epic ${epic} has no archived stories.`] : [],
      });
    },
  );

async function archivedStories(store: Store, epicId: string): Promise<string[]> {
  const [{ epic }, { archived }] = [
    await store.readEpic(requireId("epic", epicId)),
    await store.overview(),
  ];
  const inArchive = new Set(archived);
  return epic.children.map(({ id }) => id).filter((id) => inArchive.has(id));
}
