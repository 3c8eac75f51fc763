// A story as one commit. Its message has the story's title and its tasks, so that the target's history can be read
// without the story's branch.

import type { Git } from "../../machine/programs/git.ts";
import { oneLine } from "../../text/one-line.ts";
import { lastCommittedAt, type NewCommit } from "../write-commit.ts";
import { findOwnCommits } from "./fold-own-commits.ts";
import { readCommits, type StoryCommit } from "./replay.ts";

export interface SquashRequest {
  readonly storyId: string;
  readonly title?: string | undefined;
  readonly onto: string;
  /** Commits up to here are not the story's. */
  readonly since: string;
  readonly tip: string;
  /** The result. */
  readonly tree: string;
}

export async function squash(git: Git, request: SquashRequest): Promise<NewCommit> {
  const { onto, since, tip, tree } = request;
  const all = await readCommits(git, since, tip);
  const own = await findOwnCommits(git, all);
  const commits = all.filter(({ commit, parents }) => parents.length === 1 && !own.has(commit));
  const times = all.map(({ committedAt }) => committedAt);
  return {
    tree,
    parents: [onto],
    message: squashMessage(request, commits),
    author: (commits[0] ?? all[0])?.author,
    committedAt: Math.max(await lastCommittedAt(git, [onto]), ...times),
  };
}

/** The story's title, its commits as a list, and their trailers. Pure. */
export function squashMessage(
  { storyId, title }: Pick<SquashRequest, "storyId" | "title">,
  commits: readonly Pick<StoryCommit, "message">[],
): string {
  const subjects = commits.map(({ message }) => oneLine(message.split("\n")[0] ?? ""));
  const heading = oneLine(title ?? "") || subjects[0] || storyId;
  const list = subjects.length > 1 ? subjects : subjects.filter((one) => one !== heading);
  const tasks = commits.flatMap(({ message }) =>
    [...message.matchAll(/^Saga-Task: (?<id>[a-z0-9-]+)$/gm)].map((match) => match[1] ?? ""),
  );
  const trailers = [
    `Saga-Story: ${storyId}`,
    ...[...new Set(tasks)].map((id) => `Saga-Task: ${id}`),
  ];
  const body = list.length === 0 ? "" : `${list.map((one) => `- ${one}`).join("\n")}\n\n`;
  return `${heading}\n\n${body}${trailers.join("\n")}\n`;
}
