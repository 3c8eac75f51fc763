import { SagaError } from "../../../errors.ts";
import type { Store } from "../../../store/store.ts";
import { requireId } from "../../../story/definition/names.ts";
import { moveResult } from "../../edit/archive-move.ts";
import type { Build } from "../../program/command.ts";

interface Options {
  readonly epic?: string;
  readonly all?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("archive", "Move finished stories to the archive. They still count as completed.", [
        "saga archive user-auth--setup-db",
        "saga archive one-story another-story",
        "saga archive --epic user-auth     all finished stories of an epic",
        "saga archive --all                all finished stories",
      ])
      .argument("[stories...]", "ids of completed stories")
      .option("--epic <epic>", "archive the finished stories of this epic")
      .option("--all", "archive all finished stories"),
    async (context, ids, { epic, all = false }: Options) => {
      const choices = [ids.length > 0, epic !== undefined, all].filter(Boolean).length;
      if (choices !== 1) {
        throw new SagaError("usage", "Name stories, or use either --epic or --all.", {
          hint: "For example: `saga archive add-login`, `saga archive --epic user-auth`.",
        });
      }
      const store = context.openProject();
      const { finished, left } =
        ids.length > 0 ? { finished: ids, left: [] } : await findFinished(store, epic);
      const moved = await store.archive(finished);
      return moveResult(context, store, {
        verb: "Archive",
        there: "already in the archive",
        moved,
        left,
      });
    },
  );

interface Finished {
  readonly finished: readonly string[];
  readonly left: readonly string[];
}

/** Judged by the copies in the project, because those are moved. */
async function findFinished(store: Store, epic: string | undefined): Promise<Finished> {
  const { stories } = await store.overview();
  const children =
    epic === undefined
      ? undefined
      : new Set((await store.readEpic(requireId("epic", epic))).epic.children.map(({ id }) => id));
  const finished: string[] = [];
  const left: string[] = [];
  for (const [id, { state }] of stories) {
    if (children && !children.has(id)) continue;
    const { story, source, tasks } = await store.readStory(id);
    const isDone = story.status === "completed" && tasks.every((one) => one.status === "completed");
    if (state === "completed" && source === "project" && isDone) finished.push(id);
    else if (state === "completed")
      left.push(`${id} was not archived: your checkout does not have its merge yet.`);
    else if (children) left.push(`${id} was not archived: it is not finished (${state}).`);
  }
  return { finished, left };
}
