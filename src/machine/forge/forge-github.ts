// Pull requests on GitHub. Stateless: each call reads from GitHub first and changes only what differs, so an interrupted
// call can be repeated.

import { SagaError } from "../../errors.ts";
import type { Environment } from "../processes/environment.ts";
import { currentOf, type Forge, type NewPullRequest, type PullRequest } from "./forge.ts";
import { isObject, messagesIn, openGh, responseError, type GhResponse } from "./gh.ts";

export interface GithubRepository {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

export interface GithubForgeOptions {
  readonly repository: GithubRepository;
  readonly folder: string;
  readonly env: Environment;
  /** For each call. */
  readonly timeoutMs?: number | undefined;
}

interface GithubPull extends PullRequest {
  /** Its GraphQL id. */
  readonly nodeId: string;
  readonly isFromFork: boolean;
}

export function openGithubForge({ repository, folder, env, timeoutMs }: GithubForgeOptions): Forge {
  const { host, owner, name } = repository;
  const gh = openGh({ host, folder, env, timeoutMs });
  const home = `repos/${owner}/${name}`;
  const named = (number: number): string => `pull request ${number} in ${owner}/${name}`;

  const accept = (attempt: string, answer: GhResponse): unknown => {
    if (answer.isOk) return answer.body;
    throw responseError(attempt, answer, { host, env });
  };
  const unexpectedAnswer = (attempt: string, what: string): SagaError =>
    new SagaError("program-failed", `${attempt} failed: the answer is not a ${what}.`, {
      hint: `Check that ${host} is GitHub, and that no proxy changes its answers.`,
    });
  const pullIn = (attempt: string, answer: GhResponse): GithubPull => {
    const pull = pullFrom(accept(attempt, answer));
    if (pull === undefined) throw unexpectedAnswer(attempt, "pull request");
    return pull;
  };

  const find = async (head: string): Promise<PullRequest | undefined> => {
    const attempt = `Finding the pull request of ${head} in ${owner}/${name}`;
    const query = new URLSearchParams({
      head: `${owner}:${head}`,
      state: "all",
      sort: "created",
      direction: "desc",
      per_page: "100",
    });
    const path = `${home}/pulls?${query.toString()}`;
    const pulls = pullsFrom(accept(attempt, await gh.ask(attempt, { method: "GET", path })));
    if (pulls === undefined) throw unexpectedAnswer(attempt, "list of pull requests");
    // A fork of the same owner has the same label, and GitHub ignores a filter that it cannot parse.
    return plain(currentOf(pulls.filter((pull) => !pull.isFromFork && pull.head === head)));
  };

  const findOpen = async (head: string): Promise<PullRequest | undefined> => {
    const found = await find(head);
    return found?.state === "open" ? found : undefined;
  };

  const view = async (number: number): Promise<GithubPull | undefined> => {
    const attempt = `Reading ${named(number)}`;
    const answer = await gh.ask(attempt, { method: "GET", path: `${home}/pulls/${number}` });
    if (answer.status !== 404) return pullIn(attempt, answer);
    // 404 is also the answer for a repository without access: that one throws here.
    accept(attempt, await gh.ask(attempt, { method: "GET", path: home }));
    return undefined;
  };

  const require = async (number: number): Promise<GithubPull> => {
    const pull = await view(number);
    if (pull !== undefined) return pull;
    throw new SagaError("not-found", `No ${named(number)}.`, {
      hint: `\`gh pr list --repo ${host}/${owner}/${name} --state all\` lists the existing ones.`,
    });
  };

  const change = async (
    attempt: string,
    number: number,
    body: Readonly<Record<string, string>>,
  ): Promise<PullRequest> => {
    const path = `${home}/pulls/${number}`;
    return plain(pullIn(attempt, await gh.ask(attempt, { method: "PATCH", path, body })));
  };

  const setDraft = async (
    attempt: string,
    pull: GithubPull,
    isDraft: boolean,
  ): Promise<PullRequest> => {
    if (pull.isDraft === isDraft) return plain(pull);
    const body = { query: isDraft ? MARK_DRAFT : MARK_READY, variables: { id: pull.nodeId } };
    const answer = await gh.ask(attempt, { method: "POST", path: "graphql", body });
    if (answer.isOk) return plain({ ...pull, isDraft });
    // The repository does not support drafts, so it was not opened as one.
    if (messagesIn(answer.body).some((text) => NO_DRAFTS.test(text))) return plain(pull);
    // Another process may have done it in the meantime.
    const now = await require(pull.number);
    if (now.isDraft === isDraft) return plain(now);
    throw responseError(attempt, answer, { host, env });
  };

  return {
    kind: "github",
    find,
    async openDraft(wanted) {
      const found = await findOpen(wanted.head);
      if (found !== undefined) return found;
      const attempt = `Opening a pull request for ${wanted.head} in ${owner}/${name}`;
      const create = (draft: boolean): Promise<GhResponse> =>
        gh.ask(attempt, { method: "POST", path: `${home}/pulls`, body: creation(wanted, draft) });
      let answer = await create(true);
      if (isRefusedWith(answer, NO_DRAFTS)) answer = await create(false);
      // Another process was faster.
      const other = isRefusedWith(answer, EXISTS) ? await findOpen(wanted.head) : undefined;
      return other ?? plain(pullIn(attempt, answer));
    },
    async update(number, { title, body }) {
      const text = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
      if (Object.keys(text).length === 0) return plain(await require(number));
      return change(`Changing the text of ${named(number)}`, number, text);
    },
    async markReady(number) {
      const pull = await require(number);
      return setDraft(`Marking ${named(number)} as ready`, pull, false);
    },
    async markDraft(number) {
      const pull = await require(number);
      if (pull.state !== "open") return plain(pull);
      return setDraft(`Turning ${named(number)} into a draft`, pull, true);
    },
    async close(number) {
      const pull = await require(number);
      if (pull.state !== "open") return plain(pull);
      return change(`Closing ${named(number)}`, number, { state: "closed" });
    },
    markMerged: async (number) => plain(await require(number)),
    view: async (number) => plain(await view(number)),
  };
}

const MARK_READY =
  "mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }";

const MARK_DRAFT =
  "mutation ($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { clientMutationId } }";

// Branch names have no spaces, so they cannot match.
const EXISTS = /a pull request already exists/i;
const NO_DRAFTS = /draft pull requests are not supported/i;

const isRefusedWith = (answer: GhResponse, message: RegExp): boolean =>
  answer.status === 422 && messagesIn(answer.body).some((text) => message.test(text));

const creation = (wanted: NewPullRequest, draft: boolean): Readonly<Record<string, unknown>> => ({
  head: wanted.head,
  base: wanted.base,
  title: wanted.title,
  body: wanted.body,
  draft,
});

/** Undefined if any entry is not a pull request: it might be the wanted one. */
function pullsFrom(value: unknown): GithubPull[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const pulls = value.map(pullFrom).filter((pull) => pull !== undefined);
  return pulls.length === value.length ? pulls : undefined;
}

function pullFrom(value: unknown): GithubPull | undefined {
  if (!isObject(value)) return undefined;
  const { html_url: ref, number, title, body, state, draft, node_id: nodeId } = value;
  const [head, base] = [pullBranchFrom(value["head"]), pullBranchFrom(value["base"])];
  if (typeof ref !== "string" || typeof number !== "number" || typeof title !== "string") {
    return undefined;
  }
  if (typeof nodeId !== "string" || head === undefined || base === undefined) return undefined;
  const isMerged = typeof value["merged_at"] === "string";
  return {
    ref,
    number,
    title,
    body: typeof body === "string" ? body : "",
    isDraft: draft === true,
    state: isMerged ? "merged" : state === "open" ? "open" : "closed",
    head: head.branch,
    base: base.branch,
    nodeId,
    // The base is this repository, under its current name.
    isFromFork: head.repository === undefined || head.repository !== base.repository,
  };
}

interface PullBranch {
  readonly branch: string;
  /** Undefined when it was deleted. */
  readonly repository: string | undefined;
}

function pullBranchFrom(value: unknown): PullBranch | undefined {
  if (!isObject(value) || typeof value["ref"] !== "string") return undefined;
  const repo = value["repo"];
  const fullName = isObject(repo) ? repo["full_name"] : undefined;
  return {
    branch: value["ref"],
    repository: typeof fullName === "string" ? fullName.toLowerCase() : undefined,
  };
}

function plain(pull: PullRequest): PullRequest;
function plain(pull: PullRequest | undefined): PullRequest | undefined;
function plain(pull: PullRequest | undefined): PullRequest | undefined {
  if (pull === undefined) return undefined;
  const { ref, number, title, body, isDraft, state, head, base } = pull;
  return { ref, number, title, body, isDraft, state, head, base };
}

/** From a remote's address; undefined when it is not on GitHub or the given GitHub Enterprise. */
export function githubRepository(remoteUrl: string, ghHost?: string): GithubRepository | undefined {
  const match = REMOTE_URL.exec(remoteUrl.trim()) ?? SHORT_REMOTE.exec(remoteUrl.trim());
  const { host: written = "", owner = "", name = "" } = match?.groups ?? {};
  const host = written.toLowerCase().replace(/^(?:www|ssh)\.(?=github\.com$)/, "");
  const isGithub = host === "github.com" || (host !== "" && host === ghHost?.toLowerCase());
  if (!isGithub || name === "." || name === "..") return undefined;
  return { host, owner, name };
}

const PATH = String.raw`(?<owner>[\w-]+)/(?<name>[\w.-]+?)(?:\.git)?/?`;
/** `https://github.com/owner/name.git`, `ssh://git@github.com:22/owner/name`. */
const REMOTE_URL = new RegExp(
  String.raw`^(?:https?|ssh|git|git\+ssh)://(?:[^/\s]*@)?(?<host>[\w.-]+)(?::\d+)?/${PATH}$`,
  "i",
);
/** `git@github.com:owner/name.git`: git's short form for ssh. */
const SHORT_REMOTE = new RegExp(String.raw`^(?:[^/\s:]*@)?(?<host>[\w.-]+):/?${PATH}$`);
