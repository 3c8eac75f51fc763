import { afterEach, expect, it, vi } from "vitest";
import { isStored, readStored, writeStored } from "./browser-storage.ts";

const refuse = (): never => {
  throw new DOMException("No.", "QuotaExceededError");
};

afterEach(() => vi.unstubAllGlobals());

it("keeps a value in the browser, and removes it", () => {
  const values = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  });
  writeStored("theme", "dark");
  expect([readStored("theme"), values.size, isStored("theme")]).toEqual(["dark", 1, true]);
  writeStored("theme", null);
  expect([readStored("theme"), values.size]).toEqual([null, 0]);
});

it("keeps a value for the page when the storage is full or blocked", () => {
  vi.stubGlobal("localStorage", { getItem: () => "old", setItem: refuse, removeItem: refuse });
  writeStored("view", "split");
  expect([readStored("view"), isStored("view")]).toEqual(["split", false]);
  writeStored("view", null);
  expect(readStored("view")).toBeNull();
  vi.stubGlobal("localStorage", { getItem: refuse });
  expect(readStored("other")).toBeNull();
});
