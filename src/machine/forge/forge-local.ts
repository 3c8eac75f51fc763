// Pull requests without a forge: one JSON record each, `<number>.json`, in the repository's git folder. Unknown fields
// are kept.
//
// Creating a number's file can succeed only once. Everyone tries the number after the highest, so success also proves
// that no other record was added since the folder was read: a branch cannot get two open pull requests, even if the
// lock should fail.

import { linkSync, renameSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { errorCode, listNames, readTextIfThere, syncFolder } from "../files/files.ts";
import { currentOf, type Forge, type NewPullRequest, type PullRequest } from "./forge.ts";
import { withLock, type LockedFolder } from "../files/folder-lock.ts";
import { pullRequestName } from "../../text/pull-request-name.ts";

/** All fields of the file, known or not. */
type RecordFields = Readonly<Record<string, unknown>>;

type RecordRead =
  | { readonly kind: "record"; readonly pull: PullRequest; readonly fields: RecordFields }
  | { readonly kind: "missing" }
  | { readonly kind: "invalid"; readonly problem: string };

/** The folder is created with the first pull request. */
export function openLocalForge(folder: string, now: () => number): Forge {
  const time = (): string => new Date(now()).toISOString();

  /** `decide` returns undefined when nothing has to change. */
  const change = (
    number: number,
    decide: (pull: PullRequest, at: string) => RecordFields | undefined,
  ): Promise<PullRequest> =>
    withLock(folder, (locked) => {
      const { pull, fields } = requireRecord(folder, number, readRecord(folder, number));
      const at = time();
      const changes = decide(pull, at);
      if (changes === undefined) return pull;
      const changed = { ...fields, ...changes, updatedAt: at };
      locked.write(textOf(changed));
      renameSync(locked.file, pathOf(folder, number));
      syncFolder(folder);
      return requireRecord(folder, number, recordFrom(changed, number)).pull;
    });

  return {
    kind: "local",
    find: async (head) => findIn(folder, head),
    openDraft: (wanted) =>
      withLock(folder, (locked) => openOrCreate(folder, locked, wanted, time())),
    update: (number, { title, body }) =>
      change(number, (pull) => {
        const isSame = (title ?? pull.title) === pull.title && (body ?? pull.body) === pull.body;
        return isSame ? undefined : { title: title ?? pull.title, body: body ?? pull.body };
      }),
    markReady: (number) =>
      change(number, (pull, at) => {
        if (!pull.isDraft) return undefined;
        if (pull.state === "open") return { isDraft: false, readyAt: at };
        throw new SagaError(
          "not-ready",
          `Pull request ${pullRequestName(pull.ref)} is ${pull.state}.`,
          {
            hint: "Only an open pull request can be marked as ready.",
          },
        );
      }),
    markDraft: (number) =>
      change(number, ({ isDraft, state }) =>
        isDraft || state !== "open" ? undefined : { isDraft: true, readyAt: undefined },
      ),
    close: (number) =>
      change(number, ({ state }, at) =>
        state === "open" ? { state: "closed", closedAt: at } : undefined,
      ),
    markMerged: (number, commit) =>
      change(number, ({ state }, at) =>
        state === "merged" ? undefined : { state: "merged", mergedAt: at, mergeCommit: commit },
      ),
    view: async (number) => {
      const read = readRecord(folder, number);
      return read.kind === "missing" ? undefined : requireRecord(folder, number, read).pull;
    },
  };
}

/** Undefined when another process took the number. */
function openOrCreate(
  folder: string,
  locked: LockedFolder,
  wanted: NewPullRequest,
  at: string,
): PullRequest | undefined {
  // The highest number first, then the records: anything added later has that number or a higher one.
  const number = Math.max(0, ...numbersIn(folder)) + 1;
  const found = findIn(folder, wanted.head);
  if (found?.state === "open") return found;
  const pull = newPull(number, wanted);
  const { ref: _, ...fields } = pull;
  locked.write(textOf({ ...fields, createdAt: at, updatedAt: at }));
  try {
    linkSync(locked.file, pathOf(folder, number));
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    throw error;
  }
  syncFolder(folder);
  return pull;
}

const newPull = (number: number, { title, body, head, base }: NewPullRequest): PullRequest => ({
  ref: refOf(number),
  number,
  title,
  body,
  isDraft: true,
  state: "open",
  head,
  base,
});

function findIn(folder: string, head: string): PullRequest | undefined {
  const pulls = numbersIn(folder).flatMap((number) => {
    const read = readRecord(folder, number);
    // The branch of an invalid record is unknown: viewing it reports the problem, and no branch is held up.
    return read.kind === "record" && read.pull.head === head ? [read.pull] : [];
  });
  return currentOf(pulls);
}

const refOf = (number: number): string => `local/${number}`;
const pathOf = (folder: string, number: number): string => join(folder, `${number}.json`);
const textOf = (fields: RecordFields): string => `${JSON.stringify(fields, undefined, 2)}\n`;

const numbersIn = (folder: string): number[] =>
  listNames(folder).flatMap((name) =>
    /^[1-9]\d{0,14}\.json$/.test(name) ? [Number.parseInt(name, 10)] : [],
  );

function requireRecord(
  folder: string,
  number: number,
  read: RecordRead,
): Extract<RecordRead, { kind: "record" }> {
  switch (read.kind) {
    case "record":
      return read;
    case "missing":
      throw new SagaError(
        "not-found",
        `There is no pull request ${pullRequestName(refOf(number))}.`,
        {
          hint: `Existing pull requests are in ${folder}.`,
        },
      );
    case "invalid":
      throw new SagaError("bad-file", `${pathOf(folder, number)} ${read.problem}.`, {
        hint: "Fix it, or move it away; the branch then gets a new pull request.",
      });
  }
}

function readRecord(folder: string, number: number): RecordRead {
  try {
    const text = readTextIfThere(pathOf(folder, number));
    return text === undefined ? { kind: "missing" } : recordFrom(JSON.parse(text), number);
  } catch (error) {
    // An unreadable disk must fail: skipping the record could open a second pull request.
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: "invalid", problem: "is not JSON" };
  }
}

function recordFrom(value: unknown, number: number): RecordRead {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { kind: "invalid", problem: "is not a pull request" };
  }
  const fields = value as RecordFields;
  const { title, body, isDraft, state, head, base } = fields;
  const wrong = (field: string): RecordRead => ({
    kind: "invalid",
    problem: `has no valid "${field}"`,
  });
  if (typeof title !== "string") return wrong("title");
  if (typeof body !== "string") return wrong("body");
  if (typeof isDraft !== "boolean") return wrong("isDraft");
  if (state !== "open" && state !== "merged" && state !== "closed") return wrong("state");
  if (typeof head !== "string") return wrong("head");
  if (typeof base !== "string") return wrong("base");
  // Only the file's name is unique; a number inside may come from a copy.
  const ref = refOf(number);
  return {
    kind: "record",
    pull: { ref, number, title, body, isDraft, state, head, base },
    fields,
  };
}
