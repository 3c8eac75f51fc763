import { describe, expect, it } from "vitest";
import { createDetails } from "./details.ts";

describe("details", () => {
  it("are fetched once per version", async () => {
    const { details, fetched, shown } = newDetails();
    details.want("/a", 1);
    details.want("/a", 1);
    await shown(1);
    details.want("/a", 1);
    expect(fetched).toEqual(["/a"]);
    details.want("/a", 2);
    await shown(2);
    expect(details.get("/a")).toEqual({ value: "answer 2" });
  });

  it("are fetched once more if several versions passed during a request", async () => {
    const { details, fetched, shown } = newDetails();
    for (let version = 1; version <= 30; version++) details.want("/a", version);
    await shown(2);
    expect(fetched).toHaveLength(2);
  });

  it("are fetched again after a lost connection, even with the same version", async () => {
    const { details, shown } = newDetails();
    details.want("/a", 1);
    details.refresh();
    await shown(2);
    expect(details.get("/a")).toEqual({ value: "answer 2" });
  });

  it("that are no longer watched are forgotten, except the last few", async () => {
    const { details, shown } = newDetails();
    details.want("/a", 1);
    await shown(1);
    const addresses = Array.from({ length: 15 }, (_, at) => `/${at}`);
    for (const address of addresses) {
      await new Promise<void>((resolve) => {
        const leave = details.watch(address, () => {
          leave();
          resolve();
        });
        details.want(address, 1);
      });
    }
    const kept = addresses.filter((address) => details.get(address).value !== undefined);
    expect(kept).toEqual(addresses.slice(5));
    expect(details.get("/a").value).toBe("answer 1");
  });

  it("keep the last good value beside an error", async () => {
    const { details, shown, fail } = newDetails();
    details.want("/a", 1);
    await shown(1);
    fail("The disk is full.");
    details.want("/a", 2);
    await shown(2);
    expect(details.get("/a")).toEqual({ value: "answer 1", error: "The disk is full." });
  });
});

function newDetails() {
  const fetched: string[] = [];
  let failure: string | undefined;
  const fetchJson = (address: string): Promise<string> => {
    fetched.push(address);
    return failure === undefined
      ? Promise.resolve(`answer ${fetched.length}`)
      : Promise.reject(new Error(failure));
  };
  const details = createDetails(fetchJson, 0);
  let times = 0;
  let onShown = (): void => undefined;
  details.watch("/a", () => {
    times += 1;
    onShown();
  });
  const shown = (wanted: number): Promise<void> =>
    new Promise((resolve) => {
      onShown = () => times >= wanted && resolve();
      onShown();
    });
  return { details, fetched, shown, fail: (reason: string) => (failure = reason) };
}
