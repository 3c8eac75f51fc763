// One small file for each story: `.saga/conflicts/<story>.json`, replaced whole. It is derived from git: when it is lost,
// the next look writes it again, so it is not flushed to the disk.

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ifThere, listNames, readTextIfThere, replaceFile } from "../../machine/files/files.ts";
import { requireId } from "../../story/definition/names.ts";
import { openWorkSchema, type OpenWork } from "../../story/early-warning/open-work.ts";
import { parseJson } from "../../text/parse-json.ts";
import { makeIgnoredFolder } from "../write/ignored-folder.ts";
import { conflictsFolder, type Layout } from "../project/layout.ts";
import type { OpenWorks } from "./open-works.ts";

/** Every worker reads the records of all others again and again: a file that did not change is not parsed again. */
interface ParsedFile {
  readonly mark: string;
  readonly work: OpenWork | undefined;
}

export function openOpenWorks(at: Layout): OpenWorks {
  const folder = conflictsFolder(at);
  const parsed = new Map<string, ParsedFile>();
  const fileOf = (storyId: string): string => join(folder, `${requireId("story", storyId)}.json`);
  return {
    async list() {
      const names = listNames(folder).filter((name) => name.endsWith(".json"));
      for (const name of parsed.keys()) if (!names.includes(name)) parsed.delete(name);
      return names.flatMap((name) => read(name) ?? []);
    },
    async write(work) {
      makeIgnoredFolder(folder);
      replaceFile(fileOf(work.story), `${JSON.stringify(work)}\n`);
    },
    async drop(storyId) {
      rmSync(fileOf(storyId), { force: true });
    },
  };

  /** Undefined for a file that is gone or that Saga did not write. */
  function read(name: string): OpenWork | undefined {
    const path = join(folder, name);
    const stat = ifThere(() => statSync(path));
    if (stat === undefined) return undefined;
    const mark = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    const known = parsed.get(name);
    if (known?.mark === mark) return known.work;
    const found = openWorkSchema.safeParse(parseJson(readTextIfThere(path) ?? "")).data;
    const work = found && `${found.story}.json` === name ? found : undefined;
    parsed.set(name, { mark, work });
    return work;
  }
}
