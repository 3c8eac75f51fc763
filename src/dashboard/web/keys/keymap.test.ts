import { describe, expect, it } from "vitest";
import { KEY_HELP, meaningOf, type Press } from "./keymap.ts";
import { PAGES } from "./pages.ts";

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  hasModifier: false,
  hasAlt: false,
  isTyping: false,
  atMs: 1000,
  ...more,
});

describe("the keys", () => {
  it("open a page with g and its letter within a moment", () => {
    const { waiting } = meaningOf(press("g"), undefined);
    for (const { key, href } of PAGES) {
      expect(meaningOf(press(key, { atMs: 1800 }), waiting).command).toEqual({ do: "go", href });
    }
    expect(meaningOf(press("h", { atMs: 9000 }), waiting)).toEqual({});
    expect(meaningOf(press("x"), waiting)).toEqual({});
  });

  it("open the palette with Ctrl-K everywhere, and with / outside of fields", () => {
    const palette = { command: { do: "palette" } };
    expect(meaningOf(press("k", { hasModifier: true, isTyping: true }), undefined)).toEqual(
      palette,
    );
    expect(meaningOf(press("/"), undefined)).toEqual(palette);
    expect(meaningOf(press("/", { isTyping: true }), undefined)).toEqual({});
  });

  it("leave the browser's shortcuts alone", () => {
    expect(meaningOf(press("j", { hasModifier: true }), undefined)).toEqual({});
    expect(meaningOf(press("j", { hasAlt: true }), undefined)).toEqual({});
  });

  it("step through lists with j and k, and show the shortcuts with ?", () => {
    expect(meaningOf(press("j"), undefined).command).toEqual({ do: "row", step: 1 });
    expect(meaningOf(press("k"), undefined).command).toEqual({ do: "row", step: -1 });
    expect(meaningOf(press("?"), undefined).command).toEqual({ do: "help" });
    expect(KEY_HELP.map(([, what]) => what)).toContain("Timeline");
  });
});
