// Runs an action of the page. Each is a saga command, started with an array of arguments: the page can do nothing
// that a person at a terminal cannot, and shows the same errors.

import * as z from "zod";
import type { Environment } from "../../machine/processes/environment.ts";
import { parseJson } from "../../text/parse-json.ts";
import { run, type ProgramResult } from "../../machine/processes/run.ts";
import { actionSchema } from "../protocol/action-schema.ts";
import type { ActionResult } from "../protocol/actions.ts";
import { commandOf } from "./commands.ts";

export interface ActionOptions {
  readonly program: readonly string[];
  readonly env: Environment;
  readonly project: string;
  /** The session exists and belongs to this project: another project may have a story of the same name. */
  readonly isOwnSession: (name: string) => Promise<boolean>;
  /** Ends running commands with the dashboard. */
  readonly stop: AbortSignal;
}

/** A merge runs the story's checks, which may take long. */
const TIMEOUT_MS = 2 * 60 * 60_000;

export const newActionRunner =
  ({ program, env, project, stop, isOwnSession }: ActionOptions) =>
  async (body: unknown): Promise<ActionResult> => {
    const parsed = actionSchema.safeParse(body);
    if (!parsed.success) return { isOk: false, message: issueText(parsed.error) };
    const action = parsed.data;
    if (action.act === "session-stop" && !(await isOwnSession(action.session))) {
      return { isOk: false, message: "The session no longer exists in this project." };
    }
    const { words, input, done } = commandOf(action);
    const [node = "", ...rest] = program;
    const result = await run(node, [...rest, "--json", ...words], {
      cwd: project,
      // The whole environment, as in a terminal: the command decides what its worker may see.
      env,
      input,
      timeoutMs: TIMEOUT_MS,
      stop,
    });
    return resultOf(result, done);
  };

const issueText = (error: z.ZodError): string => {
  const [issue] = error.issues;
  const where = issue?.path.join(".") || "The request";
  return `${where} ${issue?.message ?? "is invalid"}.`;
};

const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    hint: z.string().optional(),
    problems: z.array(z.object({ message: z.string(), fix: z.string() })).optional(),
  }),
});

/** Problems with what a person typed say more than the message above them, and name its file. */
function errorIn(json: unknown): Omit<ActionFailure, "isOk"> | undefined {
  const error = errorSchema.safeParse(json).data?.error;
  if (error === undefined) return undefined;
  const { message, hint, problems = [] } = error;
  if (problems.length === 0) return { message, hint };
  return { message: problems.map(({ message, fix }) => `${message} ${fix}`).join(" ") };
}

type ActionFailure = Extract<ActionResult, { isOk: false }>;

function resultOf(result: ProgramResult, done: string): ActionResult {
  switch (result.kind) {
    case "missing":
      return { isOk: false, message: "Could not start saga." };
    case "timed-out":
    case "killed":
      return { isOk: false, message: "The command was killed before it finished." };
    case "exited": {
      const json = parseJson(result.stdout);
      const error = errorIn(json);
      if (error) return { isOk: false, ...error };
      if (result.exitCode === 0) {
        const text = [done, ...notesIn(json)].join("\n");
        return { isOk: true, text, json };
      }
      return {
        isOk: false,
        ...(reasonIn(json) ?? { message: `The command failed (exit ${result.exitCode}).` }),
      };
    }
  }
}

/** What a command says besides its success, such as a definition that asks for less than before. */
const notesSchema = z
  .object({
    warnings: z.array(z.object({ message: z.string(), fix: z.string() })).catch([]),
    notes: z.array(z.string()).catch([]),
  })
  .partial();

function notesIn(json: unknown): string[] {
  const { warnings = [], notes = [] } = notesSchema.safeParse(json).data ?? {};
  return [...warnings.map(({ message, fix }) => `${message} ${fix}`), ...notes];
}

/** The fields in which commands give the reason of a failure. */
const reasonSchema = z
  .object({
    reason: z.string(),
    refusal: z.string(),
    why: z.string(),
    // From a merge.
    kind: z.string(),
    conflict: z.object({ files: z.array(z.object({ path: z.string() })) }),
    message: z.string(),
    hint: z.string(),
    question: z.string(),
    isUpdatable: z.boolean(),
  })
  .partial();

function reasonIn(json: unknown): Omit<ActionFailure, "isOk"> | undefined {
  const { data = {} } = reasonSchema.safeParse(json);
  const { conflict, kind, why, hint, question, isUpdatable = false } = data;
  if (conflict) {
    const files = conflict.files.map(({ path }) => path).join(", ");
    return { message: `Conflicts with its target in ${files}.` };
  }
  const message = data.message ?? data.reason ?? data.refusal ?? why;
  if (message === undefined) return undefined;
  const mayUpdate = kind === "checked-out" && isUpdatable;
  return { message, ...(hint && { hint }), ...(mayUpdate && question && { question }) };
}
