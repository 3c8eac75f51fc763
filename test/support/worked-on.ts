import { onTestFinished } from "vitest";
import { openStore } from "../../src/store/file-store.ts";
import { storyLease } from "../../src/store/leases/lease-names.ts";
import type { Project } from "./project.ts";

/** The state of a story with a worker, until the end of the test. */
export async function workedOn(project: Project, storyId: string): Promise<void> {
  const { leases } = openStore(project.path);
  const { lease } = await leases.acquire(storyLease(storyId), { owner: "a worker", ttlMs: 60_000 });
  onTestFinished(() => lease?.release());
}
