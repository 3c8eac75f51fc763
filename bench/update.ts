import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { openStore } from "../src/store/file-store.ts";
import { peerTitle, type Peers } from "./peers.ts";
import { median, milliseconds, ratioFigure, sideBySide, timed, type Figure } from "./table.ts";

/** The part of the package that is used. */
type WriteFileAtomic = (file: string, text: string) => Promise<void>;

/** One durable change of a status: the whole update under the lock, compared to the four bare calls. */
export async function updateFigure(folder: string, peers: Peers): Promise<Figure> {
  const project = join(folder, "one-story");
  const story = join(project, ".saga/stories/one");
  mkdirSync(story, { recursive: true });
  const fields = {
    id: "one",
    title: "One",
    description: "The only one. ".repeat(20),
    status: "pending",
  };
  writeFileSync(join(story, "story.json"), JSON.stringify(fields, undefined, 2));
  const task = { ...fields, id: "first", subject: "First", blockedBy: [] };
  writeFileSync(join(story, "first.json"), JSON.stringify(task, undefined, 2));
  // In the same folder, so that the disk does the same work; the dot hides it from the story.
  const bare = join(story, ".bare.json");
  const text = readFileSync(join(story, "first.json"), "utf8");
  const store = openStore(project);
  let turn = 0;
  const { floorMs, oursMs } = await sideBySide(
    1000,
    () => writeBare(bare, text),
    () => {
      const status = turn++ % 2 === 0 ? "in_progress" : "pending";
      return store.setTaskStatus("one", "first", status);
    },
  );
  const name = "durable status update, against write-fsync-rename-fsync";
  const writeAtomically = peers.load("write-file-atomic") as WriteFileAtomic | undefined;
  return {
    ...ratioFigure(name, floorMs, oursMs, 1.3),
    peer: writeAtomically && (await peerCell(() => writeAtomically(bare, text))),
  };
}

/** It does not lock, read or sync the folder; it only writes. */
async function peerCell(write: () => Promise<void>): Promise<string> {
  const times: number[] = [];
  for (let turn = 0; turn < 300; turn++) times.push(await timed(write));
  return `${peerTitle("write-file-atomic")}, the write alone: ${milliseconds(median(times))}`;
}

function writeBare(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, "w");
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}
