// A small agent: it reads JSON lines and writes JSON lines, and does for each task what its first argument says.
//
//   it writes                               and reads
//   {"ask": {"id", "tool", "input"}}        {"id", "isAllowed", "reason"}, and acts itself if it is allowed
//   {"call": {"id", "tool", "input"}}       {"id", "isError", "text"}: a tool that the other side has
//   {"did": {"id", "isError", "response"}}  nothing
//   {"said": "…"}, {"used": tokens}         nothing
//   {"end": "conversation"}                 nothing; it exits

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const write = (/** @type {object} */ message) =>
  process.stdout.write(`${JSON.stringify(message)}\n`);
/** @typedef {{ isAllowed: boolean; reason?: string; isError: boolean; text: string }} Reply */
/** @type {() => Promise<Reply>} */
const read = async () => {
  const line = await lines.next();
  return /** @type {Reply} */ (JSON.parse(String(line.value)));
};

let calls = 0;
const call = async (/** @type {string} */ tool, /** @type {object} */ input) => {
  write({ call: { id: `c${++calls}`, tool, input } });
  return read();
};

const save = (/** @type {string} */ path, /** @type {string} */ text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** @type {Record<string, (step: Record<string, string>) => Promise<void>>} */
const act = {
  async write({ path = "", text = "" }) {
    const id = `w${++calls}`;
    write({ ask: { id, tool: "Write", input: { file_path: path, content: text } } });
    const { isAllowed, reason } = await read();
    if (isAllowed) save(path, text);
    write(isAllowed ? { did: { id, isError: false, response: {} } } : { text: reason });
  },
  async sneak({ path = "", text = "" }) {
    save(path, text);
  },
  async ask({ title = "" }) {
    await call("mcp__saga__report_blocker", { title });
  },
  // A read that never ends keeps the process alive.
  hang: () => read().then(() => undefined),
};

/** @typedef {{ do: string } & Record<string, string>} Step */
const steps = /** @type {Record<string, Step[]>} */ (JSON.parse(process.argv[2] ?? "{}"));
await read();
write({ used: 100 });
const { text: list } = await call("TaskList", {});
const tasks = /** @type {{ id: string; status: string }[]} */ (JSON.parse(list));
for (const { id, status } of tasks) {
  if (status === "completed") continue;
  await call("TaskUpdate", { taskId: id, status: "in_progress" });
  const own = steps[id] ?? [{ do: "write", path: `${id}.txt`, text: `${id}\n` }];
  for (const { do: name, ...input } of own) await act[name]?.(input);
  const answer = await call("TaskUpdate", { taskId: id, status: "completed" });
  if (answer.isError) write({ text: answer.text });
}
write({ end: "line-1" });
process.exit(0);
