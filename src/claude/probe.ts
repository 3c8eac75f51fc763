// What a Claude Code can do, found out without spending a token: its version, whether it is logged in, and
// whether a run would have the Task tools.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainEnvironment, type Environment } from "../machine/processes/environment.ts";
import { parseJson } from "../text/parse-json.ts";
import { run } from "../machine/processes/run.ts";
import * as z from "zod";
import { TASK_TOOLS } from "../agent/tool-names.ts";
import { LOGIN_VARIABLES } from "./environment.ts";

export async function claudeVersion(claude: string, env: Environment): Promise<string | undefined> {
  const result = await run(claude, ["--version"], {
    env: plainEnvironment(env),
    timeoutMs: 10_000,
  });
  if (result.kind !== "exited" || result.exitCode !== 0) return undefined;
  return /^\d+\.\d+\.\d+/.exec(result.stdout)?.[0];
}

export type Login =
  | { readonly isLoggedIn: boolean; readonly method: string }
  | { readonly isLoggedIn: undefined };

const loginSchema = z.object({ loggedIn: z.boolean(), authMethod: z.string() });

export async function claudeLogin(claude: string, env: Environment): Promise<Login> {
  const result = await run(claude, ["auth", "status", "--json"], {
    env: plainEnvironment(env, LOGIN_VARIABLES),
    timeoutMs: 10_000,
  });
  return loginIn(result.kind === "exited" ? result.stdout : "");
}

/** What `claude auth status --json` prints. */
export function loginIn(stdout: string): Login {
  const login = loginSchema.safeParse(parseJson(stdout));
  return login.success
    ? { isLoggedIn: login.data.loggedIn, method: login.data.authMethod }
    : { isLoggedIn: undefined };
}

/**
 * The Task tools that a run would lack. Really starts Claude Code, with a temporary configuration and an
 * address without a server: tools are announced before the first request to the model.
 */
export async function missingTaskTools(
  claude: string,
  env: Environment,
): Promise<readonly string[] | undefined> {
  const home = mkdtempSync(join(tmpdir(), "saga-probe-"));
  try {
    const tools = ["Bash", ...TASK_TOOLS].join(",");
    const result = await run(
      claude,
      `-p --output-format stream-json --verbose --no-session-persistence --tools ${tools}`.split(
        " ",
      ),
      {
        cwd: home,
        env: {
          ...plainEnvironment(env),
          HOME: home,
          CLAUDE_CONFIG_DIR: join(home, "config"),
          ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
          ANTHROPIC_API_KEY: "nobody",
          CLAUDE_CODE_MAX_RETRIES: "0",
          CLAUDE_CODE_ENABLE_TASKS: "true",
          CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
          CLAUDE_CODE_TASK_LIST_ID: "saga__probe",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_TELEMETRY: "1",
          DISABLE_AUTOUPDATER: "1",
        },
        input: "Nothing to do.",
        timeoutMs: 20_000,
      },
    );
    if (result.kind === "missing") return undefined;
    const announced = announcedTools(result.stdout);
    return announced && TASK_TOOLS.filter((tool) => !announced.includes(tool));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const initSchema = z.object({
  type: z.literal("system"),
  subtype: z.literal("init"),
  tools: z.array(z.string()),
});

/** From the first message of a run. */
export function announcedTools(stream: string): readonly string[] | undefined {
  for (const line of stream.split("\n")) {
    const init = initSchema.safeParse(parseJson(line));
    if (init.success) return init.data.tools;
  }
  return undefined;
}
