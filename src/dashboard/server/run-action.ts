// Does what the page asks for. Each act is a command of Saga's own, started as a program with an array of
// arguments: the page can do nothing that a person at a terminal cannot, and is refused in the same words.

import * as z from "zod";
import type { Environment } from "../../machine/processes/environment.ts";
import { parseJson } from "../../text/parse-json.ts";
import { run, type ProgramResult } from "../../machine/processes/run.ts";
import { actSchema, commandOf, doneText } from "./commands.ts";
import type { Act, Acted } from "../protocol/acts.ts";

export interface ActionContext {
  readonly program: readonly string[];
  readonly env: Environment;
  readonly project: string;
  /** One of this project's that is there now: another project's may be named after a story of the same name. */
  readonly isOwnSession: (name: string) => boolean;
  /** Ends what goes on, when the dashboard ends. */
  readonly stop: AbortSignal;
}

/** A merge runs the checks of its story, which may take long. */
const TIMEOUT_MS = 2 * 60 * 60_000;

export const newActions =
  ({ program, env, project, stop, isOwnSession }: ActionContext) =>
  async (given: unknown): Promise<Acted> => {
    const parsed = actSchema.safeParse(given);
    if (!parsed.success) return { isOk: false, message: refusedBy(parsed.error) };
    const act = parsed.data as Act;
    if (act.act === "session-stop" && !isOwnSession(act.session)) {
      return { isOk: false, message: "The session no longer exists in this project." };
    }
    const { words, input } = commandOf(act);
    const [node = "", ...rest] = program;
    const result = await run(node, [...rest, "--json", ...words], {
      cwd: project,
      // All of it: the command hands on what its worker may see, as it does at a terminal.
      env,
      input,
      timeoutMs: TIMEOUT_MS,
      stop,
    });
    return actedOf(result, act);
  };

const refusedBy = (error: z.ZodError): string => {
  const [issue] = error.issues;
  const where = issue?.path.join(".") || "The request";
  return `${where} ${issue?.message ?? "is invalid"}.`;
};

const errorSchema = z.object({
  error: z.object({ message: z.string(), hint: z.string().optional() }),
});

function actedOf(result: ProgramResult, act: Act): Acted {
  switch (result.kind) {
    case "missing":
      return { isOk: false, message: "Could not start saga." };
    case "timed-out":
    case "killed":
      return { isOk: false, message: "The command was killed before it finished." };
    case "exited": {
      const json = parseJson(result.stdout);
      const refused = errorSchema.safeParse(json).data?.error;
      if (refused) return { isOk: false, ...refused };
      if (result.exitCode === 0) return { isOk: true, text: doneText(act), json };
      return {
        isOk: false,
        ...(reasonIn(json) ?? { message: `The command failed (exit ${result.exitCode}).` }),
      };
    }
  }
}

/** The places where a command that did not succeed says why. */
const reasonSchema = z
  .object({
    reason: z.string(),
    refusal: z.string(),
    why: z.string(),
    // Of a merge.
    kind: z.string(),
    conflict: z.object({ files: z.array(z.object({ path: z.string() })) }),
    message: z.string(),
    hint: z.string(),
    question: z.string(),
    isUpdatable: z.boolean(),
  })
  .partial();

function reasonIn(json: unknown): Omit<Extract<Acted, { isOk: false }>, "isOk"> | undefined {
  const { data = {} } = reasonSchema.safeParse(json);
  const { conflict, kind, why, hint, question, isUpdatable = false } = data;
  if (conflict) {
    const files = conflict.files.map(({ path }) => path).join(", ");
    return { message: `Conflicts with its target in ${files}.` };
  }
  const message = data.message ?? data.reason ?? data.refusal ?? why;
  if (message === undefined) return undefined;
  const isAsked = kind === "checked-out" && isUpdatable;
  return { message, ...(hint && { hint }), ...(isAsked && question && { question }) };
}
