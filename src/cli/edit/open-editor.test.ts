import { expect, it } from "vitest";
import { editorOf } from "./open-editor.ts";

it("opens the editor that the person has chosen, as git does", () => {
  const isTerminal = true;
  expect(editorOf({ env: { VISUAL: "code --wait", EDITOR: "nano" }, isTerminal })).toBe(
    "code --wait",
  );
  expect(editorOf({ env: { VISUAL: "", EDITOR: "nano" }, isTerminal: false })).toBe("nano");
  expect(editorOf({ env: {}, isTerminal })).toBe("vi");
});

it("opens none that a person could not see", () => {
  expect(() => editorOf({ env: {}, isTerminal: false })).toThrow("No editor is set.");
});
