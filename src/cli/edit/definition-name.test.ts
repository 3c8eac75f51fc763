import { describe, expect, it } from "vitest";
import { anEpic, aStory, newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { findDefinition } from "./definition-name.ts";

function find(words: readonly string[], isEpic = false) {
  const project = newProject();
  project.write(".saga/stories/both/story.json", JSON.stringify(aStory("both")));
  project.write(".saga/epics/both/epic.json", JSON.stringify(anEpic("both", [])));
  project.write(".saga/epics/shop/epic.json", JSON.stringify(anEpic("shop", [])));
  return findDefinition(openStore(project.path), words, isEpic);
}

describe("a name", () => {
  it.each([
    [["both"], false, { kind: "story", id: "both" }],
    [["both"], true, { kind: "epic", id: "both" }],
    [["shop"], false, { kind: "epic", id: "shop" }],
    [["both/form"], false, { kind: "task", story: "both", id: "form" }],
    [["both", "form"], false, { kind: "task", story: "both", id: "form" }],
  ])("%j (as epic: %j) is %j", async (words, isEpic, expected) => {
    expect(await find(words, isEpic)).toEqual(expected);
  });

  it.each([[["a/b/c"]], [["both/"]], [["none"]], [["a/b", "c"]]])(
    "%j is refused",
    async (words) => {
      await expect(find(words)).rejects.toMatchObject({ code: "not-found" });
    },
  );
});
