import { expect, it } from "vitest";
import { newProject } from "../../../../test/support/project.ts";
import { thisProcess } from "../../../machine/processes/process-id.ts";
import { refused } from "../../../../test/support/refused.ts";

it("refuses a story without a session, and says where to look instead", async () => {
  const story = await refused(newProject(), "attach", "no-such-story");
  expect(story.message).toBe('No session is running for "no-such-story".');
  expect(story.hint).toContain("`saga logs`");
  expect((await refused(newProject(), "attach", "auto-77")).hint).toContain("`saga auto status`");
});

it("names the machine of the fleet that a story is running on", async () => {
  const project = newProject();
  const record = { ...thisProcess(), owner: "a worker on bob", purpose: "work", machine: "bob" };
  const times = { takenAt: new Date().toISOString(), expiresAt: new Date().toISOString() };
  const lease = { name: "story.cart", fence: 1, record: { ...record, ...times } };
  project.write(".saga/elsewhere/leases.json", JSON.stringify([lease]));
  const there = await refused(project, "attach", "cart");
  expect(there.message).toBe("cart is running on bob, another machine.");
  expect(there.hint).toContain("`saga logs cart -f`");
});
