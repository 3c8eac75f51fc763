// What it costs to watch every story of a large project, until no change can be missed.

import { readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { followFolders } from "../src/machine/files/folder-changes.ts";
import { makeStories, STORIES } from "./list.ts";
import { peerTitle, type Peers } from "./peers.ts";
import { median, milliseconds, ratioFigure, sideBySide, timed, type Figure } from "./table.ts";

/** The part of the package that is used. */
interface Chokidar {
  readonly watch: (folder: string) => {
    readonly once: (event: "ready", listener: () => void) => void;
    readonly close: () => Promise<void>;
  };
}

export async function watchFigure(folder: string, peers: Peers): Promise<Figure> {
  const project = join(folder, "watched");
  makeStories(project);
  const stories = join(project, ".saga/stories");
  const folders = readdirSync(stories).map((name) => join(stories, name));
  const { floorMs, oursMs } = await sideBySide(
    9,
    () => {
      for (const watcher of folders.map((one) => watch(one))) watcher.close();
    },
    () => {
      const changes = followFolders();
      changes.follow(folders);
      changes.close();
    },
  );
  const name = `watching ${STORIES} stories, against a bare watch of each`;
  return { ...ratioFigure(name, floorMs, oursMs, 2), peer: await peerCell(stories, peers) };
}

async function peerCell(stories: string, peers: Peers): Promise<string | undefined> {
  const chokidar = peers.load("chokidar") as Chokidar | undefined;
  if (!chokidar) return undefined;
  const times: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const watcher = chokidar.watch(stories);
    times.push(await timed(() => new Promise<void>((ready) => watcher.once("ready", ready))));
    await watcher.close();
  }
  return `${peerTitle("chokidar")}: ${milliseconds(median(times))}`;
}
