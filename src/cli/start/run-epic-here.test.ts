import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { anEpic, aStory, newFolder } from "../../../test/support/project.ts";
import { refused } from "../../../test/support/refused.ts";
import { newRepository } from "../../../test/support/repository.ts";
import { openStore } from "../../store/file-store.ts";
import { epicLease } from "../../store/leases/lease-names.ts";

const RUN = ["epic", "run", "shop"];

it("refuses a second run of an epic, and says who runs it", async () => {
  const project = newRepository();
  project.write(".saga/epics/shop/epic.json", anEpic("shop", []));
  const request = { owner: "saga epic run", ttlMs: 60_000 };
  const { lease } = await openStore(project.path).leases.acquire(epicLease("shop"), request);
  const { message } = await refused(project, ...RUN);
  expect(message).toBe("The epic shop is already running (saga epic run).");
  await lease?.release();
  expect((await project.saga(...RUN)).exitCode).toBe(0);
});

it("ends with its lease released; its output is kept while stories are left", async () => {
  const project = newRepository();
  const outputFile = newFolder().write("epic.out", "what happened");
  const session = ["--session=saga-epic-shop-1", `--output-file=${outputFile}`];
  project.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: "cart", blockedBy: [] }]));
  expect((await project.saga(...RUN, ...session)).exitCode).toBe(1);
  expect(existsSync(outputFile)).toBe(true);
  project.write(".saga/stories/cart/story.json", aStory("cart", { status: "completed" }));
  expect((await project.saga(...RUN, ...session)).exitCode).toBe(0);
  expect(existsSync(outputFile)).toBe(false);
  expect(await openStore(project.path).leases.list()).toEqual([]);
});
