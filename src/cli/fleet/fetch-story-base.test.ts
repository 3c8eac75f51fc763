import { expect, it } from "vitest";
import { anEpic } from "../../../test/support/project.ts";
import { addOrigin, STORY } from "../../../test/support/repository.ts";
import { withWork } from "../../../test/support/story-with-work.ts";
import { openStore } from "../../store/file-store.ts";
import { fetchStoryBase } from "./fetch-story-base.ts";

it("is the branch of its epic as it is at the remote, where another machine has pushed a sibling", async () => {
  const test = await withWork();
  const origin = addOrigin(test);
  test.write(
    ".saga/config.toml",
    '[delivery]\nkind = "epic-branch"\n[git]\npush = "always"\n[forge]\nkind = "local"\n',
  );
  test.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: STORY }]));
  test.git("push", "--quiet", "origin", "main:epic/shop");
  test.git("fetch", "--quiet");
  const sibling = test.git("commit-tree", "main^{tree}", "-p", "main", "-m", "sibling");
  // As another machine does: this clone does not know of it.
  test.git("push", "--quiet", origin, `${sibling}:refs/heads/epic/shop`);
  const store = openStore(test.path);
  const place = { repository: await test.open(), store, env: test.env };
  const base = await fetchStoryBase(place, await store.settings(), STORY);
  expect(base).toMatchObject({ target: "epic/shop", commit: sibling });
});
