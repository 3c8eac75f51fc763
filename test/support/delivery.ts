// A story with its own commits, a target branch `trunk`, and a colleague who commits there too.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DeliveryResult } from "../../src/repo/delivery/land.ts";
import { deliver, type DeliverRequest } from "./deliver.ts";
import { addOrigin, newRepository, prepare, STORY, type TestRepository } from "./repository.ts";
import { snapshot } from "./project.ts";

export const BRANCH = `story/${STORY}`;
export const SCRATCH = `.saga/worktrees/merge.${STORY}`;

export type Files = Readonly<Record<string, string | undefined>>;

export interface Delivery {
  readonly test: TestRepository;
  /** The story's worktree. */
  readonly folder: string;
  /** A commit of the story. */
  readonly work: (files: Files, message?: string) => string;
  /** A commit of the colleague's on a branch: in the project, or at its remote when there is one. */
  readonly meanwhile: (files: Files, message?: string, branch?: string) => string;
  readonly deliver: (more?: Partial<DeliverRequest>) => Promise<DeliveryResult>;
  /** The target's commit; at the remote after a fetch. */
  readonly target: (branch?: string) => string;
  /** A file as a commit has it. */
  readonly show: (commit: string, file: string) => string;
  readonly log: (range: string, format?: string) => string[];
}

/** The story has one commit already, with its own files. */
export async function newDelivery({ isRemote = false } = {}): Promise<Delivery> {
  const test = newRepository();
  test.write("shared.txt", lines({}));
  test.git("add", "shared.txt");
  test.git("commit", "--quiet", "--message=second");
  test.git("branch", "trunk");
  const origin = isRemote ? addOrigin(test) : undefined;
  if (isRemote) test.git("push", "--quiet", "origin", "trunk");
  const { folder } = await prepare(test);
  const colleague = join(dirname(test.path), "colleague");
  test.git("clone", "--quiet", origin ?? test.path, colleague);

  const commit = (at: string, files: Files, message: string): string => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(at, file)), { recursive: true });
      if (text === undefined) test.gitIn(at, "rm", "--quiet", "--", file);
      else writeFileSync(join(at, file), text);
    }
    test.gitIn(at, "add", "--all");
    test.gitIn(at, "commit", "--quiet", "--allow-empty", `--message=${message}`);
    return test.gitIn(at, "rev-parse", "HEAD");
  };
  const delivery: Delivery = {
    test,
    folder,
    work: (files, message = "work") => commit(folder, files, message),
    meanwhile(files, message = "meanwhile", branch = "trunk") {
      test.gitIn(colleague, "fetch", "--quiet", "origin");
      test.gitIn(colleague, "checkout", "--quiet", "-B", branch, `origin/${branch}`);
      const made = commit(colleague, files, message);
      test.gitIn(colleague, "push", "--quiet", "origin", branch);
      return made;
    },
    deliver: async (more = {}) =>
      deliver({
        repository: await test.open(),
        branch: BRANCH,
        target: { branch: "trunk", place: isRemote ? "remote" : "here" },
        verify: async () => ({ isPassed: true }),
        ...more,
      }),
    target: (branch = "trunk") =>
      origin === undefined
        ? test.git("rev-parse", `refs/heads/${branch}`)
        : test.gitIn(origin, "rev-parse", `refs/heads/${branch}`),
    show: (at, file) => test.git("show", `${at}:${file}`),
    log: (range, format = "%s") =>
      test.git("log", "--reverse", "--topo-order", `--format=${format}`, range).split("\n"),
  };
  delivery.work({}, "Start add-login\n\nSaga-Story: add-login");
  return delivery;
}

/** Its own commits and the colleague's touch different lines. */
export async function newApart(isRemote: boolean): Promise<Delivery> {
  const delivery = await newDelivery({ isRemote });
  delivery.work(
    { "shared.txt": lines({ 3: "three" }) },
    "One\n\nSaga-Story: add-login\nSaga-Task: one",
  );
  delivery.work({ "new.txt": "new\n" }, "Two\n\nSaga-Story: add-login\nSaga-Task: two");
  delivery.meanwhile({ "shared.txt": lines({ 20: "twenty" }) });
  return delivery;
}

/** Thirty lines, some of them changed. */
export const lines = (changed: Readonly<Record<number, string>>): string =>
  Array.from({ length: 30 }, (_, at) => `${changed[at + 1] ?? `line ${at + 1}`}\n`).join("");

/** Everything in a checkout, with its exact index and HEAD. */
export function stateOf(test: TestRepository, folder: string): string {
  const gitDir = test.gitIn(folder, "rev-parse", "--absolute-git-dir");
  const own = ["index", "HEAD"].map((name) => readFileSync(join(gitDir, name)).toString("hex"));
  const files = snapshot(folder)
    .split("\n")
    .filter((line) => !/ \S*?\/(?:\.git|\.saga\/worktrees)\//.test(line.replace(folder, "")));
  return [...own, test.gitIn(folder, "rev-parse", "HEAD"), ...files].join("\n");
}

/** Everything that a merge could leave behind, by name. */
export function leftBehind(test: TestRepository): string[] {
  const common = test.git("rev-parse", "--path-format=absolute", "--git-common-dir");
  const found = test.git("worktree", "list", "--porcelain").split("\n");
  const names = snapshot(common).split("\n");
  return [
    ...found.filter((line) => line.includes(SCRATCH)),
    ...names.filter((line) => /\.lock$|worktrees\/merge\./.test(line)),
    ...test.git("for-each-ref", "--format=%(refname)", "refs/saga/merge/").split("\n"),
  ].filter((line) => line !== "");
}
