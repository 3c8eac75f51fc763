// As much of GitHub as pull requests need, on a unix socket, for the real `gh`: one repository, its
// pull requests in memory, and failures on request. Nothing leaves the machine.

import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Environment } from "../../src/machine/processes/environment.ts";
import { openGithubForge } from "../../src/machine/forge/forge-github.ts";
import type { Forge } from "../../src/machine/forge/forge.ts";
import { newFolder } from "./project.ts";

export const TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
export const REPOSITORY = { host: "github.com", owner: "acme", name: "shop" };
const FULL_NAME = "acme/shop";

export interface ServerPull {
  number: number;
  title: string;
  body: string | null;
  draft: boolean;
  state: "open" | "closed";
  merged_at: string | null;
  head: string;
  base: string;
  /** The repository of the head; null if it was deleted. */
  repository: string | undefined;
}

export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Set by a test, any of them. */
export interface Trouble {
  /** This many requests get a gateway's error page. */
  gatewayErrors?: number;
  /** The request is executed, but its answer is lost. */
  losesAnswers?: boolean;
  hangs?: boolean;
  /** The connection breaks in the middle of each answer. */
  breaksOff?: boolean;
  refusesDrafts?: boolean;
  refusesLogin?: boolean;
  /** Answers everything with this. */
  answers?: { readonly status: number; readonly body: unknown };
  /** Called before a request is handled. */
  before?: (requests: ServedRequest) => void;
  /** Called after its answer was made. */
  after?: () => void;
}

export interface GithubServer {
  /** For `gh`: the path of the socket, and a login. */
  readonly env: Environment;
  readonly folder: string;
  readonly pulls: ServerPull[];
  readonly requests: ServedRequest[];
  readonly trouble: Trouble;
  /** Adds a pull request, as someone else would. */
  readonly add: (pull: Partial<ServerPull>) => ServerPull;
}

/** A server of its own, and a forge that reaches it through `gh`. */
export async function newGithubForge(
  trouble: Trouble = {},
  env: Environment = {},
  timeoutMs = 20_000,
): Promise<{ readonly github: GithubServer; readonly forge: Forge }> {
  const github = await startGithubServer();
  Object.assign(github.trouble, trouble);
  const { folder } = github;
  const place = { repository: REPOSITORY, folder, env: { ...github.env, ...env }, timeoutMs };
  return { github, forge: openGithubForge(place) };
}

export async function startGithubServer(): Promise<GithubServer> {
  const { path: folder } = newFolder();
  const socket = join(folder, "github.sock");
  const pulls: ServerPull[] = [];
  const requests: ServedRequest[] = [];
  const trouble: Trouble = {};
  const add = (pull: Partial<ServerPull>): ServerPull => {
    const added = { ...PLAIN, ...pull, number: pulls.length + 1 };
    pulls.push(added);
    return added;
  };
  const server = createServer((request, response) => {
    void serve(request, response, { pulls, requests, trouble, add });
  });
  await once(server.listen(socket), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { env: environment(folder, socket), folder, pulls, requests, trouble, add };
}

const PLAIN: ServerPull = {
  number: 0,
  title: "A title",
  body: null,
  draft: false,
  state: "open",
  merged_at: null,
  head: "topic",
  base: "main",
  repository: FULL_NAME,
};

function environment(folder: string, socket: string): Environment {
  const config = join(folder, "gh");
  mkdirSync(config);
  writeFileSync(join(config, "config.yml"), `http_unix_socket: ${socket}\n`);
  writeFileSync(join(config, "hosts.yml"), `github.com:\n  oauth_token: ${TOKEN}\n  user: me\n`);
  return { PATH: process.env["PATH"], HOME: folder, GH_CONFIG_DIR: config };
}

type State = Pick<GithubServer, "pulls" | "requests" | "trouble" | "add">;
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  state: State,
): Promise<void> {
  const { trouble } = state;
  const sent = await text(request);
  const body: unknown = sent === "" ? undefined : JSON.parse(sent);
  const one = { method: request.method ?? "", path: request.url ?? "", body };
  state.requests.push(one);
  trouble.before?.(one);
  if (trouble.hangs) return;
  const hasError = (trouble.gatewayErrors ?? 0) > 0;
  if (hasError) trouble.gatewayErrors = (trouble.gatewayErrors ?? 0) - 1;
  const isDone = !hasError || trouble.losesAnswers;
  const login = trouble.refusesLogin ? undefined : request.headers.authorization;
  const answer = trouble.answers ?? (isDone ? answerTo(one, login, state) : undefined);
  trouble.after?.();
  if (hasError || answer === undefined) {
    response.writeHead(502, { "content-type": "text/html" });
    response.end("<html>Bad gateway</html>");
    return;
  }
  response.writeHead(answer.status, {
    "content-type": "application/json; charset=utf-8",
    ...(answer.status < 400 &&
      answer.status >= 300 && { location: "https://api.github.com/moved" }),
  });
  const whole = JSON.stringify(answer.body);
  if (trouble.breaksOff) response.write(whole.slice(0, -1), () => response.destroy());
  else response.end(whole);
}

function answerTo(
  { method, path, body }: ServedRequest,
  login: string | undefined,
  state: State,
): Answer {
  if (login !== `token ${TOKEN}`) {
    // GitHub does not repeat the token, but a proxy might.
    return refusal(401, `Bad credentials: ${TOKEN}`);
  }
  const { pathname, searchParams } = new URL(path, "http://api.github.com");
  const fields = (body ?? {}) as Partial<ServerPull>;
  if (pathname === "/graphql") return setDraft(body as Mutation, state);
  if (pathname === `/repos/${FULL_NAME}`) return { status: 200, body: { full_name: FULL_NAME } };
  if (pathname === `/repos/${FULL_NAME}/pulls`) {
    return method === "POST" ? create(fields, state) : list(searchParams, state);
  }
  const number = /^\/repos\/acme\/shop\/pulls\/(?<number>\d+)$/.exec(pathname)?.groups?.["number"];
  const pull = state.pulls.find((one) => one.number === Number(number));
  if (pull === undefined) return refusal(404, "Not Found");
  if (method === "PATCH") Object.assign(pull, fields);
  return { status: 200, body: shown(pull) };
}

function list(query: URLSearchParams, { pulls }: State): Answer {
  const label = (pull: ServerPull): string => `${pull.repository?.split("/")[0]}:${pull.head}`;
  const wanted = query.get("state") ?? "open";
  const found = pulls.filter(
    (pull) =>
      (pull.repository === undefined || label(pull) === query.get("head")) &&
      (wanted === "all" || pull.state === wanted),
  );
  return { status: 200, body: found.map(shown).toReversed() };
}

function create(wanted: Partial<ServerPull>, { pulls, trouble, add }: State): Answer {
  const { head, base, title } = wanted;
  // From a caller that was killed before it sent its request.
  if (!head || !base || !title) return refusal(422, "Validation Failed");
  if (trouble.refusesDrafts && wanted.draft) {
    return refusal(422, "Draft pull requests are not supported in this repository.");
  }
  const isSame = (pull: ServerPull): boolean =>
    pull.head === head && pull.base === base && pull.repository === FULL_NAME;
  if (pulls.some((pull) => pull.state === "open" && isSame(pull))) {
    return refusal(422, "Validation Failed", [
      {
        resource: "PullRequest",
        code: "custom",
        message: `A pull request already exists for acme:${head}.`,
      },
    ]);
  }
  return { status: 201, body: shown(add(wanted)) };
}

interface Mutation {
  readonly query: string;
  readonly variables: { readonly id: string };
}

/** Ready, or back to a draft. GraphQL answers 200 to every valid request. */
function setDraft({ query, variables }: Mutation, { pulls, trouble }: State): Answer {
  const name = /\{ (?<name>\w+)\(/.exec(query)?.groups?.["name"] ?? "";
  const pull = pulls.find((one) => nodeId(one) === variables.id);
  const draft = MUTATIONS[name];
  const no = (message: string): Answer => ({
    status: 200,
    body: { data: null, errors: [{ message }] },
  });
  if (draft === undefined || pull === undefined || pull.draft === draft) {
    return no(draft ? "Already a draft" : "Not a draft");
  }
  if (draft && trouble.refusesDrafts) return no("Draft pull requests are not supported.");
  pull.draft = draft;
  return { status: 200, body: { data: { [name]: {} } } };
}

const MUTATIONS: Readonly<Record<string, boolean>> = {
  markPullRequestReadyForReview: false,
  convertPullRequestToDraft: true,
};

const refusal = (status: number, message: string, errors?: unknown): Answer => ({
  status,
  body: { message, errors, documentation_url: "https://docs.github.com/rest" },
});

const nodeId = (pull: ServerPull): string => `PR_${pull.number}`;

const shown = (pull: ServerPull): unknown => ({
  number: pull.number,
  node_id: nodeId(pull),
  html_url: `https://github.com/${FULL_NAME}/pull/${pull.number}`,
  title: pull.title,
  body: pull.body,
  draft: pull.draft,
  state: pull.state,
  merged_at: pull.merged_at,
  head: { ref: pull.head, repo: pull.repository && { full_name: pull.repository } },
  base: { ref: pull.base, repo: { full_name: FULL_NAME } },
});
