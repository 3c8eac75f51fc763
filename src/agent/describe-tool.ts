// One line about a tool call and about its answer, for the log. Contents of files are left out: they
// are in git, and a secret in one must not be in the log as well.

import { relative } from "node:path";
import type { ToolCall } from "../claude/sdk-hooks.ts";
import type { ToolAnswer } from "../claude/messages.ts";
import type { ScopeVerdict } from "./scope/scope.ts";
import type { StoryEvent } from "../story/state/events.ts";

const MAX_LENGTH = 200;

/** What became of a call that was judged. */
export const toolCallEvent = (
  call: ToolCall,
  verdict: ScopeVerdict,
  folder: string,
): StoryEvent => {
  const { id, tool } = call;
  return verdict.isAllowed
    ? { type: "tool.called", id, tool, about: describeCall(call, folder) }
    : { type: "tool.refused", id, tool, reason: verdict.reason };
};

export function describeCall({ tool, input }: ToolCall, worktree: string): string {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Fields;
  const path = text(fields["file_path"] ?? fields["notebook_path"] ?? fields["path"]);
  if (tool.startsWith("Task")) {
    return short([fields["taskId"], fields["status"], fields["subject"]].map(text).join(" "));
  }
  if (tool === "Bash") return short(text(fields["command"]));
  if (path !== "") return short(`${below(worktree, path)} ${text(fields["pattern"])}`);
  return short(text(fields["pattern"] ?? fields["title"] ?? fields["skill"]));
}

/** What a shell printed is worth a line; the rest is in the file or in the list. */
export function describeAnswer({
  tool,
  response,
  isError,
}: Omit<ToolAnswer, "id"> & { readonly tool: string }): string {
  // Below their first line, other tools quote what they did not find in the file.
  if (isError) return short(tool === "Bash" ? text(response) : firstLine(text(response)));
  const fields = (typeof response === "object" && response !== null ? response : {}) as Fields;
  if (tool === "TaskUpdate") return short(text(fields["error"]));
  if (tool !== "Bash") return "";
  return short(text(fields["stdout"]).trim().split("\n").at(-1) ?? "");
}

interface Fields {
  readonly [name: string]: unknown;
}

const below = (worktree: string, path: string): string => {
  const inside = relative(worktree, path);
  return inside === "" ? "." : inside.startsWith("..") ? path : inside;
};

const firstLine = (lines: string): string => lines.trim().split("\n")[0] ?? "";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const short = (line: string): string => {
  const flat = line.replaceAll(/\s+/g, " ").trim();
  return flat.length > MAX_LENGTH ? `${flat.slice(0, MAX_LENGTH - 1)}…` : flat;
};
