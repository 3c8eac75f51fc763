// The words and variables that start Claude Code for a conversation over its pipes.

import type { Options } from "@anthropic-ai/claude-agent-sdk";

/** The options that Saga uses, by the names of the agent SDK. */
export type ProgramOptions = Pick<
  Options,
  | "model"
  | "resume"
  | "tools"
  | "disallowedTools"
  | "permissionMode"
  | "allowDangerouslySkipPermissions"
  | "projectConfigRoot"
  | "settings"
  | "sandbox"
>;

export function programArguments(options: ProgramOptions): string[] {
  const { model, resume, disallowedTools = [], tools, projectConfigRoot, sandbox } = options;
  const word = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  const settings = { ...asObject(options.settings), ...(sandbox && { sandbox }) };
  return [
    "--output-format",
    "stream-json",
    "--verbose",
    "--input-format",
    "stream-json",
    ...word("model", model),
    ...word("resume", resume),
    ...word("disallowedTools", disallowedTools.join(",") || undefined),
    ...word("tools", Array.isArray(tools) ? tools.join(",") : undefined),
    ...word("permission-mode", options.permissionMode),
    ...(options.allowDangerouslySkipPermissions ? ["--allow-dangerously-skip-permissions"] : []),
    ...word("project-config-root", projectConfigRoot),
    "--settings",
    JSON.stringify(settings),
  ];
}

const asObject = (settings: Options["settings"]): object =>
  typeof settings === "object" ? settings : {};

/** Without it, it does not say when it is idle. */
export const PROGRAM_VARIABLES = { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" } as const;
