// Programs that git runs by itself: filters, drivers, helpers, named in the repository's configuration. What was there
// when a worker began is the person's own, git-lfs for example, and keeps working. What an agent's shell adds later
// would be run by Saga's next git command, outside of the sandbox: it is removed before that command, and named.

import { statSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../errors.ts";
import { readTextIfThere, writeDurably } from "../machine/files/files.ts";
import type { Git } from "../machine/programs/git.ts";
import { removeTree } from "../machine/files/remove-tree.ts";
import type { Repository } from "./repository.ts";

/** Keys whose values are commands, or lead git to other commands. Git spells the first and the last part in lower case. */
const RUNS =
  /^(?:filter\..+\.(?:clean|smudge|process)|diff\.(?:.+\.)?(?:textconv|command|external)|merge\..+\.driver|core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|askpass|editor|pager|worktree|attributesfile|alternaterefscommand)|include(?:if\..+)?\.path|alias\..+|credential\.(?:.+\.)?helper|remote\..+\.(?:uploadpack|receivepack|vcs)|url\..+\.(?:push)?insteadof|gpg\.(?:.+\.)?program|sequence\.editor|extensions\.worktreeconfig|protocol\..+|trailer\..+\.(?:command|cmd)|submodule\..+\.update)$/;

/** So many others may be changing the configuration at once. */
const MAX_TRIES = 5;

interface Entry {
  readonly scope: string;
  readonly key: string;
  readonly value: string | undefined;
}

/** The same repository, whose git runs nothing that was configured after this moment. */
export async function guardConfig(
  repository: Repository,
  onChange: (sentence: string) => void,
): Promise<Repository> {
  const { git, commonDir } = repository;
  const attributes = join(commonDir, "info", "attributes");
  const files = [join(commonDir, "config"), join(commonDir, "config.worktree"), attributes];
  let seen = stateOf(files);
  const trusted = await commandsIn(git);
  const text = readTextIfThere(attributes);
  const isTrusted = (one: Entry): boolean => trusted.some((known) => isSame(known, one));

  async function check(): Promise<void> {
    for (let tries = 0; seen !== stateOf(files); tries++) {
      const now = stateOf(files);
      const added = (await commandsIn(git)).filter((one) => !isTrusted(one));
      if (added.length === 0 && readTextIfThere(attributes) === text) seen = now;
      else if (tries === MAX_TRIES) throw stillThere(added);
      for (const one of added) await remove(one);
      restoreAttributes();
    }
  }

  async function remove({ scope, key, value }: Entry): Promise<void> {
    const which = value === undefined ? [key] : ["--fixed-value", key, value];
    // Another worker may have removed it at this moment.
    const removed = await git.attempt(["config", `--${scope}`, "--unset-all", ...which]);
    if (!removed.isOk) return;
    for (const known of trusted.filter((one) => one.key === key)) await putBack(known);
    onChange(
      `${key} was set in the configuration of the repository during the run, to run ${JSON.stringify(value ?? "")}. It was removed; set it yourself when no story is running.`,
    );
  }

  async function putBack(known: Entry): Promise<void> {
    if ((await commandsIn(git)).some((one) => isSame(known, one))) return;
    await git.attempt(["config", `--${known.scope}`, "--add", known.key, known.value ?? "true"]);
  }

  function restoreAttributes(): void {
    if (readTextIfThere(attributes) === text) return;
    if (text === undefined) removeTree(attributes);
    else writeDurably(attributes, text);
    onChange(`${attributes} was changed during the run. It is as it was before.`);
  }

  return { ...repository, git: guarded(git, check) };
}

const guarded = (git: Git, check: () => Promise<void>): Git => ({
  folder: git.folder,
  ask: async (args, options) => (await check(), git.ask(args, options)),
  attempt: async (args, options) => (await check(), git.attempt(args, options)),
  at: (folder) => guarded(git.at(folder), check),
});

const isSame = (one: Entry, other: Entry): boolean =>
  one.key === other.key && one.value === other.value;

/** Of the repository itself: what a person has set for all of theirs is out of its reach. */
async function commandsIn(git: Git): Promise<Entry[]> {
  const parts = (await git.ask(["config", "--null", "--list", "--show-scope"])).split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope = "", text = ""] = parts.slice(at, at + 2);
    const end = text.indexOf("\n");
    const key = end < 0 ? text : text.slice(0, end);
    if (!["local", "worktree"].includes(scope) || !RUNS.test(key)) continue;
    entries.push({ scope, key, value: end < 0 ? undefined : text.slice(end + 1) });
  }
  return entries;
}

/** Changes with every change to one of the files. */
const stateOf = (files: readonly string[]): string =>
  files
    .map((file) => {
      const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
      return stat ? `${stat.ino}/${stat.size}/${stat.mtimeNs}/${stat.ctimeNs}` : "";
    })
    .join(" ");

const stillThere = (added: readonly Entry[]): SagaError =>
  new SagaError(
    "unsafe-path",
    `The configuration of the repository names commands that were not there when the run began: ${added.map(({ key }) => key).join(", ")}.`,
    { hint: "Look at them with `git config --list --show-origin`, and remove what is not yours." },
  );
