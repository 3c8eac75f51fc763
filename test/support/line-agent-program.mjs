// A small agent: it reads JSON lines and writes JSON lines. Its first argument says what it does for each task of its
// list, or `run`: what it does instead of working through the list.
//
//   it writes                               and reads
//   {"ask": {"id", "tool", "input"}}        {"id", "isAllowed", "reason"}, and acts itself if it is allowed
//   {"call": {"id", "tool", "input"}}       {"id", "isError", "text"}: a tool that the other side has
//   {"did": {"id", "isError", "response"}}  nothing
//   {"said": "…"}, {"used": tokens}         nothing
//   {"end": "conversation"}                 nothing; it exits
//   {"limit": true}                         nothing; it exits: a usage limit

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

const report = async (/** @type {string} */ tool, /** @type {object} */ input) => {
  const answer = await call(tool, input);
  if (answer.isError) write({ text: answer.text });
};

const end = (/** @type {object} */ more = {}) => {
  write({ end: resume ?? "line-1", ...more });
  process.exit(0);
};

/** @typedef {{ path?: string; text?: string; title?: string; tool?: string; input?: object }} Given */
/** @type {Record<string, (step: Given) => Promise<void>>} */
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
  async call({ tool = "", input = {} }) {
    await report(tool, input);
  },
  // The continued conversation gets an answer.
  async limit() {
    if (resume !== undefined) return;
    end({ limit: true });
  },
  async die() {
    process.kill(process.pid, "SIGKILL");
  },
  // A read that never ends keeps the process alive.
  hang: () => read().then(() => undefined),
};

/** @typedef {{ do: string } & Given} Step */
const job = /** @type {{ tasks: Record<string, Step[]>; run?: Step[]; resume?: string }} */ (
  JSON.parse(process.argv[2] ?? "")
);
const { tasks: stepsOf, run, resume } = job;
const follow = async (/** @type {Step[]} */ steps) => {
  for (const { do: name, ...input } of steps) await act[name]?.(input);
};
await read();
write({ used: 100 });
if (run) await follow(run);
else {
  const { text: list } = await call("TaskList", {});
  const tasks = /** @type {{ id: string; status: string }[]} */ (JSON.parse(list));
  for (const { id, status } of tasks) {
    if (status === "completed") continue;
    await call("TaskUpdate", { taskId: id, status: "in_progress" });
    await follow(stepsOf[id] ?? [{ do: "write", path: `${id}.txt`, text: `${id}\n` }]);
    await report("TaskUpdate", { taskId: id, status: "completed" });
  }
}
end();
