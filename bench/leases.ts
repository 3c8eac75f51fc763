// What it costs to own something for a moment, against a file that only one process can create.

import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../src/store/file-store.ts";
import { ratioFigure, sideBySide, type Figure } from "./table.ts";

const TURNS = 2_000;
const REQUEST = { owner: "bench", ttlMs: 60_000 };

export async function leaseFigures(folder: string): Promise<Figure[]> {
  const project = join(folder, "leases");
  const bare = join(project, "bare");
  mkdirSync(join(project, ".saga"), { recursive: true });
  const { leases } = openStore(project);
  const cycle = await sideBySide(
    TURNS,
    () => createAndRemove(bare),
    async () => {
      const { lease } = await leases.acquire("story.one", REQUEST);
      await lease?.release();
    },
  );
  const { lease } = await leases.acquire("story.two", REQUEST);
  const renewal = await sideBySide(
    TURNS,
    () => createAndRemove(bare),
    () => lease?.renew(),
  );
  const refusal = await sideBySide(
    TURNS,
    () => createAndRemove(bare),
    () => leases.acquire("story.two", REQUEST),
  );
  const title = "a lease, against creating and removing a file";
  return [
    ratioFigure(`${title}: taken and released`, cycle.floorMs, cycle.oursMs, 10),
    ratioFigure(`${title}: renewed`, renewal.floorMs, renewal.oursMs, 5),
    ratioFigure(`${title}: refused`, refusal.floorMs, refusal.oursMs, 5),
  ];
}

function createAndRemove(path: string): void {
  const file = openSync(path, "wx");
  writeSync(file, "bench");
  closeSync(file);
  rmSync(path);
}
