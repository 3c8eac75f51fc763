// One line for the log about a tool call, and one about its answer. The content of files is left out: it is
// in git, and a secret in a file must not get into the log too.

import { relative } from "node:path";
import { firstLine } from "../text/one-line.ts";
import type { ToolAnswer, ToolCall } from "./agent.ts";

const MAX_LENGTH = 200;

export function describeCall({ tool, input }: ToolCall, worktree: string): string {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Fields;
  const path = text(fields["file_path"] ?? fields["notebook_path"] ?? fields["path"]);
  if (tool.startsWith("Task")) {
    return short(describeTaskCall(fields));
  }
  if (tool === "Bash") return short(text(fields["command"]));
  if (path !== "") return short(`${relativeTo(worktree, path)} ${text(fields["pattern"])}`);
  return short(text(fields["pattern"] ?? fields["title"] ?? fields["skill"] ?? fields["outcome"]));
}

function describeTaskCall(fields: Fields): string {
  const [id, status, subject] = [fields["taskId"], fields["status"], fields["subject"]].map(text);
  return [id && `\`${id}\``, status && `set to ${status}`, subject].filter(Boolean).join(" ");
}

/** The last line of a shell's output; other answers are in the file or in the list. */
export function describeAnswer({
  tool,
  response,
  isError,
}: Omit<ToolAnswer, "id"> & { readonly tool: string }): string {
  // After the first line, other tools quote the text that they did not find in the file.
  if (isError) return short(tool === "Bash" ? text(response) : firstLine(text(response)));
  const fields = (typeof response === "object" && response !== null ? response : {}) as Fields;
  if (tool === "TaskUpdate") {
    const error = text(fields["error"]);
    // What Saga's own hook answered is in the log already.
    return error.startsWith("TaskCompleted hook feedback:") ? "" : short(error);
  }
  if (tool !== "Bash") return "";
  return short(text(fields["stdout"]).trim().split("\n").at(-1) ?? "");
}

interface Fields {
  readonly [name: string]: unknown;
}

const relativeTo = (worktree: string, path: string): string => {
  const inside = relative(worktree, path);
  return inside === "" ? "." : inside.startsWith("..") ? path : inside;
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const short = (line: string): string => {
  const flat = line.replaceAll(/\s+/g, " ").trim();
  return flat.length > MAX_LENGTH ? `${flat.slice(0, MAX_LENGTH - 1)}…` : flat;
};
