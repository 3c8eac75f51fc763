import { expect, it } from "vitest";
import { startOn } from "./dashboard.ts";

/** Starts nothing: fails on these ports with these codes. */
const refusing = (codes: Readonly<Record<number, string>>) => async (port: number) => {
  const code = codes[port];
  if (code !== undefined) throw Object.assign(new Error(code), { code });
  return `server on ${port}`;
};

it("takes the first port that is free and allowed", async () => {
  const start = refusing({ 80: "EACCES", 4000: "EADDRINUSE" });
  expect(await startOn([80, 4000, 4001, 4002], start)).toEqual({
    server: "server on 4001",
    port: 4001,
  });
});

it("names the ports if none is free, and passes on any other error", async () => {
  const busy = refusing({ 1: "EADDRINUSE", 2: "EADDRINUSE" });
  await expect(startOn([1, 2], busy)).rejects.toThrow("No usable port: tried 1, 2.");
  await expect(startOn([1, 3], refusing({ 1: "EMFILE" }))).rejects.toThrow("EMFILE");
});
