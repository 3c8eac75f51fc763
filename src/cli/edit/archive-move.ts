// Shared by `saga archive` and `saga unarchive`: commits the move, and reports both.

import { SagaError } from "../../errors.ts";
import { findRepository } from "../../repo/repository.ts";
import { commitArchive, type ArchiveCommit } from "../../repo/commits/commit-archive.ts";
import type { Archived, Store } from "../../store/store.ts";
import { count } from "../../text/plural.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { plain } from "../output/terminal.ts";

export interface ArchiveMove {
  readonly verb: "Archive" | "Unarchive";
  readonly there: string;
  readonly moved: readonly Archived[];
  /** A sentence for each story that was not moved. */
  readonly left?: readonly string[];
}

export async function moveResult(
  { io }: CommandContext,
  store: Store,
  { verb, there, moved, left = [] }: ArchiveMove,
): Promise<CommandResult> {
  const ids = [...new Set(moved.map(({ id }) => id))];
  const done = await commitOf(store, io.env, {
    ids,
    subject: `${verb} ${ids.length === 1 ? `story ${ids[0]}` : count(ids.length, "story", "stories")}`,
  });
  return {
    json: {
      archived: moved,
      ...(done.kind === "committed" && { commit: done.commit }),
      ...(done.kind === "left" && { toCommit: done.paths }),
      ...(left.length > 0 && { left }),
    },
    text: () =>
      [
        ...moved.map(({ id, folder, wasThere }) =>
          wasThere ? `${id} is ${there}.` : `${id}: moved to ${plain(folder)}`,
        ),
        ...left,
        ...commitLines(done, verb),
        "",
      ].join("\n"),
  };
}

async function commitOf(
  store: Store,
  env: CommandContext["io"]["env"],
  { ids, subject }: { readonly ids: readonly string[]; readonly subject: string },
): Promise<ArchiveCommit> {
  if (ids.length === 0) return { kind: "nothing" };
  try {
    const { git } = await findRepository(store.project, env);
    return await commitArchive(git.at(store.project), ids, subject);
  } catch (error) {
    // A project without git has nothing to commit.
    if (error instanceof SagaError) return { kind: "nothing" };
    throw error;
  }
}

export function commitLines(done: ArchiveCommit, verb: string): string[] {
  switch (done.kind) {
    case "nothing":
      return [];
    case "committed":
      return [`Committed as ${done.commit.slice(0, 12)}.`];
    case "left":
      return [
        `Not committed: ${plain(done.why)}. Commit it before the next merge:`,
        `  git add --all -- ${done.paths.join(" ")}`,
        `  git commit -m "${verb} stories" -- ${done.paths.join(" ")}`,
      ];
  }
}
