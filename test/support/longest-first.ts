// The order of the test files: the longest first, so that none of them runs alone at the end.

import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Walk-throughs of whole pages are one test of half a minute; the next ones start agents, and browsers. */
const LONG_FOLDERS = [
  "test/docs/",
  "test/end-to-end/",
  "test/torture/",
  "src/landing/",
  "test/browser/",
];

export class LongestFirst extends BaseSequencer {
  /** By their last durations. A fresh clone has none, or few: then by folder, and by size within it. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is a method of the sequencer
    const sorted = await super.sort(files);
    const known = sorted.filter((file) => this.#hasRun(file));
    return known.length > sorted.length / 2
      ? sorted
      : sorted.toSorted((a, b) => this.#rank(a) - this.#rank(b));
  }

  #hasRun(file: TestSpecification): boolean {
    const key = `${file.project.name}:${this.#pathOf(file)}`;
    return this.ctx.cache.getFileTestResults(key) !== undefined;
  }

  #rank(file: TestSpecification): number {
    const at = LONG_FOLDERS.findIndex((folder) => this.#pathOf(file).startsWith(folder));
    return at < 0 ? LONG_FOLDERS.length : at;
  }

  #pathOf({ moduleId }: TestSpecification): string {
    return relative(this.ctx.config.root, moduleId);
  }
}
