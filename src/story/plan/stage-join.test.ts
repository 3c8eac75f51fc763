import { describe, expect, it } from "vitest";
import {
  type Fields,
  story,
  epic,
  project,
  empty,
  stage,
  actions,
  fieldsOf,
} from "../../../test/support/staging.ts";
import type { Staging } from "./stage.ts";

describe("a story joins an epic", () => {
  const joined = (id: string): Fields => ({ id, blockedBy: [] });
  const childrenOf = (staging: Staging, id: string): unknown =>
    (fieldsOf(staging, "epic", id) as Fields | undefined)?.["children"];

  it("by its field", () => {
    const staging = stage(empty, { epics: [epic("e")], stories: [story("a", { epic: "e" })] });
    expect(staging.problems).toEqual([]);
    expect(childrenOf(staging, "e")).toEqual([joined("a")]);
  });

  it("by being listed, whatever its name", () => {
    const children = [{ id: "a", blockedBy: ["b"], note: "last" }, { id: "b" }];
    const staging = stage(empty, {
      epics: [epic("e", { children })],
      stories: [story("a"), story("b")],
    });
    expect(staging.problems).toEqual([]);
    expect(childrenOf(staging, "e")).toEqual(children);
  });

  it("by its name, the nearest epic first", () => {
    const staging = stage(empty, {
      epics: [epic("e"), epic("e--f")],
      stories: [story("e--f--a"), story("e--b")],
    });
    expect(staging.problems).toEqual([]);
    expect(childrenOf(staging, "e")).toEqual([joined("e--b")]);
    expect(childrenOf(staging, "e--f")).toEqual([joined("e--f--a")]);
  });

  it("by its field rather than by its name", () => {
    const staging = stage(empty, {
      epics: [epic("e"), epic("other")],
      stories: [story("e--a", { epic: "other" })],
    });
    expect(childrenOf(staging, "e")).toEqual([]);
    expect(childrenOf(staging, "other")).toEqual([joined("e--a")]);
  });

  it("by being listed rather than by its name", () => {
    const staging = stage(empty, {
      epics: [epic("e"), epic("other", { children: [{ id: "e--a" }] })],
      stories: [story("e--a")],
    });
    expect(childrenOf(staging, "e")).toEqual([]);
    expect(childrenOf(staging, "other")).toEqual([{ id: "e--a" }]);
  });

  it("that exists, which is not an update of the epic", () => {
    const current = project({
      epics: [epic("e", { children: [joined("e--a")] })],
      stories: [{ file: story("e--a") }],
    });
    const staging = stage(current, { stories: [story("e--b", { blockedBy: ["e--a"] })] });
    expect(staging.problems).toEqual([]);
    expect(actions(staging)).toEqual(["create story e--b", "update epic e"]);
    expect(fieldsOf(staging, "epic", "e")).toEqual(
      epic("e", { children: [joined("e--a"), { id: "e--b", blockedBy: ["e--a"] }] }),
    );
  });

  it("once, without changing an epic that lists it already", () => {
    const current = project({
      epics: [epic("e", { children: [joined("e--a")] })],
      stories: [{ file: story("e--a") }],
    });
    const staging = stage(current, { stories: [story("e--a", { blockedBy: [] })] });
    expect(actions(staging)).toEqual(["keep story e--a"]);
  });

  it("with new blockers when updates are allowed, keeping unknown fields", () => {
    const current = project({
      epics: [epic("e", { children: [joined("e--a"), { ...joined("e--b"), note: "x" }] })],
      stories: [{ file: story("e--a") }, { file: story("e--b") }],
    });
    const staging = stage(current, { stories: [story("e--b", { blockedBy: ["e--a"] })] }, true);
    expect(staging.problems).toEqual([]);
    expect(childrenOf(staging, "e")).toEqual([
      joined("e--a"),
      { id: "e--b", blockedBy: ["e--a"], note: "x" },
    ]);
  });

  it("with new blockers only when updates are allowed", () => {
    const current = project({
      epics: [epic("e", { children: [joined("e--a"), joined("e--b")] })],
      stories: [{ file: story("e--a") }, { file: story("e--b") }],
    });
    const staging = stage(current, { stories: [story("e--b", { blockedBy: ["e--a"] })] });
    expect(staging.problems).not.toEqual([]);
  });

  it("only if the epic exists", () => {
    const staging = stage(empty, { stories: [story("e--a")] });
    expect(staging.problems).toEqual([]);
    expect(actions(staging)).toEqual(["create story e--a"]);
  });
});
