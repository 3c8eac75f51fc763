import { expect, it } from "vitest";
import { newProject } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import { takeLease } from "./take-lease.ts";

it("a free story is taken, and one that is being worked on is refused with its owner", async () => {
  const store = openStore(newProject().path);
  const lease = await takeLease({ store, stop: undefined }, "story.a", "a");
  expect(lease.record.purpose).toBe("merge");
  const stop = AbortSignal.abort();
  await expect(takeLease({ store, stop }, "story.a", "a")).rejects.toMatchObject({
    code: "in-use",
    message: "a is already running (another worker).",
  });
  await lease.release();
});
